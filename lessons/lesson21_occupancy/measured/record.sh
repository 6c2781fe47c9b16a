#!/bin/sh
# record.sh FOLDER [times|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from, to be
# kept as h200.txt; with a second word, only that part. First build them there:
#     sh lessons/lesson21_occupancy/measured/record.sh build FOLDER
# Both in the root of the workbook. The copy kernel that the versions are compared with takes turns with them in the program itself.
set -u
. tools/authoring/measured.sh
here=lessons/lesson21_occupancy

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson21 $here/lesson21.cu &
  build "$2" latency $here/measured/latency.cu &
  build "$2" once $here/measured/once.cu &
  for blocks in 3 4 5 6; do
    build "$2" bounds$blocks $here/lesson21.cu "s/__launch_bounds__(SORT_BLOCK, 2)/__launch_bounds__(SORT_BLOCK, $blocks)/" &
  done
  build "$2" large_tile $here/lesson21.cu 's/^enum { TILE = 1024 }/enum { TILE = 4096 }/' &
  nvcc -O3 -std=c++17 -I. -arch=sm_90 -Xptxas -v -cubin -o /dev/null $here/lesson21.cu >"$2/ptxas.txt" 2>&1 &
  wait
  exit
fi

part=${2:-}
cd "$1" || exit 1
describe_machine
if [ "$part" != counts ]; then
  section "ptxas -v"
  cat ptxas.txt
  section "latency"
  timeout 30 ./latency
  for seed in 1 2; do
    section "lesson21, SEED=$seed"
    SEED=$seed timeout 60 ./lesson21
  done
  for blocks in 3 4 5 6; do
    section "bounds of $blocks blocks, V=8"
    V=8 timeout 30 ./bounds$blocks
  done
  for version in 5 6; do
    section "tiles of 4096, V=$version"
    V=$version timeout 30 ./large_tile
  done
fi
[ "$part" != times ] || exit 0
# The launch that verifies, and then one of each row of the first round.
metrics="gpu__time_duration.sum sm__warps_active.avg.pct_of_peak_sustained_active smsp__issue_active.avg.pct_of_peak_sustained_active"
metrics="$metrics gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"
metrics="$metrics launch__registers_per_thread launch__shared_mem_per_block_dynamic launch__occupancy_limit_warps"
metrics="$metrics launch__occupancy_limit_registers launch__occupancy_limit_shared_mem launch__occupancy_limit_blocks"
export V SIZE
SIZE=16777216
for V in 1 2 3 4 5 6 7 8 9; do
  section "ncu, V=$V SIZE=$SIZE"
  count ./lesson21 "_kernel$V" 7 $metrics
done
unset V
for SIZE in 1025 5000; do sanitize ./once; done
