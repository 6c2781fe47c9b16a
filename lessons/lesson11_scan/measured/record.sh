#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson11_scan/measured/record.sh build FOLDER
# Both in the root of the workbook. PyTorch is compared with where python3 has it. `record.sh FOLDER times` and `record.sh FOLDER counts` do one
# half each: ncu's counters and compute-sanitizer's reports do not need a GPU of their own.
set -u
. tools/authoring/measured.sh
here=lessons/lesson11_scan
ints='s/^typedef float element;/typedef int element;/'
by_number='/scan_kernel9(const/,/^}/s/words, ticket);/words, NULL);/'
more='as_it_is stages1 stages3 by_number block1024'

# What each of the others changes.
change() {
  case $1 in
  stages*) echo "s/STAGES = 2/STAGES = ${1#stages}/" ;;
  as_it_is) ;;
  by_number) echo "$by_number" ;;
  block1024) echo 's/BLOCK = 512/BLOCK = 1024/; s/ROWS = 8/ROWS = 4/' ;;
  esac
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson11 $here/lesson11.cu &
  build "$2" ints $here/lesson11.cu "$ints" &
  for other in $more; do build "$2" "$other" $here/lesson11.cu "$(change "$other")" & done
  for type in floats ints; do
    [ $type = ints ] && script=$ints || script=''
    mkdir -p "$2/$type.folder/measured"
    sed "$script" $here/lesson11.cu >"$2/$type.folder/lesson11.cu"
    cp $here/measured/library.cu "$2/$type.folder/measured"
    nvcc -O3 -std=c++17 -cudart shared -I$here -shared -Xcompiler -fPIC -DWITHOUT_GPU -gencode arch=compute_90,code=sm_90 \
      "$2/$type.folder/measured/library.cu" -o "$2/$type.so" -ldl &
  done
  cp $here/measured/pytorch.py "$2"
  wait
  exit
fi

cd "$1" || exit 1
if [ "${2:-times}" = times ]; then
  describe_machine
  section "lesson11, SEED=1"
  SEED=1 timeout 60 ./lesson11
  for version in 9 10; do
    section "lesson11, SEED=2 V=$version"
    SEED=2 V=$version timeout 30 ./lesson11
    for seed in 1 2; do
      section "ints, SEED=$seed V=$version"
      SEED=$seed V=$version timeout 30 ./ints
    done
  done
  for other in $more; do
    section "$other, V=9 SIZE=67108864"
    V=9 SIZE=67108864 timeout 30 ./$other
  done
  section "PyTorch, in turns with versions 9 and 10"
  timeout 60 python3 pytorch.py ./floats.so ./ints.so 9 10
fi
if [ "${2:-counts}" = counts ]; then
  section "ncu, SIZE=67108864"
  SIZE=67108864 count ./lesson11 '^(scan_kernel|tile_sums|sums_kernel|add_kernel|DeviceScanKernel)' 26 gpu__time_duration.sum \
    dram__bytes_read.sum dram__bytes_write.sum gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed smsp__inst_executed.sum \
    smsp__issue_active.avg.pct_of_peak_sustained_active sm__warps_active.avg.pct_of_peak_sustained_active \
    launch__registers_per_thread launch__grid_size l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum \
    l1tex__data_pipe_lsu_wavefronts_mem_shared.sum \
    smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio \
    smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  SIZE=100003 sanitize ./lesson11
  for version in 9 10; do
    section "compute-sanitizer --tool memcheck, ints, V=$version SIZE=100003"
    V=$version SIZE=100003 timeout 60 compute-sanitizer --tool memcheck ./ints 2>&1 | grep -e '=========' -e ^PASS -e ^FAIL | head -n 12
  done
fi
