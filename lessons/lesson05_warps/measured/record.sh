#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson05_warps/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh
source=lessons/lesson05_warps/lesson05.cu

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson05 $source &
  build "$2" batch8 $source 's/BATCH = 32/BATCH = 8/' &
  build "$2" batch128 $source 's/BATCH = 32/BATCH = 128/' &
  build "$2" share128 $source 's/SAMPLES_PER_WARP = 512/SAMPLES_PER_WARP = 128/' &
  build "$2" share2048 $source 's/SAMPLES_PER_WARP = 512/SAMPLES_PER_WARP = 2048/' &
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson05, SEED=$seed"
  SEED=$seed timeout 20 ./lesson05
done
for variant in batch8 batch128 share128 share2048; do
  for version in 4 5; do
    case $variant-$version in share*-4) continue ;; esac
    section "$variant, V=$version SIZE=8388608"
    V=$version SIZE=8388608 timeout 20 ./$variant
  done
done
section "ncu, SIZE=1048576: warps' instructions, threads in each"
SIZE=1048576 timeout 40 ncu --clock-control none --kernel-name 'regex:shape|echo' --launch-count 7 --csv --page raw --metrics \
  smsp__inst_executed.sum,smsp__thread_inst_executed_per_inst_executed.ratio,smsp__inst_executed_op_branch.sum,smsp__sass_branch_targets_threads_divergent.sum,smsp__issue_active.avg.pct_of_peak_sustained_active,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,gpu__time_duration.sum \
  ./lesson05 | grep '^"'
SIZE=1025 sanitize ./lesson05
