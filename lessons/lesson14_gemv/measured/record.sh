#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from, to be kept as
# h200.txt. First build them there:
#     sh lessons/lesson14_gemv/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. PyTorch is compared with where python3 has it. It
# takes two minutes. A second word, `times` or `counts`, has only the one half done: the times, which nothing else may disturb, or what ncu and
# compute-sanitizer say.
set -u
. tools/authoring/measured.sh
here=lessons/lesson14_gemv

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson14 $here/lesson14.cu &
  build "$2" models $here/measured/models.cu &
  nvcc -DPART=40 -O3 -std=c++17 -cudart shared -I. -gencode arch=compute_90,code=sm_90 $here/measured/tuning/sweep.cu -o "$2/order" -ldl &
  nvcc -O3 -std=c++17 -cudart shared -I. -shared -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $here/measured/library.cu -o "$2/library.so" -ldl &
  cp $here/measured/pytorch.py "$2"
  wait
  exit
fi

time_all() {
  describe_machine
  for seed in 1 2; do
    section "lesson14, SEED=$seed"
    SEED=$seed timeout 60 ./lesson14
  done
  for seed in 1 2; do
    section "models, SEED=$seed"
    SEED=$seed timeout 60 ./models
  done
  section order
  timeout 30 ./order 1024x8192 4096x4096 8192x8192 28672x4096 128256x4096
  section "PyTorch, in turns"
  timeout 40 python3 pytorch.py ./library.so
}

count_all() {
  section "ncu, SIZE=8192"
  SIZE=8192
  export SIZE
  count ./lesson14 gemv_kernel 11 gpu__time_duration.sum dram__bytes_read.sum gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed \
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum smsp__inst_executed.sum smsp__issue_active.avg.pct_of_peak_sustained_active \
    sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active \
    launch__registers_per_thread sm__warps_active.avg.pct_of_peak_sustained_active
  # The verifications of each version on three shapes, with what makes their fp16 numbers; not the many launches that are timed.
  SIZE=260 sanitize ./lesson14 --kernel-regex kns=_kernel --launch-count 89
}

cd "$1" || exit 1
case ${2:-all} in
times) time_all ;;
counts) count_all ;;
*)
  time_all
  count_all
  ;;
esac
