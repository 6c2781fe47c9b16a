# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^vecadd_kernel[1-3]$/ && NF > 2 {
  threads = $1 ~ /1$/ ? 1 : $1 ~ /2$/ ? 256 : 1048576
  print "| " $1 " | " threads " | | " $2 " |"
}
