# Makes the rows of the page's tables of counts from what the program prints on the emulator: a row for each version, with one vector, and for each
# way to quantise.
$1 ~ /^gemv_kernel[0-9]+$/ && NF == 5 && !seen[$1]++ { print "| " $1 " | | " $3 " | " $2 " | " $4 " | " $5 " |" }
/^int[48]: y differs by/ { sub(":", "", $1); print "| " $1 " | " $5 " % |" }
