#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First, in the
# root of the workbook, build them there:
#     sh lessons/lesson05_warps/measured/record.sh build FOLDER
# One executable holds the PTX that the emulator runs and machine code for compute capability 9.0.
set -u
source=lessons/lesson05_warps/lesson05.cu

build() { # NAME SED-SCRIPT
  sed "$2" "$source" >"$folder/$1.cu"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 \
    -gencode arch=compute_90,code=sm_90 "$folder/$1.cu" -o "$folder/$1" -ldl -lpthread
}

if [ "$1" = build ]; then
  folder=$2
  build lesson05 ''
  build batch8 's/BATCH = 32/BATCH = 8/'
  build batch128 's/BATCH = 32/BATCH = 128/'
  build share128 's/SAMPLES_PER_WARP = 512/SAMPLES_PER_WARP = 128/'
  build share2048 's/SAMPLES_PER_WARP = 512/SAMPLES_PER_WARP = 2048/'
  exit
fi

cd "$1" || exit 1
section() { printf '\n--- %s\n' "$*"; }
section machine
date -u +%Y-%m-%d
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv
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
for tool in memcheck racecheck synccheck initcheck; do
  section "compute-sanitizer --tool $tool, SIZE=1025"
  SIZE=1025 timeout 30 compute-sanitizer --tool $tool --error-exitcode 9 ./lesson05 2>&1 | grep -e '=========' -e PASS -e FAIL | tail -n 4
done
