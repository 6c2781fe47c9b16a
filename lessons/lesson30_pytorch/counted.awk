# Rows of the page's table of counts, from what the program prints.
/^(gelu|backward) (float|half|bfloat16) / && NF == 5 { printf "| %s %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }
