# Makes the rows of the page's table of counts from what the program prints on the emulator, in two tables: launches, bytes read and written;
# then instructions, sectors per load and store, wavefronts, branches.
$1 ~ /^scan_kernel[0-9]+$/ && NF == 4 { read[$1] = $3; written[$1] = $4 }
$1 ~ /^scan_kernel[0-9]+$/ && NF == 6 { printf "| %s | | %s | | %s | %s | %s | %s |\n", $1, read[$1], written[$1], $2, $4, $5 }
