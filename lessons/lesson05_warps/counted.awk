# Makes the rows of the page's table of counts from what the program prints on the emulator, in two tables: three columns, then six.
# Not that of echo_kernel6: how often its lanes ask in vain is the emulator's own affair.
$1 ~ /^(shape|echo)_kernel[0-9]$/ && NF == 3 { lanes[$1] = "| " $1 " | | " $2 " | | " $3 " |" }
$1 ~ /^(shape|echo)_kernel[0-9]$/ && NF == 6 && $1 != "echo_kernel6" { print lanes[$1] " " $6 " | " $3 " |" }
