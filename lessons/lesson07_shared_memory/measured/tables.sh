#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }
  function per_32(metric) { return number($column[metric]) / (16777216 / 32) }
  function percent(metric) { return number($column[metric ".avg.pct_of_peak_sustained_elapsed"]) }

  /^--- / { section = substr($0, 5); next }
  { fields = split($0, word, " ") }
  fields == 5 && word[1] ~ /_kernel/ { of_copy[section " " word[1]] = word[5] }

  # Times: of the first seed, as the program prints them.
  section ~ /SEED=1/ && fields == 5 && word[1] ~ /_kernel/ {
    printf "| %s | | %s | %s |\n", word[1], word[2], word[5]
    of_copy["radius16 " word[1]] = word[5]
  }

  # Version 1 with fewer comparisons.
  section ~ /_comparison/ && /stencil_kernel1/ {
    printf "| version 1 with %s | %s |\n", section ~ /^one/ ? "one comparison" : "none, except at the ends of the array", word[5]
  }

  # Outputs of a thread: milliseconds of version 6 without and with launch bounds.
  section ~ /launch_bounds/ && fields == 4 { milliseconds[word[1] " " word[2]] = word[3] }

  # ncu, 2^24 outputs: everything for 32 of them.
  /"ID"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } }
  section ~ /^ncu, SIZE=16777216$/ && /_kernel[0-9]\(/ {
    split($column["Kernel Name"], name, "(")
    printf "| %s | %.1f | %.1f | %.1f | %.0f |\n", name[1], per_32("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
      per_32("lts__t_sectors_srcunit_tex_op_read.sum"),
      per_32("l1tex__data_pipe_lsu_wavefronts.sum"), per_32("smsp__inst_executed.sum")
    busy[++kernels] = sprintf("| %s | %.0f | %.0f | %.0f | %.0f |", name[1], number($column["smsp__issue_active.avg.pct_of_peak_sustained_elapsed"]),
      percent("l1tex__data_pipe_lsu_wavefronts"), percent("lts__throughput"), percent("gpu__dram_throughput"))
  }
  END {
    for (k = 1; k <= kernels; k++) print busy[k]
    split("4 8 16 32 64", radius, " ")
    for (r = 1; r <= 5; r++) {
      printf "| %d |", radius[r]
      split("1 2 5 6 7", version, " ")
      for (v = 1; v <= 5; v++) printf " %.1f |", of_copy["radius" radius[r] " stencil_kernel" version[v]]
      print ""
    }
    split("7 9 11 13 15", outputs, " ")
    for (o = 1; o <= 5; o++) printf "| %d | %s | %s |\n", outputs[o], milliseconds[outputs[o] " plain"], milliseconds[outputs[o] " 8"]
  }' h200.txt
