# Makes the rows of the page's table of counts from what the program prints on the emulator: name, wavefronts per load and per mma, instructions per
# mma, sectors per store. How long the blocks of version 8 wait for each other depends.
$1 ~ /^mma_kernel[0-9]+$/ && NF == 6 { printf "| %s | | %s | %s | %s | %s |\n", $1, $3, $5, $1 ~ /8$/ ? "it depends" : $2, $6 }
