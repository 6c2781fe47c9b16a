#!/bin/sh
# record.sh FOLDER [times|counts|checks|tuning]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are
# made from; with a second word, only that part (tuning is in no other way). First build them there:
#     sh lessons/lesson17_gemm_wmma/measured/record.sh build FOLDER [tuning]
# Both in the root of the workbook. SEEDS='1 2' says which seeds. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64.
set -u
. tools/authoring/measured.sh
here=lessons/lesson17_gemm_wmma

if [ "$1" = build ]; then
  ptx=80
  mkdir -p "$2"
  build "$2" lesson17 $here/lesson17.cu &
  for program in shapes when rounding; do build "$2" $program $here/measured/$program.cu & done
  if [ "${3:-}" = tuning ]; then
    nvcc -O3 -std=c++17 -cudart shared -I. -I$here -gencode arch=compute_90,code=sm_90 $here/measured/tuning/sweep.cu -o "$2/sweep" \
      -ldl -lpthread &
  fi
  wait
  exit
fi

part=${2:-} seeds=${SEEDS:-1 2}
cd "$1" || exit 1
describe_machine
if [ "$part" = tuning ]; then
  section sweep
  timeout 60 ./sweep 4096
  exit
fi
if [ "${part:-times}" = times ]; then
  for seed in $seeds; do
    section "lesson17, SEED=$seed"
    SEED=$seed timeout 60 ./lesson17
  done
  for seed in $seeds; do
    section "shapes, SEED=$seed"
    SEED=$seed timeout 60 ./shapes 1024x1024x1024 2048x2048x2048 3072x3072x3072 4096x4096x4096 6144x6144x6144 8192x8192x8192 \
      4000x4000x4000 4001x4001x4001 8192x8192x1024 256x8192x8192
  done
  section rounding
  timeout 60 ./rounding
fi
if [ "${part:-counts}" = counts ]; then
  section "ncu, SIZE=4096"
  metrics='gpu__time_duration.sum smsp__inst_executed.sum sm__inst_executed_pipe_tensor_op_hmma.sum sm__inst_executed_pipe_tensor_op_imma.sum'
  metrics="$metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"
  metrics="$metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
  metrics="$metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
  metrics="$metrics l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active smsp__issue_active.avg.pct_of_peak_sustained_active"
  metrics="$metrics lts__t_sectors_op_read.sum dram__bytes_read.sum launch__registers_per_thread sm__warps_active.avg.per_cycle_active"
  for stall in barrier long_scoreboard short_scoreboard mio_throttle math_pipe_throttle lg_throttle wait not_selected; do
    metrics="$metrics smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio"
  done
  # The first launch of each version has alpha = 1 and beta = 0, as what is timed has.
  # shellcheck disable=SC2086
  SIZE=4096 count ./lesson17 gemm_kernel 12 $metrics
  section "when, ncu"
  count ./when '.*' 200 launch__grid_size gpu__time_duration.sum sm__inst_executed_pipe_tensor_op_hmma.sum sm__inst_executed_pipe_tensor_op_gmma.sum \
    sm__inst_executed_pipe_tensor_op_imma.sum sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum
  section when
  timeout 30 ./when
fi
if [ "${part:-checks}" = checks ]; then
  for SIZE in 260 256; do
    export SIZE
    sanitize ./lesson17 --kernel-regex kns=gemm_kernel --launch-count 24
  done
fi
