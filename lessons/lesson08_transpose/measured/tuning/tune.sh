#!/bin/sh
# tune.sh FOLDER: times the variants in sweep.cu on this machine's GPU, and asks ncu what one of them does in each order of the blocks. It prints
# what is kept as h200.txt. First build them there:
#     sh lessons/lesson08_transpose/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/tuning.sh
here=lessons/lesson08_transpose/measured/tuning

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart static -I. -gencode arch=compute_90,code=sm_90 $here/sweep.cu -o "$2/sweep" -ldl -lpthread
  exit
fi

cd "$1" || exit 1
describe_machine
section sweep
LIST=${LIST:-2} timeout 200 ./sweep
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
metrics=$metrics,lts__t_sector_hit_rate.pct,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,l1tex__throughput.avg.pct_of_peak_sustained_elapsed,smsp__issue_active.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__warps_active.avg.pct_of_peak_sustained_active
for only in 'word  64x64  t512  L4 S4 align0  ld0' 'copy kernel'; do
  section "ncu, 16384 x 16384, $only: orders 1, -1, -2, -4, -8, -16, each with 0, 2, 3, 4, 6 blocks at most in a multiprocessor"
  ONLY=$only timeout 60 ncu --clock-control none --print-units base --kernel-name 'regex:aligned_kernel|bench_copy' --launch-count 30 --csv --page raw \
    --metrics "$metrics" ./sweep 16384 16384 | awk -F'","' -v metrics="$metrics" '
    BEGIN { wanted_count = split(metrics, wanted, ",") }
    /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
    /^"[0-9]/ {
      line = $1
      for (i = 1; i <= wanted_count; i++) {
        value = $column[wanted[i]]
        gsub(/[",]/, "", value)
        line = line " " wanted[i] "=" value
      }
      gsub(/"/, "", line)
      print line
    }'
done
