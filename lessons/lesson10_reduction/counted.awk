# Makes the rows of the page's table of counts from what the program prints on the emulator, in two tables: launches, barriers, atomics; then
# instructions, sectors per load and store, wavefronts, branches. Version 11 asks again and again, so only its barriers and launches are certain.
$1 ~ /^sum_kernel[0-9]+$/ && NF == 4 && $2 ~ /^[1-9]$/ { launches[$1] = $2; barriers[$1] = $3 }
$1 ~ /^sum_kernel[0-9]+$/ && NF == 6 && $1 != "sum_kernel11" {
  printf "| %s | | %s | | %s | %s | %s | %s |\n", $1, barriers[$1], $5, $2, launches[$1], $3
}
