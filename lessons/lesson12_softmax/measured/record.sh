#!/bin/sh
# record.sh FOLDER [times|sanitizer]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made
# from. First build them there:
#     sh lessons/lesson12_softmax/measured/record.sh build FOLDER
# Both in the root of the workbook. PyTorch is compared with where python3 has it. Without the last word it does both.
set -u
. tools/authoring/measured.sh
here=lessons/lesson12_softmax

# Variants: version 5 with four vectors in each thread, with loads and stores that ask not to be kept in L2, and with stores that say
# what a plain one does; version 9 with blocks known by blockIdx.
four='s/return sizeof(T) == sizeof(float) ? 2 : 4;/return 4;/'
streaming='s/\*(uint4 \*)(row + c) = v.bytes;/__stcs((uint4 *)(row + c), v.bytes);/; s/v.bytes = \*(const uint4 \*)(row + c);/v.bytes = __ldcs((const uint4 *)(row + c));/'
write_back='s/\*(uint4 \*)(row + c) = v.bytes;/__stwb((uint4 *)(row + c), v.bytes);/'
by_index='s/blocks > 1 ? draw_number(number) : blockIdx.x/blockIdx.x/'

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson12 $here/lesson12.cu &
  build "$2" four $here/lesson12.cu "$four" &
  build "$2" streaming $here/lesson12.cu "$streaming" &
  build "$2" write_back $here/lesson12.cu "$write_back" &
  build "$2" by_index $here/lesson12.cu "$by_index" &
  nvcc -O3 -std=c++17 -cudart shared -I. -shared -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $here/measured/library.cu -o "$2/library.so" -ldl &
  cp $here/measured/pytorch.py "$2"
  wait
  exit
fi

cd "$1" || exit 1
if [ "${2:-times}" = sanitizer ]; then
  export SIZE=1025
  sanitize ./lesson12
  export SIZE=20000 V=9
  sanitize ./lesson12
  exit
fi
describe_machine
for seed in 1 2; do
  section "lesson12, SEED=$seed"
  SEED=$seed timeout 60 ./lesson12
done
section "PyTorch, in turns"
timeout 60 python3 pytorch.py ./library.so
for variant in lesson12 four streaming write_back; do
  section "$variant, V=5"
  V=5 SIZE=8192 ROWS=32768 timeout 20 "./$variant"
done
for variant in lesson12 by_index; do
  section "$variant, V=9"
  V=9 SIZE=131072 ROWS=4096 timeout 20 "./$variant"
done

# The first launch that is measured: before it, three shapes are verified at two addresses each.
count_version() { # VERSION COLUMNS ROWS METRIC,METRIC...
  V=$1 SIZE=$2 ROWS=$3 timeout 60 ncu --clock-control none --print-units base --kernel-name regex:^softmax_kernel --launch-skip 6 \
    --launch-count 1 --kill yes --csv --page raw --metrics "$4" ./lesson12 2>&1 | awk -F'","' -v metrics="$4" -v version="$1" '
    BEGIN { wanted_count = split(metrics, wanted, ",") }
    /^==.*(ERROR|error)/ { print }
    /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
    ("Kernel Name" in column) && /^"[0-9]/ {
      for (i = 1; i <= wanted_count; i++) {
        value = $column[wanted[i]]
        gsub(/[",]/, "", value)
        print "softmax_kernel" version, wanted[i], value
      }
    }'
}
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active
metrics=$metrics,launch__registers_per_thread,smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio
section "ncu, 8192 x 8192"
for version in 2 3 4 5; do count_version $version 8192 8192 "$metrics"; done
section "ncu, 512 x 131072"
for version in 3 9; do count_version $version 131072 512 "$metrics"; done
if [ $# = 1 ]; then
  cd "$OLDPWD" && exec sh $here/measured/record.sh "$1" sanitizer
fi
