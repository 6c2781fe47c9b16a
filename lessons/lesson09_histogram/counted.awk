# Makes the rows of the page's tables of counts from what the program prints on the emulator: of each of its tables, whose titles come first.
/^sectors of global atomics/ { table = "global" }
/^wavefronts of shared atomics/ { table = "atomics" }
/^wavefronts of shared loads and stores/ { table = "others" }
/^instructions of a warp/ { table = "instructions" }
$1 ~ /^histogram_kernel[0-9]+$/ && NF == 5 {
  cell[table, $1] = " " $2 " | " $3 " | " $4 " | " $5 " |"
  uniform[table, $1] = $2
  if (table == "instructions")
    print "| " $1 " | | " substr(cell["atomics", $1], 2) " " uniform["others", $1] " | " uniform["global", $1] " | " $2 " | " $3 " |"
}
