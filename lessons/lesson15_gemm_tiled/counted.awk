# Makes the rows of the page's table of counts from what the program prints on the emulator: name, instructions per FMA, sectors per load and
# store, bytes per FMA, wavefronts per access to shared memory and per 32 FMA.
$1 ~ /^sgemm_kernel/ && NF == 7 { printf "| %s | | %s | | %s | | %s |\n", $1, $3, $5, $7 }
