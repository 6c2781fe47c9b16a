#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind `~`, what its text says of the times, made from h200.txt
# (which record.sh printed on that machine) and plain_loops.txt.
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }
  function per_32(metric) { return number($column[metric]) / (16777216 / 32) }
  function percent(metric) { return number($column[metric ".avg.pct_of_peak_sustained_elapsed"]) }

  /^--- / { section = substr($0, 5); next }
  { fields = split($0, word, " ") }
  FILENAME == "plain_loops.txt" { if (word[1] ~ /_kernel[56]$/) plain[substr(word[1], 15)] = word[5]; next }
  fields == 5 && word[1] ~ /_kernel/ { of_copy[section " " word[1]] = word[5]; flops[section " " word[1]] = word[4] / 1000 }
  section ~ /SEED=1/ && /^copy kernel/ { copy = word[3] }

  # Times: of the first seed, as the program prints them.
  section ~ /SEED=1/ && fields == 5 && word[1] ~ /_kernel/ {
    printf "| %s | | %s | %s |\n", word[1], word[2], word[5]
    of_copy["radius16 " word[1]] = word[5]
    ms[substr(word[1], 15)] = word[2]
  }

  # Version 1 with fewer comparisons.
  section ~ /_comparison/ && /stencil_kernel1/ {
    printf "| version 1 with %s | %s |\n", section ~ /^one/ ? "one comparison" : "none, except at the ends of the array", word[5]
  }

  # Outputs of a thread: words that it reads for each, and version 6.
  section ~ /^outputs/ && /stencil_kernel6/ {
    number_of = substr(section, 8) + 0
    by_outputs[++variants] = sprintf("| %d | %.1f | %s | %s |", number_of, (number_of + 32) / number_of, word[2], word[5])
  }

  # ncu, 2^24 outputs: everything for 32 of them.
  /"ID"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } }
  section ~ /^ncu, SIZE=16777216$/ && /_kernel[0-9]\(/ {
    split($column["Kernel Name"], name, "(")
    printf "| %s | %.1f | %.1f | %.1f | %.0f |\n", name[1], per_32("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
      per_32("lts__t_sectors_srcunit_tex_op_read.sum"),
      per_32("l1tex__data_pipe_lsu_wavefronts.sum"), per_32("smsp__inst_executed.sum")
    asked[substr(name[1], 15)] = per_32("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    stored[substr(name[1], 15)] = per_32("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
    busy[++kernels] = sprintf("| %s | %.0f | %.0f | %.0f | %.0f |", name[1], number($column["smsp__issue_active.avg.pct_of_peak_sustained_elapsed"]),
      percent("l1tex__data_pipe_lsu_wavefronts"), percent("lts__throughput"), percent("gpu__dram_throughput"))
  }
  section ~ /warps wait for/ && /_kernel[56]\(/ {
    v = substr($column["Kernel Name"], 15, 1)
    for_loads[v] = number($column["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"])
    for_barriers[v] = number($column["smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"])
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
    for (v = 1; v <= variants; v++) print by_outputs[v]

    printf "~ A copy of as many bytes takes %s ms.\n", copy
    fewer = (asked[1] + stored[1]) / (asked[2] + stored[2])
    printf "~ (%.0f + %.0f) / (%.1f + %.0f) = %.0f times as fast as version 1.\n", asked[1], stored[1], asked[2], stored[2], fewer
    printf "~ Not %.0f times: %.1f times.\n", fewer, ms[1] / ms[2]
    printf "~ version 7, without a tile, is %.1f times as fast as version 2 with one\n", ms[2] / ms[7]
    printf "~ What did version 2 gain then, from %.1f %% to %.1f %% of the copy?\n", of_copy["radius16 stencil_kernel1"], of_copy["radius16 stencil_kernel2"]
    printf "~ Version 5 stores the same results in another order and is %.1f times as fast\n", ms[4] / ms[5]
    printf "~ Version 6 waits less, and is %.1f times as fast\n", ms[5] / ms[6]
    printf "~ waits for loads from global memory for %.1f cycles on average, and for %.1f at barriers\n", for_loads[5], for_barriers[5]
    printf "~ In version 6 these are %.1f and %.1f.\n", for_loads[6], for_barriers[6]
    printf "~ version 5 had even come to %.1f %% of the copy, and version 6 to %.1f %%\n", plain[5], plain[6]
    printf "~ the tile wins: %.0f %% against %.0f %%\n", of_copy["radius16 stencil_kernel6"], of_copy["radius16 stencil_kernel7"]
    printf "~ With radius 64 version 6 is %.1f times as fast as version 7\n", of_copy["radius64 stencil_kernel6"] / of_copy["radius64 stencil_kernel7"]
    printf "~ which makes %.0f TFLOP/s\n", flops["radius64 stencil_kernel6"]
  }' plain_loops.txt h200.txt
