# Makes the rows of the page's table of counts from what the program prints on the emulator: for float, then for bf16, a table of launches, arrays
# and atomics, and one of instructions, which the page leaves out.
/^[0-9]+ x [0-9]+, / { type = $4; arrays = 0; next }
/launches +arrays read/ { arrays = 1; next }
/instructions +sectors/ { arrays = 0; next }
arrays && $1 ~ /_kernel[0-9]+$/ && NF == 6 && type == "float" { order[++count] = $1; read[$1] = $3; written[$1] = $4; atomics[$1] = $6 }
arrays && $1 ~ /_kernel[0-9]+$/ && NF == 6 && type == "bf16" { read_bf16[$1] = $3 }
END {
  for (k = 1; k <= count; k++)
    printf "| %s | | %s | | %s | %s | %s |\n", order[k], read[order[k]], read_bf16[order[k]], written[order[k]], atomics[order[k]]
}
