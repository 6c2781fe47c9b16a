#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson06_shuffles/measured/record.sh build FOLDER
# Both in the root of the workbook. `record.sh FOLDER more_rows` runs that program alone.
set -u
. tools/authoring/measured.sh
source=lessons/lesson06_shuffles/lesson06.cu

# The mistakes that the page speaks of.
in_the_if='/^static __global__ void scan_kernel5/,/^}/{
  /int before = __shfl_up_sync/d
  s/sum += lane >= step ? before : 0;/if (lane >= step) { sum += __shfl_up_sync(ALL_LANES, sum, step); }/
}'
early_exit='/^static __global__ void above_kernel2/,/^}/s/^    int value = i < n ? x\[i\] : 0, sum = value;/    if (i >= n) { return; }\n&/'
short_mask='/^static __global__ void above_kernel3/,/^}/s/ALL_LANES/0xffff/'
no_condition='/^static __global__ void scan_kernel5/,/^}/s/lane >= step ? before : 0/before/'

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson06 $source &
  build "$2" few $source 's/return value > 0;/return value > 899;/' &
  build "$2" most $source 's/return value > 0;/return value > -900;/' &
  for rows in 4 8 32; do build "$2" "rows$rows" $source "s/ROWS = 16/ROWS = $rows/" & done
  build "$2" more_rows lessons/lesson06_shuffles/measured/more_rows.cu &
  build "$2" in_the_if $source "$in_the_if" &
  build "$2" early_exit $source "$early_exit" &
  build "$2" short_mask $source "$short_mask" &
  build "$2" no_condition $source "$no_condition" &
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "more_rows, SEED=$seed"
  SEED=$seed timeout 60 ./more_rows
done
[ "${2:-}" != more_rows ] || exit 0
for seed in 1 2; do
  section "lesson06, SEED=$seed"
  SEED=$seed timeout 60 ./lesson06
done
section "lesson06, SIZE=1000003"
SIZE=1000003 timeout 40 ./lesson06
for variant in few most; do
  for version in 9 10 11 12; do
    section "$variant, V=$version SIZE=67108864"
    V=$version SIZE=67108864 timeout 40 ./$variant
  done
done
for variant in rows4 rows8 rows32; do
  section "$variant, V=12 SIZE=67108864"
  V=12 SIZE=67108864 timeout 40 ./$variant
done
section "ncu, SIZE=16777216: the first launch of each kernel"
SIZE=16777216 count ./lesson06 '^(above|scan|segment|group|keep)_kernel' 12 smsp__inst_executed.sum \
  smsp__thread_inst_executed_per_inst_executed.ratio smsp__issue_active.avg.pct_of_peak_sustained_active gpu__time_duration.sum \
  dram__throughput.avg.pct_of_peak_sustained_elapsed l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum \
  l1tex__data_pipe_lsu_wavefronts.sum smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio \
  smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio
# Does the compiler collect a warp's atomics by itself? How does reduce look?
for kernel in keep_kernel9 above_kernel4 group_kernel8; do
  section "machine code of $kernel, without addresses"
  cuobjdump -sass -arch sm_90 lesson06 | awk -v kernel="$kernel" '
    /Function :/ { inside = index($0, kernel) > 0 }
    inside && match($0, /\*\/ +[@!A-Z0-9.]+.*;/) { text = substr($0, RSTART + 2, RLENGTH - 2); gsub(/  +/, " ", text); print text }' |
    grep -v NOP | head -n 70
done
SIZE=1025 sanitize ./lesson06
for mistake in 'in_the_if 5' 'early_exit 2' 'short_mask 3' 'no_condition 5'; do
  set -- $mistake
  section "mistake $1, V=$2 SIZE=40"
  V=$2 SIZE=40 timeout 20 ./$1 2>&1 | tail -n 12
  section "mistake $1, V=$2 SIZE=40: compute-sanitizer --tool synccheck"
  V=$2 SIZE=40 timeout 60 compute-sanitizer --tool synccheck ./$1 2>&1 | grep -e '=========' -e ^PASS -e ^FAIL | head -n 12
done
