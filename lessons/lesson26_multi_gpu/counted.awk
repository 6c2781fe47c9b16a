# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^(gather1|ring2|tree3|oneshot_kernel[456]|twoshot_kernel7)$/ && NF == 5 {
  printf "| %s | | %s | | %s | %s | %s |\n", $1, $2, $3, $4, $5
}
