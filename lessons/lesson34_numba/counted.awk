# Rows of the page's table of counts, from what the program prints.
$1 ~ /^(gelu_kernel[12]|gelu_backward|sum_kernel[12])$/ && NF == 4 { printf "| %s | %s | %s | %s |\n", $1, $2, $3, $4 }
