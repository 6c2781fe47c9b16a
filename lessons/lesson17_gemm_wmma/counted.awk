# Makes the rows of the page's tables from what the program prints on the emulator. Counts: name, instructions for a product of 16 x 16 x 16, sectors per
# load, bytes loaded for a product, wavefronts per access to shared memory and for a product. Then errors: K, and a number for each type.
NF >= 6 && ($1 ~ /^gemm_kernel[0-9]+$/ || $1 ~ /^(fp16|bf16|tf32|int8)/) && $NF ~ /^[0-9.-]+$/ && $(NF - 4) ~ /^[0-9.]+$/ {
  name = $1
  for (i = 2; i <= NF - 5; i++) name = name " " $i
  printf "| %s | | %s | %s | %s | %s | %s |\n", name, $NF, $(NF - 1), $(NF - 4), $(NF - 2), $(NF - 3)
}
/^error/ { wanted = /all, A and B from -1/ || /alone, A and B from 0/ }
wanted && $1 ~ /^[0-9]+$/ && NF == 6 { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }
