#!/bin/sh
# record.sh FOLDER [times|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from, to be
# kept as h200.txt. First build them there:
#     sh lessons/lesson25_profiling/measured/record.sh build FOLDER
# Both in the root of the workbook. A step that fails is said, and the next one goes on.
set -u
. tools/authoring/measured.sh
folder=lessons/lesson25_profiling
source=$folder/lesson25.cu

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson25 $source &
  for loads in 1 2 4 16; do build "$2" "loads$loads" $source "s/enum { LOADS = 8 }/enum { LOADS = $loads }/" & done
  build "$2" pad2 $source 's/tile\[TILE\]\[TILE + 1\]/tile[TILE][TILE + 2]/' &
  build "$2" given $folder/measured/given.cu &
  wait
  exit
fi

programs=$(cd "$1" && pwd) part=${2:-all}

# What versions take, next to a copy of as many bytes, in turns; then variants of version 5 and of version 3; then the grader's limits.
# (h200.txt was edited by hand once, as its first lines say.)
record_times() {
  for seed in 1 2; do
    section "lesson25, SEED=$seed"
    SEED=$seed timeout 60 "$programs/lesson25"
  done
  for loads in 1 2 4 16; do
    section "loads$loads, V=5"
    V=5 timeout 40 "$programs/loads$loads"
  done
  section "pad2, V=3"
  V=3 timeout 40 "$programs/pad2"
  for file in solutions/lesson25_profiling/solution.cu $folder/exercise.cu solutions/lesson25_profiling/other/*.cu; do
    [ -f "$file" ] || continue
    section "the grader on the GPU, $file"
    BACKEND=gpu timeout 120 tools/grading/run 25 "$file" 2>&1 | grep -e copies -e VERDICT -e failed
  done
}

metrics=gpu__time_duration.sum,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__throughput.avg.pct_of_peak_sustained_elapsed,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
metrics=$metrics,smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio
metrics=$metrics,smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio
metrics=$metrics,smsp__thread_inst_executed_pred_on_per_inst_executed.ratio,smsp__inst_executed.sum,launch__registers_per_thread
metrics=$metrics,sm__maximum_warps_per_active_cycle_pct,sm__warps_active.avg.pct_of_peak_sustained_active
metrics=$metrics,smsp__sass_branch_targets_threads_divergent.sum

# ncu's advice, with the section that it stands under: the causes are to be among the first three of each kernel (advice.sh). The GPU's clocks are
# left alone, as in all that is measured here.
advice() { # PROGRAM KERNEL
  timeout 60 ncu --clock-control none --set full --import-source no --kernel-name "regex:^$2" --launch-count 1 --kill yes --page details "$1" 2>&1 |
    awk '/^ *(Section:|OPT|INF|WRN) / { told = 1 } /^ *Section: / { print; told = 0 } !NF || /^ *---/ { told = 0 } told'
}

record_counts() {
  export ONE_SIZE=1
  export V=1 SIZE=4096
  section "ncu, pipeline1, SIZE=4096: what the page has side by side"
  for kernel in scale_kernel1 shape_kernel1 turn_kernel1 energy_kernel1; do count "$programs/lesson25" "^$kernel" 1 "$metrics"; done
  SIZE=65536
  for V in 1 4 6 7; do
    section "ncu, pipeline$V, SIZE=65536"
    count "$programs/lesson25" '^(scale|shape|turn|energy|fused)_kernel' 4 "$metrics"
  done
  V=1
  for kernel in scale_kernel1 shape_kernel1 turn_kernel1 energy_kernel1; do
    section "ncu's rules, $kernel, SIZE=65536"
    advice "$programs/lesson25" $kernel
  done
  for kernel in center_kernel running_kernel bend_kernel peaks_kernel; do
    section "ncu's rules, the exercise as it is given, $kernel"
    advice "$programs/given" $kernel
  done
  if command -v nsys >/dev/null; then
    for V in 1 5 6; do
      section "nsys, pipeline$V, SIZE=65536"
      timeout 60 nsys profile --force-overwrite true -o "$programs/pipeline$V" --trace=cuda,nvtx "$programs/lesson25" >/dev/null 2>&1
      timeout 60 nsys stats --force-export true --report cuda_api_sum,cuda_gpu_kern_sum,nvtx_sum "$programs/pipeline$V.nsys-rep" 2>&1 |
        cut -c1-150 | head -n 60
    done
  else
    section "nsys is not here"
  fi
  unset V ONE_SIZE
  SIZE=1025 sanitize "$programs/lesson25"
}

describe_machine
[ "$part" = counts ] || record_times
[ "$part" = times ] || record_counts
