#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables and the ladder are made
# from. First build them there:
#     sh lessons/lesson10_reduction/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh
source=lessons/lesson10_reduction/lesson10.cu

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson10 $source &
  for loads in 1 2 4 16; do build "$2" "loads$loads" $source "s/LOADS = 8/LOADS = $loads/" & done
  for blocks in 1 8 32 128; do build "$2" "blocks$blocks" $source "s/BLOCKS_PER_SM = 4/BLOCKS_PER_SM = $blocks/" & done
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson10, SEED=$seed"
  SEED=$seed timeout 40 ./lesson10
done
# ncu's table of everything, cut to the columns that were asked for.
columns() { # METRICS
  awk -F'","' -v metrics="Kernel Name,Grid Size,$1" '
    BEGIN { n = split(metrics, wanted, ",") }
    /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } head = 1; gsub(/,/, "|", metrics); print metrics; next }
    head && /^"[0-9]/ {
      line = ""
      for (i = 1; i <= n; i++) { value = $column[wanted[i]]; gsub(/["]/, "", value); line = line (i > 1 ? "|" : "") value }
      print line
    }'
}
count_launches() { # WHICH-LAUNCHES METRICS
  timeout 60 ncu --clock-control none $1 --csv --page raw --metrics "$2" ./lesson10 | columns "$2"
}
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.pct_of_peak_sustained_active
metrics=$metrics,smsp__inst_executed.sum,smsp__sass_branch_targets_threads_divergent.sum,launch__registers_per_thread
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
stalls=''
for reason in barrier long_scoreboard short_scoreboard wait; do
  stalls=$stalls${stalls:+,}smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
export SIZE=16777216
section "ncu, SIZE=16777216: the first launch of each kernel"
count_launches '--kernel-name regex:^sum_kernel --kernel-id :::1' "$metrics"
section "ncu, SIZE=16777216: why warps wait, for each instruction issued"
count_launches '--kernel-name regex:^sum_kernel --kernel-id :::1' "$stalls"
export SIZE=1048576
section "ncu, SIZE=1048576: CUB's kernels and ours"
for V in 10 11; do
  export V
  count_launches '--kernel-name regex:Reduce|sum_kernel1. --launch-count 4' gpu__time_duration.sum,launch__registers_per_thread
done
unset V
unset SIZE
SIZE=1025 sanitize ./lesson10
for variant in loads1 loads2 loads4 loads16 blocks1 blocks8 blocks32 blocks128; do
  section "$variant, V=10 SIZE=268435456"
  V=10 SIZE=268435456 timeout 30 ./$variant
done
