#!/bin/sh
# roofline.sh: the points of figures/roofline.svg, from h200.txt: the bytes that the loads ask for and those that came from memory as ncu counted
# them, times and roofs as the program printed them. `sh roofline.sh | sh tools/authoring/roofline_figure.sh` draws it.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  /^fp32 peak/ && section ~ /SEED=1/ { peak = $3; how = $0; sub(/.*= /, "", how) }
  /^copy kernel/ && section ~ /SEED=1/ { copy = $3 }
  NF == 8 && $4 == ".." && section ~ /SEED=1/ { name[++count] = $1; speed[$1] = $6 }
  section ~ /ncu/ && NF == 3 { value[$1, $2] = $3 }
  END {
    flop = 2 * 4096 * 4096 * 4096
    print "title: C = A * B in float, all matrices 4096 x 4096"
    print "note: " machine ", " date
    print "memory: " copy " | copy kernel"
    print "peak: " peak " | " how
    split("above left below left right left", where, " ")
    for (v = 1; v <= count; v++) {
      n = name[v]
      loaded = n == "cuBLAS" ? "-" : sprintf("%.4f", flop / 32 / value[n, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"])
      printf "%s | %s | %.4f | %s | %s\n", n, loaded, flop / (value[n, "dram__bytes_read.sum"] + value[n, "dram__bytes_write.sum"]), speed[n], where[v]
    }
  }' h200.txt
