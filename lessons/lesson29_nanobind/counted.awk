# Rows of the page's table of counts, from what the program prints.
$1 ~ /^gelu_(forward|backward)$/ && NF == 4 { printf "| %s | %s | %s | %s |\n", $1, $2, $3, $4 }
