#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First, in the
# root of the workbook, build them there:
#     sh lessons/lesson16_gemm_registers/measured/record.sh build FOLDER
# cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64.
set -u
source=lessons/lesson16_gemm_registers/lesson16.cu

if [ "$1" = build ]; then
  folder=$2
  mkdir -p "$folder"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_90,code=sm_90 "$source" -o "$folder/lesson16" -ldl -lpthread
  exit
fi

cd "$1" || exit 1
section() { printf '\n--- %s\n' "$*"; }
section machine
date -u +%Y-%m-%d
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit --format=csv
for seed in 1 2; do
  section "lesson16, SEED=$seed"
  SEED=$seed timeout 40 ./lesson16
done
for size in 1024 2048 4000; do
  section "lesson16, SIZE=$size V=9"
  SIZE=$size V=9 timeout 40 ./lesson16
done
section "ncu, SIZE=4096"
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,sm__sass_thread_inst_executed_op_ffma_pred_on.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,lts__t_sectors.sum,dram__bytes_read.sum
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active,launch__registers_per_thread
metrics=$metrics,sm__warps_active.avg.per_cycle_active,sm__cycles_elapsed.avg.per_second
for stall in barrier dispatch_stall long_scoreboard short_scoreboard math_pipe_throttle mio_throttle not_selected wait lg_throttle; do
  metrics=$metrics,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done
SIZE=4096 timeout 100 ncu --clock-control none --kernel-name 'regex:sgemm_kernel|xmma' --kernel-id ':::1' --csv --page raw \
  --metrics "$metrics" ./lesson16 | awk -F'","' -v metrics="$metrics" '
    !/^"/ { next }
    { gsub(/^"|"$/, "") }
    $1 == "ID" { # the other columns describe the machine; a row of units follows
      n = split(metrics, wanted, ",")
      for (i = 1; i <= NF; i++) column[$i] = i
      printf "\"Kernel Name\""
      for (i = 1; i <= n; i++) printf ",\"%s\"", wanted[i]
      printf "\n"
    }
    $column["Kernel Name"] ~ /gemm/ {
      printf "\"%s\"", $column["Kernel Name"]
      for (i = 1; i <= n; i++) { value = $column[wanted[i]]; gsub(/,/, "", value); printf ",\"%s\"", value }
      printf "\n"
    }'
for tool in memcheck racecheck synccheck initcheck; do
  section "compute-sanitizer --tool $tool, SIZE=260 and SIZE=256"
  for size in 260 256; do
    SIZE=$size timeout 30 compute-sanitizer --tool $tool --kernel-regex kns=sgemm_kernel --launch-count 9 --error-exitcode 9 ./lesson16 2>&1 |
      grep -e '=========' -e PASS -e FAIL | tail -n 4
  done
done
