#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables and figures are made from.
# First build them there:
#     sh lessons/lesson15_gemm_tiled/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS is found through LD_LIBRARY_PATH. It takes a minute and a half.
# The first launch of each kernel, which ncu counts, has alpha = 1 and beta = 0, as what is timed has.
set -u
. tools/authoring/measured.sh
source=lessons/lesson15_gemm_tiled/lesson15.cu

# Shared memory that nobody uses, so that only some blocks find room on a multiprocessor: of its 228 KB each block takes these bytes,
# its 2048 for the two tiles of 16 x 16, and 1024 of the system's.
reserve() { # BYTES
  echo "s/sgemm_kernel3<TILE><<<grid, block, 0, stream>>>/CUDA_CHECK(cudaFuncSetAttribute(sgemm_kernel3<TILE>, cudaFuncAttributeMaxDynamicSharedMemorySize, $1)); sgemm_kernel3<TILE><<<grid, block, $1, stream>>>/"
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson15 $source &
  build "$2" blocks4 $source "$(reserve 55296)" &
  build "$2" blocks2 $source "$(reserve 113664)" &
  build "$2" blocks1 $source "$(reserve 200000)" &
  turned='s/tile_B\[y\]\[x\] =/tile_B[x][y] =/; s/tile_B\[k\]\[x\]/tile_B[x][k]/'
  build "$2" turned $source "$turned" &
  build "$2" padded $source "$turned; s/tile_B\[TILE\]\[TILE\]/tile_B[TILE][TILE + 1]/" &
  wait
  exit
fi

# ncu's table, a line for each kernel and metric.
flatten() {
  awk -F'","' -v metrics="$metrics,$launch" '
    BEGIN { count = split(metrics, wanted, ",") }
    /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
    ("Kernel Name" in column) && /^"[0-9]/ {
      name = $column["Kernel Name"]
      sub(/^void /, "", name)
      if (name !~ /^sgemm_kernel/) { print "cuBLAS runs " name; name = "cuBLAS" }
      sub(/\(.*/, "", name)
      for (i = 1; i <= count; i++) { value = $column[wanted[i]]; gsub(/[",]/, "", value); print name, wanted[i], value }
    }'
}
metrics='' launch=launch__registers_per_thread,launch__occupancy_limit_blocks,launch__occupancy_limit_registers
launch=$launch,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps,launch__thread_count
add() { for metric; do metrics="$metrics${metrics:+,}$metric"; done; }
add gpu__time_duration.sum smsp__inst_executed.sum dram__bytes_read.sum dram__bytes_write.sum lts__t_sectors_srcunit_tex_op_read.sum
add l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct
add l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
add l1tex__data_pipe_lsu_wavefronts.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
add l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
add smsp__issue_active.avg.pct_of_peak_sustained_active sm__warps_active.avg.pct_of_peak_sustained_active sm__maximum_warps_per_active_cycle_pct
for reason in lg_throttle mio_throttle long_scoreboard short_scoreboard barrier; do
  add smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
count_kernels() { # KERNELS LAUNCHES
  timeout 60 ncu --clock-control none --print-units base --kernel-name "regex:$1" --launch-count "$2" --kill yes --csv \
    --page raw --section LaunchStats --section Occupancy --metrics "$metrics" ./lesson15 >ncu.out 2>&1
  flatten <ncu.out
  grep -i -e error -e fail ncu.out | head -n 3
}

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson15, SEED=$seed"
  SEED=$seed timeout 40 ./lesson15
done
for size in 4095 4097; do
  for version in 2 5; do
    section "ragged, V=$version SIZE=$size"
    V=$version SIZE=$size timeout 30 ./lesson15
  done
done
for blocks in 4 2 1; do
  section "blocks$blocks, V=4 SIZE=4096"
  V=4 SIZE=4096 timeout 30 ./blocks$blocks
done
# The tile of B turned: a column of it lies in one bank. Then the same with a float more in each row.
for variant in turned padded; do
  section "$variant, V=5 SIZE=4096"
  V=5 SIZE=4096 timeout 30 ./$variant
done
section "ncu, SIZE=4096"
export SIZE=4096
count_kernels '^sgemm_kernel' 5
V=5 count_kernels 'cutlass|xmma|ampere|hopper|sm80|sm90' 1
unset SIZE
SIZE=100 sanitize ./lesson15
