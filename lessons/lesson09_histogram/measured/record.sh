#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from, to be kept as
# h200.txt. First build them there:
#     sh lessons/lesson09_histogram/measured/record.sh build FOLDER
# Both in the root of the workbook. Behind that come what ncu counts and what compute-sanitizer finds:
#     sh lessons/lesson09_histogram/measured/record.sh counts FOLDER
#     sh lessons/lesson09_histogram/measured/record.sh sanitize FOLDER
set -u
. tools/authoring/measured.sh
here=lessons/lesson09_histogram

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson09 $here/lesson09.cu &
  build "$2" four_ones $here/lesson09.cu '/histogram_kernel5(const/,/^}/s/atomicAdd(&bins\[first\], 4);/one(first), one(first), one(first), one(first);/' &
  build "$2" small_blocks $here/lesson09.cu 's/BLOCK = 1024/BLOCK = 256/; s/BLOCKS_THAT_FIT = 2/BLOCKS_THAT_FIT = 8/' &
  wait
  exit
fi
if [ "$1" = sanitize ]; then
  SIZE=1025 sanitize "$2/lesson09"
  exit
fi

# counted_by_ncu NUMBER: of versions 2 to 10 that launch. The program times each 24 times on uniform bytes, then on one value.
counted_by_ncu() {
  timeout 60 ncu --clock-control none --print-units base --kernel-id "::regex:^histogram_kernel:$1" --csv --page raw \
    --metrics "$metrics" ./lesson09 2>&1 | awk -F'","' -v metrics="$metrics" '
      BEGIN { wanted_count = split(metrics, wanted, ",") }
      /^==.*(ERROR|error)/ { print }
      /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
      ("Kernel Name" in column) && /^"[0-9]/ {
        name = $column["Kernel Name"]
        sub(/\(.*/, "", name)
        for (i = 1; i <= wanted_count; i++) {
          value = $column[wanted[i]]
          gsub(/[",]/, "", value)
          print name, wanted[i], value
        }
      }'
}
if [ "$1" = counts ]; then
  cd "$2" || exit 1
  metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__inst_executed_op_shared_atom.sum,lts__t_sectors_srcunit_tex_op_red.sum
  metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
  metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,dram__throughput.avg.pct_of_peak_sustained_elapsed
  export SIZE=67108864
  section "ncu, SIZE=$SIZE, uniform"
  counted_by_ncu 1
  section "ncu, SIZE=$SIZE, one value"
  counted_by_ncu 25
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson09, SEED=$seed"
  SEED=$seed timeout 40 ./lesson09
done
section "lesson09, V=1 SIZE=268435456"
V=1 SIZE=268435456 timeout 40 ./lesson09
for version in 3 5; do
  variant=small_blocks
  [ $version = 3 ] || variant=four_ones
  section "$variant, V=$version SIZE=268435456"
  V=$version SIZE=268435456 timeout 20 ./$variant
done
