# Makes the rows of the page's table of counts from what the program prints on the emulator: name, A and B loaded, copies, instructions per mma, sectors per
# store, C stored by TMA.
$1 ~ /^hopper_kernel[0-9]+$/ && NF == 7 { printf "| %s | | %s | %d | %s | %s | %s |\n", $1, $4, $3, $2, $5 == "-" ? "none" : $5, $7 }
