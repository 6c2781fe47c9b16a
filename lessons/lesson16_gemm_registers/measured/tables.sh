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
    speed[word[1]] = word[6]
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
    wavefronts[name] = number($column["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]) / fma
    executed[name] = number($column["smsp__inst_executed.sum"]) / fma
    busy[name] = number($column["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"])
    issues[name] = number($column["smsp__issue_active.avg.pct_of_peak_sustained_active"])
  }

  # What the text says.
  END {
    k = "sgemm_kernel"
    printf "~ from %.1f TFLOP/s for the shared tile of lesson 15 over %.0f for register tiles of 8 x 8 and %.1f with double buffers to %.1f for the tuned one, %.0f %% of cuBLAS.\n",
      speed[k 1], speed[k 3], speed[k 7], speed[k 9], 100 * speed[k 9] / speed["cuBLAS"]
    printf "~ reads *no less* than version 3, %.2f for both\n", wavefronts[k 4]
    printf "~ executes %.2f instructions instead of %.2f\n", executed[k 4], executed[k 3]
    printf "~ the pipe is busy in %.0f, %.0f, %.0f and %.0f %% of the time\n", busy[k 1], busy[k 2], busy[k 3], busy[k 4]
    printf "~ take %.0f %% of the wavefronts away and gain %.0f %%\n", 100 - 100 * wavefronts[k 6] / wavefronts[k 4], 100 * speed[k 6] / speed[k 4] - 100
    printf "~ (busy in %.0f %% of the time in version 6)\n", busy[k 6]
    printf "~ Version 7 reads exactly as much as version 6, and gains %.0f %%\n", 100 * speed[k 7] / speed[k 6] - 100
    printf "~ Version 8 *loses* %.0f %%\n", 100 - 100 * speed[k 8] / speed[k 7]
    printf "~ cuBLAS reads more, %.3f\n", wavefronts["cuBLAS"]
    printf "~ but it needs %.0f %% more of them\n", 100 * executed["cuBLAS"] / executed[k 9] - 100
    printf "~ %.0f %% of the instructions are no multiply-adds. In %.0f %% of the time a scheduler starts none.\n", 100 - 100 / executed[k 9], 100 - issues[k 9]
  }' h200.txt

# The tuning: the order of the multiply-adds (run 1, everything else the same), and the best of some shapes.
awk '
  /^---/ { run = $3 }
  / ratio / {
    variants++
    if ($NF ~ /^128_256_/ && ($1 < least || !least)) least = $1
    if ($NF ~ /^128_256_/ && $1 > most) most = $1
    if (run == 2 && $NF ~ /^128_256_8_64_64_8_16_[236]_1_o3_v0\./) { split($NF, part, "_"); buffers[part[8]] = $1 }
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
    printf "~ For this page %d variants of one kernel\n", variants
    printf "~ 128 x 256, the variants reached from %.0f to %.0f\n", least, most
    printf "~ Two buffers instead of three: %.1f instead of %.1f. Six instead of three: nothing.\n", buffers[2], buffers[3]
    if (buffers[6] / buffers[3] > 1.002 || buffers[6] / buffers[3] < 0.998) print "~ six buffers make a difference"
  }' tuning/h200.txt
