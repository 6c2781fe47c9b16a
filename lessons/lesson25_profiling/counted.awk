# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^pipeline[0-9]$/ && NF == 9 { printf "| %s | | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $9 }
