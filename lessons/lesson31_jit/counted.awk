# Rows of the page's table of counts, from what the program prints.
$1 ~ /^b?float(16|32|64)$/ && $2 == "x" && NF == 6 { printf "| %s x %s | %s | %s | %s |\n", $1, $3, $4, $5, $6 }
