# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^blur_kernel[0-9]$/ { print "| " $1 " | | " $3 " | | " $4 " | " $2 " |" }
