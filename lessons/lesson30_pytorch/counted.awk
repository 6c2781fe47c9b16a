# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 == "pytorch" && NF == 4 { printf "| %s | | %s |\n", $1, $2 }
