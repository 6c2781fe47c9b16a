#!/bin/sh
# side_by_side.sh PROFILE.csv: prints the rows of the page's table that has the emulator's report and ncu's next to each other, of turn_kernel1.
# The first column comes from `make lesson25 profile V=1 KERNEL=turn CSV=1`, the second from h200.txt, as soon as record.sh has printed one.
# tests/lessons/causes.test.sh looks whether the page has these rows.
set -eu
profile=$1
cd "$(dirname "$0")"
record=h200.txt
[ -f "$record" ] || record=/dev/null

awk -v record="$record" '
  # The first launch is as good as any: all frames have one size.
  FILENAME != record && /^"0"/ {
    n = split($0, field, /","/)
    if (field[6] == "") { sub(/"$/, "", field[n]); counted[field[8]] = field[n] }
  }
  FILENAME == record && /^--- / { section = $0; next }
  FILENAME == record && section ~ /ncu, pipeline1, SIZE=4096/ && $1 == "turn_kernel1" && !($2 in measured) { measured[$2] = $3 }

  function grouped(v,   out) {
    sub(/\.00$/, "", v) # the profile writes 32.00 where ncu writes 32
    if (v !~ /^[0-9]+$/) return v
    while (length(v) > 3) { out = "," substr(v, length(v) - 2) out; v = substr(v, 1, length(v) - 3) }
    return v out
  }
  function row(section, label, name) {
    printf "| %s | %s | `%s` | %s | %s |\n", section, label, name, name in counted ? grouped(counted[name]) : "cannot know",
      name in measured ? grouped(measured[name]) : record == "/dev/null" ? "not measured yet" : "-"
  }
  END {
    row("Speed Of Light", "duration, ns", "gpu__time_duration.sum")
    row("Speed Of Light", "of the memory system, %", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")
    row("Speed Of Light", "of the arithmetic, %", "sm__throughput.avg.pct_of_peak_sustained_elapsed")
    row("Memory Workload", "requests, global loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
    row("Memory Workload", "sectors, global loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    row("Memory Workload", "sectors, global stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
    row("Memory Workload", "L1 hit rate, %", "l1tex__t_sector_hit_rate.pct")
    row("Memory Workload", "L2 hit rate, %", "lts__t_sector_hit_rate.pct")
    row("Memory Workload", "bytes read from memory", "dram__bytes_read.sum")
    row("Memory Workload", "wavefronts, shared loads", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
    row("Memory Workload", "bank conflicts, shared loads", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
    row("Scheduler", "cycles with an instruction issued, %", "smsp__issue_active.avg.pct_of_peak_sustained_active")
    row("Warp State", "waiting for global memory, cycles", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio")
    row("Warp State", "waiting for shared memory, cycles", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio")
    row("Warp State", "waiting for room in its queue, cycles", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio")
    row("Warp State", "threads of an instruction, not predicated off", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")
    row("Instructions", "executed by warps: PTX here, SASS there", "smsp__inst_executed.sum")
    row("Launch", "registers of a thread", "launch__registers_per_thread")
    row("Occupancy", "theoretical, %", "sm__maximum_warps_per_active_cycle_pct")
    row("Occupancy", "achieved, %", "sm__warps_active.avg.pct_of_peak_sustained_active")
    row("Source", "divergent branches", "smsp__sass_branch_targets_threads_divergent.sum")
  }' "$profile" "$record"
