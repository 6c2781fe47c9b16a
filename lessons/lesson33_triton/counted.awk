# Rows of the page's table of counts, from what the program prints.
/^(gelu, |softmax, )/ && NF >= 4 {
  name = substr($0, 1, 16)
  sub(/ +$/, "", name)
  printf "| %s | %s | %s | %s |\n", name, $(NF - 2), $(NF - 1), $NF
}
