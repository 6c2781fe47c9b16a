# Makes the rows of the page's table of counts from what the program prints on the emulator, in two tables: five columns, then six.
$1 ~ /^stencil_kernel[0-9]$/ && NF == 5 { moved[$1] = "| " $1 " | | " $2 " | | " $4 " | | " $3 " |" }
$1 ~ /^stencil_kernel[0-9]$/ && NF == 6 { print moved[$1] " " $2 " |" }
