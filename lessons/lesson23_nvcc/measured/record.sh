#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from, to be kept as
# h200.txt. First build them there (that also notes how long nvcc takes):
#     sh lessons/lesson23_nvcc/measured/record.sh build FOLDER
# Both in the root of the workbook. About two minutes. A step that fails leaves its words, and the next one follows.
set -u
. tools/authoring/measured.sh
here=lessons/lesson23_nvcc
plain="-O3 -lineinfo -std=c++17 -cudart shared -I."
sm90='-gencode arch=compute_90,code=sm_90'

# seconds COMMAND...: how long it takes, and then its exit status.
seconds() {
  begin=$(date +%s%N)
  "$@" >"$folder/seconds.out" 2>&1
  status=$?
  echo "$(($(date +%s%N) - begin)) $status" | awk '{ printf "%.3f s, status %d\n", $1 / 1e9, $2 }'
}

# ignoring NAME VARIABLES PROGRAM: its time and status with them, which image it has taken, or its error.
ignoring() {
  echo "$1: $(seconds timeout 20 env $2 "$folder/$3")"
  grep -e '^the device: ' -e '^ *error: ' "$folder/seconds.out"
}

# What a program of several files needs, and how long nvcc takes for one image, for three, for six, and for six at the same time.
build_all() {
  build "$folder" lesson23 $here/lesson23.cu
  (export NVCC_APPEND_FLAGS=-use_fast_math && build "$folder" fast $here/lesson23.cu)
  nvcc $plain -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 \
    $here/lesson23.cu -o "$folder/jit" -ldl -lpthread
  nvcc $plain $sm90 -DSAME_FILE $here/measured/calls.cu -o "$folder/calls_same_file" -ldl
  nvcc $plain $sm90 -rdc=true $here/measured/calls.cu $here/parts/device.cu -o "$folder/calls_separate" -ldl
  nvcc $plain -gencode arch=compute_90,code=lto_90 -dc $here/measured/calls.cu -o "$folder/calls.o"
  nvcc $plain -gencode arch=compute_90,code=lto_90 -dc $here/parts/device.cu -o "$folder/device.o"
  nvcc -O3 -cudart shared -dlto -arch=sm_90 "$folder/calls.o" "$folder/device.o" -o "$folder/calls_lto" -ldl
  make -s -C $here/parts IMAGES="$sm90" LTO_ARCH=90 OUT="$folder/parts" separate static shared lto
}
time_builds() {
  images=''
  for arch in 90 80 75 86 89 100; do
    images="$images -gencode arch=compute_$arch,code=sm_$arch"
    case $arch in 90 | 75 | 100) echo "images up to $arch: $(seconds nvcc $plain $images $here/lesson23.cu -o "$folder/timed" -ldl)" ;; esac
  done
  echo "the same with -t 0: $(seconds nvcc $plain -t 0 $images $here/lesson23.cu -o "$folder/timed" -ldl)"
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
  build_all
  time_builds >"$folder/build_times.txt"
  exit
fi
folder=$(cd "$1" && pwd)

describe_machine
nvcc --version | tail -n 1
for seed in 1 2; do
  section "lesson23, SEED=$seed"
  SEED=$seed timeout 20 "$folder/lesson23"
  section "fast, SEED=$seed"
  SEED=$seed timeout 20 "$folder/fast"
done

# What a version waits for: memory is "long scoreboard", another instruction of its own "wait" or "short scoreboard" (special functions).
section "ncu, SIZE=67108864"
SIZE=67108864 count "$folder/lesson23" '^silu_kernel' 5 gpu__time_duration.sum sm__warps_active.avg.per_cycle_active \
  smsp__inst_executed.sum smsp__issue_active.avg.pct_of_peak_sustained_active \
  smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio \
  smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio \
  smsp__average_warps_issue_stalled_wait_per_issue_active.ratio

# In turns, so that no way has the warm machine for itself.
for round in 1 2 3; do
  for way in same_file separate lto; do
    section "calls_$way, round $round"
    timeout 20 "$folder/calls_$way"
  done
done

# The first launch of a program with PTX alone: an empty cache, a full one, none.
section "start of a program, V=2 SIZE=1000"
export V=2 SIZE=1000 CUDA_CACHE_PATH="$folder/cache"
for round in 1 2 3; do
  rm -rf "$folder/cache"
  echo "PTX, empty cache: $(seconds timeout 20 "$folder/jit")"
  echo "PTX, full cache: $(seconds timeout 20 "$folder/jit")"
  echo "PTX, CUDA_CACHE_DISABLE=1: $(CUDA_CACHE_DISABLE=1 seconds timeout 20 "$folder/jit")"
  echo "machine code: $(seconds timeout 20 "$folder/lesson23")"
  echo "machine code, CUDA_MODULE_LOADING=EAGER: $(CUDA_MODULE_LOADING=EAGER seconds timeout 20 "$folder/lesson23")"
done

# With a full cache a program of PTX alone has run under CUDA_DISABLE_PTX_JIT=1. What does it do with an empty one, and with none?
section "images that are ignored, V=2 SIZE=1000"
for round in 1 2 3; do
  rm -rf "$folder/cache"
  ignoring "PTX, CUDA_DISABLE_PTX_JIT=1, empty cache" CUDA_DISABLE_PTX_JIT=1 jit
  "$folder/jit" >/dev/null 2>&1
  ignoring "PTX, CUDA_DISABLE_PTX_JIT=1, full cache" CUDA_DISABLE_PTX_JIT=1 jit
  ignoring "PTX, CUDA_DISABLE_PTX_JIT=1, CUDA_CACHE_DISABLE=1" "CUDA_DISABLE_PTX_JIT=1 CUDA_CACHE_DISABLE=1" jit
  rm -rf "$folder/cache"
  ignoring "machine code, CUDA_FORCE_PTX_JIT=1, empty cache" CUDA_FORCE_PTX_JIT=1 lesson23
  ignoring "machine code, CUDA_FORCE_PTX_JIT=1, full cache" CUDA_FORCE_PTX_JIT=1 lesson23
done
unset V SIZE CUDA_CACHE_PATH

section "the project of three files"
for way in separate static shared lto; do
  echo "$way: $(timeout 20 "$folder/parts/$way" 2>&1)"
done
section "nvcc's time"
cat "$folder/build_times.txt"
section "cuobjdump"
cuobjdump -lelf -lptx "$folder/lesson23"
section "the walk, disassembled here"
sh $here/reading/walk.sh sass
SIZE=1025 sanitize "$folder/lesson23"
