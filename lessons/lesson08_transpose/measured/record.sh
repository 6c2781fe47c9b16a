#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson08_transpose/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. PyTorch is compared with where python3 has it.
set -u
. tools/authoring/measured.sh
here=lessons/lesson08_transpose

# Version 8 with half a warp for 256 bytes of a row, and with loads that leave L1 out.
long_rows='s/across = warp \/ 2 \* 4 + lane \/ 8;/across = warp * 2 + lane \/ 16;/; s/along = warp % 2 \* 32 + lane % 8 \* 4;/along = lane % 16 * 4;/'
without_l1='s/v\[i\] = \*(const float4 \*)(in + (size_t)r \* cols + c);/v[i] = __ldcg((const float4 *)(in + (size_t)r * cols + c));/'

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson08 $here/lesson08.cu &
  build "$2" long_rows $here/lesson08.cu "$long_rows" &
  build "$2" without_l1 $here/lesson08.cu "$without_l1" &
  nvcc -O3 -std=c++17 -cudart shared -I. -shared -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $here/measured/library.cu -o "$2/library.so" -ldl &
  cp $here/measured/pytorch.py "$2"
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson08, SEED=$seed"
  SEED=$seed timeout 90 ./lesson08
done
for variant in long_rows without_l1; do
  section "$variant, V=8"
  V=8 timeout 40 "./$variant"
done
section "PyTorch, in turns with version 10"
timeout 60 python3 pytorch.py ./library.so 10
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active
section "ncu, SIZE=8192"
SIZE=8192
export SIZE
count ./lesson08 transpose_kernel 11 "$(echo $metrics | tr , ' ')"
SIZE=100 sanitize ./lesson08
