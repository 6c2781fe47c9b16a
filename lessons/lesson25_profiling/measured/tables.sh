#!/bin/sh
# tables.sh: prints the rows of the page's tables of an H200 and, behind `~`, what its text says of them, made from h200.txt (which record.sh
# printed on that machine). tests/lessons/tables.test.sh looks whether the page has them. The table of both reports has a script of its own,
# side_by_side.sh.
set -eu
cd "$(dirname "$0")"

sh ./advice.sh | awk -F '\t' '
  FILENAME == "-" { estimate[$1] = estimate[$1] " " $2; text[$1, $2] = $3; next }
  { FS = " "; $0 = $0 }
  /^--- / { section = substr($0, 5); next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section ~ /^(lesson25, SEED|loads|pad2)/ && /^(copy kernel|pipeline[0-9]) / {
    shift = ($1 == "copy")
    key = section "/" $1
    ms[key] = $(2 + shift); rate[key] = $(6 + shift); percent[key] = $(8 + shift)
  }
  section ~ /^ncu, pipeline[0-9], SIZE=65536/ && NF == 3 && !(($1, $2) in counter) { counter[$1, $2] = $3 }
  section ~ /^ncu, pipeline1, SIZE=4096/ && NF == 3 { small[$1, $2] = $3 }
  section ~ /^ncu, pipeline6, SIZE=65536/ && NF == 3 { again[$1, $2] = $3 }

  function time(version, seed) { return ms["lesson25, SEED=" (seed ? seed : 1) "/pipeline" version] }
  function us(kernel) { return counter[kernel, "gpu__time_duration.sum"] / 1000 }
  function instructions(kernel) { return counter[kernel, "smsp__inst_executed.sum"] }
  # What issuing takes at least, for all frames of 2^19 samples, in ms: 8 x 8 times these launches, one instruction a clock in each of 528 schedulers.
  function issue(kernel) { return instructions(kernel) * 64 / 528 / 1.98e6 }
  function first(kernel,   n, e) { n = split(estimate[kernel], e, " "); return e[1] == "-" ? e[2] : e[1] }
  function row(v,   key) {
    key = "lesson25, SEED=1/" (v ? "pipeline" v : "copy")
    printf "| %s | %s | %.4g | %.0f | %.1f | %s |\n", v ? "pipeline" v : "copy kernel", v ? "" : "100", ms[key], rate[key], percent[key],
      (v > 1) ? sprintf("%.2f", time(v - 1) - time(v)) : ""
  }
  function kernel_row(k) {
    printf "| %s | %.1f | %.0f | %.0f | %.0f | %.3g | %.1f |\n", k, us(k), counter[k, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"],
      counter[k, "sm__throughput.avg.pct_of_peak_sustained_elapsed"], counter[k, "sm__warps_active.avg.pct_of_peak_sustained_active"],
      instructions(k) / 65536, counter[k, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"]
  }
  function loads(n) { return n == 8 ? time(5) : ms["loads" n ", V=5/pipeline5"] }
  function ladder(   n, each, rest) {
    each = 2 * (loads(1) - loads(2)); rest = loads(1) - each
    for (n = 1; n <= 16; n *= 2) printf "| %d |  | %.2f | %s |\n", n, loads(n), (n < 4) ? "" : sprintf("%.2f", rest + each / n)
    printf "~ %.2f ms + %.2f ms / LOADS\n", rest, each
    printf "~ %.2f ms / 4.19 million = %.2f ns\n", each, each * 1e6 / 4194304
    printf "~ 8192 × %.2f ns = %.1f µs, and ncu measured %.1f\n", each * 1e6 / 4194304, 8192 * each * 1e3 / 4194304, us("energy_kernel5")
    printf "~ 524,288 × %.2f ns = %.2f ms\n", each * 1e6 / 4194304, each / 8
  }
  function both_seeds(v, w) { return sprintf("%.2f and %.2f ms", time(v) - time(w), time(v, 2) - time(w, 2)) }
  END {
    printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy | ms less |\n", machine, date
    for (v = 0; v <= 7; v++) row(v)
    split("scale_kernel1 shape_kernel1 turn_kernel1 energy_kernel1 scale_kernel2 turn_kernel3 shape_kernel4 energy_kernel5 fused_kernel7", k, " ")
    for (i = 1; i <= 9; i++) kernel_row(k[i])
    ladder()
    printf "~ with the other seed %.2f ms\n", time(6, 2) - time(7, 2)
    printf "~ %.2f of %.2f ms\n", time(1) - time(2), time(1)
    printf "~ %.1f times as long as scale_kernel2\n", us("scale_kernel1") / us("scale_kernel2")
    printf "~ The waits took %s\n", both_seeds(5, 6)
    printf "~ the wavefronts took %s\n", both_seeds(2, 3)
    printf "~ Divergence took %s\n", both_seeds(3, 4)
    printf "~ %s wavefronts by 132 multiprocessors, at 1980 MHz, are %.1f µs of its %.1f\n", group(32 * 65536), 32 * 65536 / 132 / 1.98e3, us("turn_kernel1")
    printf "~ %.2f ms for issuing alone\n", issue("fused_kernel7")
    printf "~ %.0f instructions of a warp for 32 samples\n", instructions("fused_kernel7") / 65536
    printf "~ %.0f instructions of a warp became %.0f\n", instructions("shape_kernel1") / 65536, instructions("shape_kernel4") / 65536
    printf "~ %.0f GB/s; ncu saw %.0f\n", 131072 / 530, 65536 * 32 * 4 / us("energy_kernel1") / 1000
    printf "~ %.0f %% shorter\n", 100 - 100 * us("shape_kernel4") / us("shape_kernel1")
    printf "~ %.3f and %.3f ms\n", time(3), ms["pad2, V=3/pipeline3"]
    printf "~ %s sectors of stores where the addresses need %s\n", group(small["scale_kernel1", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]), group(131072)
    printf "~ %s wavefronts where the addresses need %s\n", group(counter["turn_kernel1", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]), group(32 * 65536)
    printf "~ %s conflicts in one run and %s in another\n", group(counter["turn_kernel3", conflicts()]), group(again["turn_kernel3", conflicts()])
    causes()
  }
  function conflicts() { return "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum" }
  function group(n) { return n + 0 < 1000 ? n : group(substr(n, 1, length(n) - 3)) "," substr(n, length(n) - 2) }
  function cause(what, kernel, ours, theirs) { printf "| %s | %s | %s | %s |\n", what, kernel, ours, theirs }
  function quoted(kernel, estimated, from, to,   said) {
    said = text[kernel, estimated]
    if (!match(said, from ".*" to)) return "-"
    return "\"" substr(said, RSTART, RLENGTH) "\"" (estimated == "-" ? "" : ", " estimated " %")
  }
  function causes() {
    cause("not coalesced", "scale_kernel1", "32.0 sectors per request, 4 would do",
      quoted("scale_kernel1", first("scale_kernel1"), "only 4", "per sector"))
    cause("bank conflicts", "turn_kernel1", "32.0 wavefronts per shared load, 1 would do",
      quoted("turn_kernel1", first("turn_kernel1"), "a [0-9.]+ - way", "load requests"))
    cause("divergence", "bend_kernel (exercise)", "threads of one warp go both ways at 100 % of the branches",
      quoted("bend_kernel", first("bend_kernel"), "divergent flow", "in a warp"))
    cause("divergence", "shape_kernel1", "threads of one warp go both ways at 100 % of the branches", text["shape_kernel1", first("shape_kernel1")] ", " first("shape_kernel1") " %")
    cause("too few bytes in flight", "energy_kernel1", "too few bytes in flight",
      quoted("energy_kernel1", "-", "grid is too small", "full waves") "; " quoted("energy_kernel1", first("energy_kernel1"), "20.0 cycles", "dependency on a L1TEX"))
  }' - h200.txt
