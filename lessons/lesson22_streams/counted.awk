# Makes the rows of the page's table from what the program prints on the emulator.
$1 ~ /^(pipeline|chain)[0-9]+$/ && NF == 6 { printf "| %s | | %s | %s | %s | %s | %s |\n", $1, $3, $2, $4, $5, $6 }
