#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine) and tuning/.
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }
  function stalled(why) { return number($column["smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio"]) }
  function wavefronts_of(kind) { return number($column["l1tex__data_pipe_lsu_wavefronts_mem_shared" kind ".sum"]) / fma }

  /^--- / { section = $0; next }
  { timed = split($0, word, " ") == 8 && word[4] == ".." } # name, ms, shortest, "..", longest, TFLOP/s, % of peak, % of cuBLAS

  section ~ /SEED=1/ && timed {
    printf "| %s | | %s | %.1f | %.0f | %.0f |\n", word[1], word[2], word[6], word[7], word[8]
    speed[word[1]] = word[6]
    if (word[1] == "sgemm_kernel9") of_peak = word[7]
  }

  section ~ /library/ && /^M = N = K/ { edge = word[7] }

  # Version 9 and cuBLAS at 4096, in every run that has both.
  timed && /^sgemm_kernel9 / { version9 = word[2] }
  timed && word[1] == "cuBLAS" && section ~ /SEED|library|order lesson16/ && (edge == 4096 || section !~ /library/) {
    times_as_fast = word[2] / version9
    if (!least || times_as_fast < least) least = times_as_fast
    if (times_as_fast > most) most = times_as_fast
    if (section ~ /SEED=1/) { here9 = version9; here = word[2] }
    if (section ~ /library/) { alone9 = version9; alone = word[2] }
  }

  # Version 9 on other sizes.
  section ~ /library/ && timed { of_edge[word[1]] = word[6] }
  section ~ /library/ && timed && word[1] == "cublasLt" {
    mine = of_edge["sgemm_kernel9"]
    printf "| %d | %.1f | %.1f | %.1f | %.0f | %.0f |\n", edge, mine, of_edge["cuBLAS"], of_edge["cublasLt"],
      100 * mine / of_edge["cuBLAS"], 100 * mine / of_edge["cublasLt"]
    kind = edge % 1024 == 0 ? 1024 : 1000
    edges[kind]++; ratio[kind] += log(mine / of_edge["cuBLAS"]); ratio_best[kind] += log(mine / of_edge["cublasLt"])
    share[edge] = 100 * mine / of_edge["cuBLAS"]
  }

  # Version 9 with two lines exchanged, or the copies asked for elsewhere; and its guards.
  section ~ /^--- order/ && timed && word[1] == "sgemm_kernel9" { split(section, part, /[ ,]/); order[part[3]] = word[6] }
  section ~ /^--- guards/ && timed && word[1] == "sgemm_kernel9" { split(section, part, /[ ,]/); guards[part[3]] = word[6] }

  # ncu: wavefronts for 32 multiply-adds, instructions of a warp for 32, how busy the schedulers are, why warps wait.
  section ~ /ncu/ && /"Kernel Name"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
  section ~ /ncu/ && /gemm/ {
    gsub(/^"|"$/, "")
    name = $1 ~ /xmma/ ? "cuBLAS" : $1
    sub(/^void /, "", name); sub(/[(<].*/, "", name)
    fma = number($column["sm__sass_thread_inst_executed_op_ffma_pred_on.sum"]) / 32
    issues[name] = number($column["smsp__issue_active.avg.pct_of_peak_sustained_active"])
    executed[name] = number($column["smsp__inst_executed.sum"]) / fma
    loads[name] = wavefronts_of("_op_ld"); all[name] = wavefronts_of("")
    waits_shared[name] = stalled("short_scoreboard") + stalled("mio_throttle")
    printf "| %s | %.3f | %.3f | %.2f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", name, loads[name], all[name], executed[name],
      number($column["launch__registers_per_thread"]), issues[name], stalled("long_scoreboard") + stalled("barrier"), waits_shared[name],
      stalled("dispatch_stall")
    busy[name] = number($column["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"])
    from_memory[name] = number($column["dram__bytes_read.sum"])
  }

  # What the text says.
  END {
    k = "sgemm_kernel"
    printf "~ from %.1f TFLOP/s for the shared tile of lesson 15 over %.0f for register tiles of 8 x 8 and %.1f with double buffers to %.1f for the tuned one, a little more than cuBLAS.\n",
      speed[k 1], speed[k 3], speed[k 7], speed[k 9]
    printf "~ reads *no less* than version 3, %.2f for both\n", loads[k 4]
    printf "~ executes %.2f instructions instead of %.2f\n", executed[k 4], executed[k 3]
    printf "~ the pipe is busy in %.0f, %.0f, %.0f and %.0f %% of the time\n", busy[k 1], busy[k 2], busy[k 3], busy[k 4]
    printf "~ take %.0f %% of the wavefronts of loads away and gain %.0f %%\n", 100 - 100 * loads[k 6] / loads[k 4], 100 * speed[k 6] / speed[k 4] - 100
    printf "~ (busy in %.0f %% of the time in version 6)\n", busy[k 6]
    printf "~ Version 7 reads exactly as much as version 6, and gains %.0f %%\n", 100 * speed[k 7] / speed[k 6] - 100
    printf "~ Version 8 *loses* %.0f %%\n", 100 - 100 * speed[k 8] / speed[k 7]
    printf "~ It has %.0f %% more wavefronts than version 7, %.3f instead of %.3f\n", 100 * all[k 8] / all[k 7] - 100, all[k 8], all[k 7]
    printf "~ its warps wait for shared memory longer, %.2f instead of %.2f\n", waits_shared[k 8], waits_shared[k 7]
    printf "~ cuBLAS needs more wavefronts, %.3f instead of %.3f\n", all["cuBLAS"], all[k 9]
    printf "~ Its schedulers issue in %.1f %% of the time, those of version 9 in %.1f %%, but it executes %.0f %% more instructions.\n",
      issues["cuBLAS"], issues[k 9], 100 * executed["cuBLAS"] / executed[k 9] - 100
    printf "~ %.0f %% of the instructions are no multiply-adds. In %.0f %% of the time a scheduler starts none.\n", 100 - 100 / executed[k 9], 100 - issues[k 9]
    printf "~ Over the eight multiples of 1024 the mean is %.0f %% of cuBLAS, over the multiples of 1000 it is %.0f %%.\n",
      100 * exp(ratio[1024] / edges[1024]), 100 * exp(ratio[1000] / edges[1000])
    printf "~ On average over all %d sizes: %.0f %% of cuBLAS, and %.0f %% of its best kernel.\n", edges[1024] + edges[1000],
      100 * exp((ratio[1024] + ratio[1000]) / (edges[1024] + edges[1000])),
      100 * exp((ratio_best[1024] + ratio_best[1000]) / (edges[1024] + edges[1000]))
    printf "~ takes %.2f ms among the ten rows of this table, and %.2f ms where only version 9 takes turns with it; version 9 takes %.2f and %.2f ms\n",
      here, alone, here9, alone9
    printf "~ Version 9 is at %.0f to %.0f %% of cuBLAS\n", 100 * least, 100 * most
    printf "~ With 1024 it is at %.0f %%\n", share[1024]
    printf "~ Together: %.0f %% · %.0f %% · 97 %% = %.0f %%, and %.0f %% is what version 9 reaches.\n", 100 / executed[k 9], issues[k 9],
      97 * issues[k 9] / 100 / executed[k 9], of_peak
    printf "~ an H200 gains %.0f %% with 4000\n", 100 * guards["zero_fill"] / guards["lesson16"] - 100
    printf "~ from %.1f to %.1f TFLOP/s\n", guards["lesson16"], guards["zero_fill"]
    printf "| b, then a | 1 | %.1f |\n| b, then a | 0 | %.1f |\n| b, then a | 3 | %.1f |\n| b, then a | 6 | %.1f |\n", order["lesson16"], order["at0"], order["at3"], order["at6"]
    printf "| a, then b | 1 | %.1f |\n| a, then b | 0 | %.1f |\n", order["a_first"], order["a_first_at0"]
    more = from_memory[k 9] / from_memory["cuBLAS"] # one that read C as well would have 64 MiB more
    if (!(more > 0.95 && more < 1.05)) print "~ ncu counted another product for version 9 than for cuBLAS"
  }' h200.txt

# The tuning: the best of some shapes, and how far the variants of one lie apart.
awk '
  / ratio / {
    variants++
    if ($NF ~ /^128_256_/ && ($1 < least || !least)) least = $1
    if ($NF ~ /^128_256_/ && $1 > most) most = $1
    split($NF, part, /[_.]/)
    shape = part[1] " x " part[2] " | " part[6] " x " part[7] " | " part[3]
    if ($1 > best[shape]) best[shape] = $1
  }
  END {
    count = split("128 x 256 | 8 x 16 | 16;128 x 256 | 8 x 16 | 8;256 x 128 | 16 x 8 | 32;128 x 128 | 16 x 8 | 32;128 x 128 | 8 x 16 | 16;64 x 256 | 8 x 16 | 8;128 x 128 | 8 x 8 | 32;256 x 128 | 8 x 16 | 8", wanted, ";")
    for (i = 1; i <= count; i++) printf "| %s | %.1f |\n", wanted[i], best[wanted[i]]
    printf "~ For this page %d variants of one kernel\n", variants
    printf "~ 128 x 256, the variants reached from %.0f to %.0f\n", least, most
  }' tuning/h200.txt

# Its questions, each the mean of two runs: orders in five shapes, buffers, blocks at the same time, lanes.
awk '
  / ratio / {
    name = $NF; sub(/\.cubin$/, "", name)
    sum[name] += $1; runs[name]++
    if (runs[name] == 2) { apart = 2 * $1 - sum[name]; if (apart < 0) apart = -apart; if (apart > widest) widest = apart }
  }
  function of(name) { return runs[name] == 2 ? sprintf("%.1f", sum[name] / 2) : "not measured twice: " name }
  END {
    split("rows, each from left to right|columns, each from top to bottom|rows, in turns|columns, in turns", word, "|")
    shapes = split("128_256_8_64_64_8_16_4_1 128_256_16_64_64_8_16_3_1 256_128_8_64_64_16_8_4_1 128_128_16_64_64_8_16_3_2 128_128_32_32_64_8_8_2_2", shape, " ")
    for (k = 1; k <= 4; k++) {
      o = substr("0213", k, 1)
      printf "| %s |", word[o + 1]
      for (s = 1; s <= shapes; s++) printf " %s |", of(shape[s] "_o" o)
      print ""
    }
    for (k = 1; k <= 4; k++) {
      o = substr("0213", k, 1); b = "128_256_8_64_64_8_16_"
      printf "| %s | %s | %s | %s | %s |\n", word[o + 1], of(b "2_1_o" o), of(b "3_1_o" o), of(b "4_1_o" o), of(b "6_1_o" o)
    }
    b = "128_256_8_64_64_8_16_3_1_o3"
    printf "| 1 | %s |\n| 4 | %s |\n| 8 | %s |\n| 16 | %s |\n| 32 | %s |\n| 8, lanes numbered row by row | %s |\n", of(b "_g1"), of(b "_g4"), of(b), of(b "_g16"), of(b "_g32"), of(b "_l0")
    printf "~ The two runs of a variant differ by %.1f TFLOP/s at most", widest
    for (s = 1; s <= shapes; s++) better += (sum[shape[s] "_o2"] > sum[shape[s] "_o0"]) + (sum[shape[s] "_o3"] > sum[shape[s] "_o1"])
    printf "\n~ Turns are better than no turns in %d of %d pairs.\n", better, 2 * shapes
    printf "~ In the shape of version 9 that is worth %.0f %%\n", 100 * sum[shape[1] "_o3"] / sum[shape[1] "_o0"] - 100
  }' tuning/questions.txt
