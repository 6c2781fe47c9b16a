#!/bin/sh
# record.sh FOLDER [times|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from;
# kept as h200.txt. First build them there:
#     sh lessons/lesson18_gemm_mma/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. The times take about 30 seconds, the counts 50.
# tuning/tune.sh has chosen the sizes.
set -u
. tools/authoring/measured.sh
here=lessons/lesson18_gemm_mma

if [ "$1" = build ]; then
  ptx=80
  mkdir -p "$2"
  build "$2" lesson18 $here/lesson18.cu &
  build "$2" shapes $here/measured/shapes.cu &
  wait
  exit
fi

cd "$1" || exit 1
part=${2:-all}
describe_machine
nvidia-smi --query-gpu=power.limit --format=csv,noheader

if [ "$part" != counts ]; then
  for seed in 1 2; do
    section "lesson18, SEED=$seed"
    SEED=$seed timeout 60 ./lesson18
  done
  section "shapes"
  timeout 90 ./shapes
fi

# The first launch of each version is a product of 4096 x 4096. (Version 7 has enough tiles there, and does as version 6, with small ones.)
if [ "$part" != times ]; then
  section "ncu, SIZE=4096"
  export SIZE=4096
  metrics='gpu__time_duration.sum sm__cycles_elapsed.avg.per_second smsp__inst_executed.sum sm__inst_executed_pipe_tensor.sum'
  metrics="$metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active launch__registers_per_thread"
  metrics="$metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
  metrics="$metrics l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
  metrics="$metrics smsp__issue_active.avg.pct_of_peak_sustained_active lts__t_sectors.sum dram__bytes_read.sum"
  for stall in barrier long_scoreboard short_scoreboard math_pipe_throttle mio_throttle wait not_selected; do
    metrics="$metrics smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio"
  done
  # shellcheck disable=SC2086
  count ./lesson18 mma_kernel 8 $metrics
  # shellcheck disable=SC2086
  count ./lesson18 'nvjet|gemm_|cutlass' 1 $metrics
  for size in 264 256; do
    export SIZE=$size
    sanitize ./lesson18 --kernel-regex kns=mma_kernel --launch-count 18
  done
fi
