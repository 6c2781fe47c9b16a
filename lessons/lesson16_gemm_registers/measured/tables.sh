#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }
  function stalled(why) { return number($column["smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio"]) }

  /^--- / { section = $0; next }

  # The ladder: name, ms, shortest, "..", longest, TFLOP/s, % of peak, % of cuBLAS.
  section ~ /SEED=1/ && split($0, word, " ") == 8 && word[4] == ".." {
    printf "| %s | | %s | %.1f | %.0f | %.0f |\n", word[1], word[2], word[6], word[7], word[8]
  }

  # Version 9 on other sizes.
  section ~ /SIZE=.*V=9/ && split($0, word, " ") == 8 && word[4] == ".." {
    split(section, part, /[= ]/)
    if (word[1] == "sgemm_kernel9") mine = word[6]; else printf "| %s | %.1f | %.1f | %.0f |\n", part[4], mine, word[6], 100 * mine / word[6]
  }

  # ncu: wavefronts of loads for 32 multiply-adds, instructions of a warp for 32, how busy the schedulers are, why warps wait.
  section ~ /ncu/ && /"Kernel Name"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
  section ~ /ncu/ && /gemm/ {
    gsub(/^"|"$/, "")
    name = $1 ~ /xmma/ ? "cuBLAS" : $1
    sub(/^void /, "", name); sub(/[(<].*/, "", name)
    fma = number($column["sm__sass_thread_inst_executed_op_ffma_pred_on.sum"]) / 32
    printf "| %s | %.3f | %.2f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", name,
      number($column["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]) / fma,
      number($column["smsp__inst_executed.sum"]) / fma, number($column["launch__registers_per_thread"]),
      number($column["smsp__issue_active.avg.pct_of_peak_sustained_active"]),
      stalled("long_scoreboard") + stalled("barrier"), stalled("short_scoreboard") + stalled("mio_throttle"), stalled("dispatch_stall")
  }' h200.txt

# The tuning: the order of the multiply-adds (run 1, everything else the same), and the best of some shapes.
awk '
  /^---/ { run = $3 }
  / ratio / {
    split($NF, part, /[_.]/)
    shape = part[1] " x " part[2] " | " part[6] " x " part[7] " | " part[3]
    if ($1 > best[shape]) best[shape] = $1
    if (run == 1 && $NF ~ /^128_256_8_64_64_8_16_4_1_o[0-3]_p0_s0\.cubin/) order[substr(part[10], 2)] = $1
  }
  END {
    split("rows, each from left to right|columns, each from top to bottom|rows, in turns|columns, in turns", name, "|")
    for (o = 0; o < 4; o++) printf "| %s | %.1f |\n", name[o + 1], order[o]
    count = split("128 x 256 | 8 x 16 | 16;128 x 256 | 8 x 16 | 8;256 x 128 | 16 x 8 | 32;128 x 128 | 16 x 8 | 32;128 x 128 | 8 x 16 | 16;64 x 256 | 8 x 16 | 8;128 x 128 | 8 x 8 | 32;256 x 128 | 8 x 16 | 8", wanted, ";")
    for (i = 1; i <= count; i++) printf "| %s | %.1f |\n", wanted[i], best[wanted[i]]
  }' tuning/h200.txt
