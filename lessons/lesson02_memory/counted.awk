# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^scale[1-6]$/ && NF > 3 { print "| " $1 " " $2 " | | " $4 " |" }
