#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson08_transpose/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. PyTorch is compared with where python3 has it.
set -u
. tools/authoring/measured.sh
here=lessons/lesson08_transpose

# Version 8 with 8 threads for 128 bytes of a row, where no two lanes meet in a bank; and with loads that tell L2 to fetch 256 bytes.
short_rows='s/across = warp \* 2 + lane \/ 16;/across = warp \/ 2 * 4 + lane \/ 8;/; s/along = lane % 16 \* 4;/along = warp % 2 * 32 + lane % 8 * 4;/'
fetch='float4 v; asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p)); return v;'
fetch_256="s/^#include \"measure.h\"/&\nstatic __device__ float4 load_256(const float *p) { $fetch }/"
fetch_256="$fetch_256; s/v\[i\] = \*(const float4 \*)(in + (size_t)r \* cols + c);/v[i] = load_256(in + (size_t)r * cols + c);/"

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson08 $here/lesson08.cu &
  build "$2" short_rows $here/lesson08.cu "$short_rows" &
  ptx=80 build "$2" fetch_256 $here/lesson08.cu "$fetch_256" &
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
for variant in short_rows fetch_256; do
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
