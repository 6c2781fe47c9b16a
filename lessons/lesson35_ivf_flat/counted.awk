# Rows of the page's table of counts, from what the program prints.
$1 ~ /^(brute1|tiles2|lists3|groups4|batches5)$/ && NF == 5 { printf "| %s | %s | | %s | | %s | %s |\n", $1, $2, $3, $4, $5 }
