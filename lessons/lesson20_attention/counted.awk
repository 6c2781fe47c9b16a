# Makes the rows of the page's tables of counts from what the program prints on the emulator. Forward and backward: name, KiB loaded and stored,
# wavefronts and instructions per mma. Decode: as it is printed.
/heads/ { kind = / causal/ ? ", causal" : "" }
$1 ~ /^(attention|backward)_?[a-z]*[0-9]?$/ && NF == 5 && $4 + 0 > 0 {
  printf "| %s%s | | %.0f | %.0f | %s | %s |\n", $1, kind, $4, $5, $3, $2
}
$1 ~ /^decode_kernel[0-9]$/ && NF == 6 { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }
