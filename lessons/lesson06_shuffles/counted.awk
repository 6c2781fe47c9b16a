# Makes the rows of the page's table of counts from what the program prints on the emulator, in two tables: instructions, loads, atomics; then
# six columns, of which sectors per load count here.
$1 ~ /_kernel[0-9]+$/ && NF == 4 { row[$1] = "| " $1 " | | " $2 " | | " $3; atomics[$1] = $4 }
$1 ~ /_kernel[0-9]+$/ && NF == 6 && ($1 in row) { print row[$1] " | " $3 " | " atomics[$1] " |" }
