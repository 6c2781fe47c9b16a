#!/bin/sh
# record.sh FOLDER [times|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from; with
# a second word, only that part. First build them there:
#     sh lessons/lesson13_layernorm/measured/record.sh build FOLDER
# Both in the root of the workbook. PyTorch is compared with where python3 has it.
set -u
. tools/authoring/measured.sh
here=lessons/lesson13_layernorm

# Loads and stores with the hint that nobody will want the data again.
loads_cs='s/? from\[\(.*\)\] : none/? __ldcs(\&from[\1]) : none/'
stores_cs='s/^\( *\)\(to\[p\]\) = \(pack(.*)\);/\1__stcs(\&\2, \3);/; s/^\( *\)\(dx\[threadIdx.x + k \* T\]\) = \(pack(.*)\);/\1__stcs(\&\2, \3);/'

if [ "$1" = build ]; then
  mkdir -p "$2"
  ptx=80 build "$2" lesson13 $here/lesson13.cu &
  ptx=80 build "$2" once $here/measured/once.cu &
  ptx=80 build "$2" loads_cs $here/lesson13.cu "$loads_cs" &
  ptx=80 build "$2" stores_cs $here/lesson13.cu "$stores_cs" &
  ptx=80 build "$2" stages1 $here/lesson13.cu 's/STAGES = 2/STAGES = 1/' &
  ptx=80 build "$2" stages3 $here/lesson13.cu 's/STAGES = 2/STAGES = 3/' &
  nvcc -O3 -std=c++17 -cudart shared -I. -shared -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $here/measured/library.cu -o "$2/library.so" -ldl &
  cp $here/measured/pytorch.py "$2"
  wait
  exit
fi

part=${2:-}
cd "$1" || exit 1
describe_machine
if [ "$part" != counts ]; then
  for seed in 1 2; do
    section "lesson13, SEED=$seed"
    SEED=$seed timeout 60 ./lesson13
  done
  section "PyTorch, in turns"
  timeout 60 python3 pytorch.py ./library.so
  for variant in loads_cs stores_cs; do
    section "$variant, V=5 SIZE=8192"
    V=5 SIZE=8192 timeout 30 "./$variant"
  done
  for variant in stores_cs stages1 stages3; do
    section "$variant, V=13 SIZE=8192"
    V=13 SIZE=8192 timeout 30 "./$variant"
  done
fi
[ "$part" != times ] || exit 0
section "ncu: 8192 x 8192, float, then bf16"
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_red.sum
metrics=$metrics,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.pct_of_peak_sustained_active
metrics=$metrics,launch__registers_per_thread,launch__grid_size,launch__block_size
count ./once '(norm|add|backward|columns|partials)_?[a-z]*_?kernel' 40 "$(echo $metrics | tr , ' ')"
V=3
export V SIZE
for SIZE in 1000 1024 8192; do sanitize ./once; done
