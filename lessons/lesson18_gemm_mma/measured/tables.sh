#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine) and tuning/h200.txt.
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  # One of the version whose launch it is; the library has names of its own.
  function version_of(name) {
    if (name ~ /mma_kernel6<Sizes<128, 128/) return "mma_kernel7"
    if (match(name, /mma_kernel[0-9]/)) return substr(name, RSTART, RLENGTH)
    return "cuBLAS"
  }
  function value(v, metric) { return counted[v, metric] }
  function stalled(v, why) { return value(v, "smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio") }

  /^--- / { section = $0; next }
  { timed = split($0, word, " ") == 8 && word[4] == ".." } # name, ms, shortest, "..", longest, TFLOP/s, % of peak, % of the library

  section ~ /SEED=1/ && timed {
    printf "| %s | | %s | %.1f | %.1f | %.1f |\n", word[1], word[2], word[6], word[7], word[8]
    speed[word[1]] = word[6]; ms[word[1]] = word[2]; share[word[1]] = word[8]
  }
  section ~ /SEED=2/ && timed { again[word[1]] = word[8] }

  section ~ /shapes/ && /^M = / { shape = $3 " x " $6 " x " $9; gsub(/,/, "", shape); layer = /GELU/; split("", of) }
  section ~ /shapes/ && timed {
    of[word[1]] = word[6]; time[word[1]] = word[2]
    if (word[1] == "cuBLAS") {
      best = of["mma_kernel6"]; if (of["mma_kernel7"] > best) best = of["mma_kernel7"]; if (of["mma_kernel8"] > best) best = of["mma_kernel8"]
      printf "| %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", shape, of["mma_kernel6"], of["mma_kernel7"], of["mma_kernel8"], word[6], 100 * best / word[6]
      product[shape] = time["mma_kernel6"]
      for (k = 6; k <= 8; k++) at[shape, k] = of["mma_kernel" k]
      logs += log(best / word[6]); shapes++
    }
    if (word[1] == "cublasLt") {
      printf "| %s | %s | %s | %s |\n", shape, time["mma_kernel5"], time["mma_kernel6"], word[2]
      fused[shape] = time["mma_kernel6"]; apart[shape] = time["mma_kernel5"]; theirs[shape] = word[2]
    }
  }

  section ~ /ncu/ && NF >= 3 {
    metric = $(NF - 1); name = $0; sub(/ [^ ]+ [^ ]+$/, "", name)
    v = version_of(name)
    if (!((v, metric) in counted)) counted[v, metric] = $NF
    if (v == "cuBLAS") library = name
  }
  END {
    mmas = 4096 / 16 * 4096 / 8 * 4096 / 16
    for (k = 1; k <= 9; k++) {
      v = k == 9 ? "cuBLAS" : "mma_kernel" k
      printf "| %s | %.1f | %.2f | %s | %.2f | %.0f | %.2f | %.2f | %.2f | %.2f |\n", v, value(v, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
        value(v, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") / mmas,
        k == 9 ? "" : sprintf("%.3f", value(v, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") / mmas),
        value(v, "smsp__inst_executed.sum") / mmas,
        value(v, "launch__registers_per_thread"),
        stalled(v, "long_scoreboard"), stalled(v, "barrier"), stalled(v, "short_scoreboard") + stalled(v, "mio_throttle"), stalled(v, "math_pipe_throttle")
    }
    k = "mma_kernel"; best = speed[k 6] > speed[k 8] ? k 6 : k 8
    printf "~ Version %s reaches %.0f TFLOP/s, %.1f %% of cuBLAS, and %.1f %% with another seed.\n", substr(best, 11), speed[best], share[best], again[best]
    printf "~ Version 2 takes %.0f %% more time than version 1\n", 100 * ms[k 2] / ms[k 1] - 100
    printf "~ the swizzle makes it %.1f times as fast\n", ms[k 2] / ms[k 3]
    printf "~ the ring another %.1f times\n", ms[k 3] / ms[k 4]
    printf "~ the larger tiles %.1f times\n", ms[k 4] / ms[k 5]
    printf "~ The epilogue gains %.0f %%\n", 100 * ms[k 5] / ms[k 6] - 100
    # A tensor core is busy for so many cycles of its own for one mma: cycles that it is active, of a multiprocessor, over its share of the mmas.
    cycles = value(k 6, "gpu__time_duration.sum") / 1e9 * value(k 6, "sm__cycles_elapsed.avg.per_second") * value(k 6, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active") / 100
    printf "~ busy for %.1f clocks with each mma\n", cycles / (mmas / 132 / 4)
    printf "~ %.0f %% of the tensor cores\n", 100 * 4 / (cycles / (mmas / 132 / 4))
    printf "~ In version 6 they are busy in %.0f %% of the time\n", value(k 6, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active")
    printf "~ at %.2f GHz\n", value(k 6, "sm__cycles_elapsed.avg.per_second") / 1e9
    printf "~ `%s`\n", library
    s = "512 x 512 x 8192"
    printf "~ Version 6 reaches %.0f TFLOP/s there, version 7 %.0f\n", at[s, 6], at[s, 7]
    s = "1536 x 1536 x 4096"
    printf "~ version 8 reaches %.0f TFLOP/s instead of %.0f\n", at[s, 8], at[s, 7]
    s = "4096 x 14336 x 4096"
    printf "~ costs version 5 %.2f ms more than the product alone, and version 6 %s\n", apart[s] - product[s],
      fused[s] - product[s] < 0.01 ? "nothing that can be measured" : sprintf("%.2f ms", fused[s] - product[s])
    s = "3072 x 3072 x 3072"
    printf "~ %.0f TFLOP/s instead of %.0f\n", at[s, 8], at[s, 6]
    printf "~ On average over these %d shapes the best of the three is at %.0f %% of cuBLAS\n", shapes, 100 * exp(logs / shapes)
  }' h200.txt

awk '
  / error / && /8192|ms  error/ {
    name = $NF; if (name == "cuBLAS") next
    n = split(name, part, "_")
    if (part[1] != 6) next
    if (/ \.\. /) { turns = 1; at[name] = $1; share[name] = $3 }
  }
  END {
    count = split("6_256_128_32_64_64_5_16_1_1 6_128_256_32_64_64_6_16_2_1 6_128_256_32_64_64_5_16_2_1 6_128_256_32_64_64_3_16_2_1 6_128_256_64_64_64_4_16_1_1 6_256_128_64_64_64_4_16_4_1 6_128_256_64_64_64_4_16_4_1", wanted, " ")
    for (i = 1; i <= count; i++) {
      split(wanted[i], part, "_")
      printf "| %s x %s | %s | %s | %s | %.0f | %.1f |\n", part[2], part[3], part[4], part[7], part[9] == 1 ? "at once" : "spread", at[wanted[i]], share[wanted[i]]
    }
    b = "6_128_256_32_64_64_6_"
    printf "~ with groups of 4, 8, 16 and 32 rows of tiles it reaches %.0f, %.0f, %.0f and %.0f TFLOP/s\n", at[b "4_2_1"], at[b "8_2_1"], at[b "16_2_1"], at[b "32_2_1"]
    printf "~ in turns, straight, or column by column: %.0f, %.0f and %.0f TFLOP/s\n", at[b "16_2_1"], at[b "16_2_1_straight"], at[b "16_2_1_columns"]
  }' tuning/h200.txt

awk '
  /, seed / { seed++ }
  seed == 1 && / TFLOP\/s / { at[$NF] = $1; if ($NF ~ /^(sk|dp)_192x256/ && $1 > large) large = $1 }
  END {
    printf "~ Version 6 reaches %.0f TFLOP/s in that run, version 8 %.0f, and with a ring that goes on %.0f\n", at["v6"], at["v8"], at["NEW_v8"]
    printf "~ 192 x 256 come to %.0f at best\n", large
    printf "~ %.0f TFLOP/s instead of %.0f\n", at["NEW_v6"], at["v6"]
  }' tuning/tried.txt
