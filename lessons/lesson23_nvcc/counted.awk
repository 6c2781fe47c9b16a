# Makes the rows of the page's table of counts from what the program prints on the emulator: first its errors and what is special, then counts.
$1 ~ /^silu_kernel[1-5]$/ && NF == 7 { special[$1] = $4 " | " $5 " | " $6 }
$1 ~ /^silu_kernel[1-5]$/ && NF == 6 { print "| " $1 " | | " $2 " | " special[$1] " |" }
