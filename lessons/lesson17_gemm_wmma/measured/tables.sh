#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind "~ ", words of its text that quote a number, made from h200.txt (which
# record.sh printed on that machine). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  function trim(s) { gsub(/^ +| +$/, "", s); return s }
  # A timed row: name, type, ms, shortest, "..", longest, TFLOP/s, % of peak, % of cuBLAS. Names have blanks, and numbers two before them.
  function timed(    n, part, words) {
    if ($0 !~ /[0-9] \.\. +[0-9]/) return 0
    n = split($0, part, /  +/)
    name = part[1]; type = part[2]; ms = part[3]
    of_cublas = part[n]; of_peak = part[n - 1]; speed = part[n - 2]
    return 1
  }
  /^--- / { section = substr($0, 5); next }

  # The versions, other types, and the errors, which the emulator prints as well.
  section ~ /^lesson17, SEED/ && timed() {
    seed = substr(section, length(section))
    key = name == "cuBLAS" ? "cuBLAS " type : name
    speeds[seed, key] = speed; shares[seed, key] = of_cublas
    if (seed != 1) next
    if (type == "fp16") printf "| %s | | %s | %.1f | %.1f | %.1f |\n", name, ms, speed, of_peak, of_cublas
    if (type != "fp16" && name == "cuBLAS") printf "| %s | %.1f | %.1f | %.0f |\n", type, speeds[1, type], speed, shares[1, type]
  }
  section ~ /^lesson17, SEED=1/ && /^error/ { wanted = /all, A and B from -1/ || /alone, A and B from 0/ }
  section ~ /^lesson17, SEED=1/ && wanted && $1 ~ /^[0-9]+$/ && NF == 6 { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }

  section ~ /^shapes, SEED=1/ && /^shape / { shape = $2 " | " $3 " | " $4 }
  section ~ /^shapes, SEED=1/ && timed() {
    if (name != "cuBLAS") { own = speed; next }
    printf "| %s | %.1f | %.1f | %.0f |\n", shape, own, speed, 100 * own / speed
    shapes++; logs += log(own / speed)
  }
  section == "rounding" && /as they are/ {
    count = split($0, part, /  +/)
    for (i = 2; i <= count; i++) sub(/.* /, "", part[i])
    printf "| %s | %s | %s | %s |\n", part[1], part[2], part[3], part[4]
  }
  section == "sweep" && timed() && name != "cuBLAS" {
    split(name, part, ", ")
    printf "| %d x %d | %d x %d | %d | %d | %d | %.0f |\n", part[1], part[2], part[4], part[5], part[3], part[6], part[7], speed
  }

  section ~ /^ncu, SIZE/ && /<(int8|tf32),/ && $(NF - 1) == "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum" { other[$2] = $NF / tiles }
  # ncu: KERNEL METRIC NUMBER, and of templates KERNEL<TYPE, shape<...>>.
  section ~ /^ncu, SIZE/ && NF >= 3 {
    kernel = $1 == "void" ? $2 : $1
    sub(/,$/, "", kernel); sub(/<__half>|<fp16>|<fp16$/, "", kernel)
    if (kernel ~ /</) next # other types
    counts[kernel, $(NF - 1)] = $NF
    if (!(kernel in seen)) { seen[kernel] = 1; order[++kernels] = kernel }
  }
  function waits(k, why) { return counts[k, "smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio"] }

  section == "when, ncu" && NF >= 3 {
    metric = $(NF - 1); kernel = $0
    sub(/ [^ ]+ [^ ]+$/, "", kernel); sub(/^void /, "", kernel); sub(/^cutlass::Kernel2</, "", kernel); sub(/[<>].*/, "", kernel)
    if (kernel == "case_kernel") { if (metric == "launch__grid_size") number = $NF; next }
    if (metric == "launch__grid_size") names[number] = names[number] (names[number] ? " + " : "") (length(kernel) > 50 ? substr(kernel, 1, 48) "..." : kernel)
    if (metric ~ /duration/) time[number] += $NF
    if (metric ~ /hmma.sum/) hmma[number] += $NF
    if (metric ~ /hfma2.sum/) hmma[number] -= $NF # half-precision instructions that are no matrix products
    if (metric ~ /gmma.sum/) gmma[number] += $NF
    if (metric ~ /imma.sum/) imma[number] += $NF
  }
  section == "when" && /^case / {
    number = $2 + 0; what = $0; sub(/^case [0-9]+: /, "", what)
    if (sub(/: refused/, "", what)) { printf "| %s | refused | | |\n", what; next }
    printf "| %s | %s | %.3f | `%s` |\n", what, gmma[number] ? "`wgmma`" : hmma[number] || imma[number] ? "`mma`" : "no", time[number] / 1e6, names[number]
  }
  BEGIN { tiles = 4096 * 4096 }
  END {
    for (i = 1; i <= kernels; i++) {
      k = order[i]
      pipe[k] = counts[k, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"]
      from_shared[k] = counts[k, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] / tiles
      executed[k] = counts[k, "smsp__inst_executed.sum"] / tiles
      memory[k] = waits(k, "long_scoreboard") + waits(k, "lg_throttle") + waits(k, "barrier")
      printf "| %s | %.2f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f |\n", k, from_shared[k], executed[k], pipe[k],
        counts[k, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"], memory[k], waits(k, "short_scoreboard") + waits(k, "mio_throttle"),
        waits(k, "math_pipe_throttle")
    }
    g = "gemm_kernel"
    printf "~ Busy all the time, the tensor pipe of version 7 would be %.0f TFLOP/s\n", 100 * speeds[1, g 7] / pipe[g 7]
    printf "~ the H200 counts %.1f wavefronts for int8 and %.1f for TF32\n", other["gemm_kernel8<int8,"], other["gemm_kernel8<tf32,"]
    printf "~ On average over the %d shapes it is %.0f %%\n", shapes, 100 * exp(logs / shapes)
    for (seed = 1; seed <= 2; seed++) share8[seed] = sprintf("%.0f", shares[seed, g 8])
    printf "~ Version 8 is at %s %% of cuBLAS with one seed and %s %% with the other\n", share8[1], share8[2]
    printf "~ Version 8 keeps the pipe busy in %.0f %% of the time.\n", pipe[g 8]
  }' h200.txt
