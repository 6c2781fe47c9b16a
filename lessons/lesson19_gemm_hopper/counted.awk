# Makes the rows of the page's table of counts from what the program prints on the emulator.
$1 ~ /^gemm_hopper_kernel/ && NF > 2 { print "| " $1 " | | " $2 " |" }
