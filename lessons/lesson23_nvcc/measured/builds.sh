#!/bin/sh
# builds.sh calls|start|images|nvcc: what record.list measures of programs that a build line cannot make: steps, which append to $RECORD. First, where
# the compiler is, `builds.sh build` makes them in $FOLDER (build/record/23), and notes how long nvcc takes; a step does that if nobody has.
set -u
cd "$(dirname "$0")/../../.." || exit 1
here=lessons/lesson23_nvcc
folder=${FOLDER:-$PWD/build/record/23}
plain="-O3 -lineinfo -std=c++17 -cudart shared -I."
sm90='-gencode arch=compute_90,code=sm_90'

# shellcheck disable=SC2086
compile() { nvcc $plain "$@"; }

# seconds COMMAND...: sets `time`, how long it takes, and `status`.
seconds() {
  begin=$(date +%s%N) status=0
  "$@" >"$folder/seconds.out" 2>&1 || status=$?
  time=$(($(date +%s%N) - begin))
  time=$(printf '%d.%03d' $((time / 1000000000)) $((time / 1000000 % 1000)))
}

# row SECTION ROW COLUMN VALUE UNIT
row() { sh tools/authoring/record_row.sh "$@"; }

# timed NAME VARIABLES PROGRAM: a row with the seconds that it takes with these variables.
timed() {
  # shellcheck disable=SC2086
  seconds timeout 20 env $2 "$folder/$3"
  echo "$1: $time s, status $status"
  [ $status != 0 ] || row "$RECORD_SECTION" "$1" "round $round" "$time" s
}

# ignoring NAME VARIABLES PROGRAM: a row with its exit status, and which image it has taken, or its error.
ignoring() {
  # shellcheck disable=SC2086
  seconds timeout 20 env $2 "$folder/$3"
  echo "$1: $time s, status $status"
  grep -e '^the device: ' -e '^ *error: ' "$folder/seconds.out"
  row "$RECORD_SECTION" "$1" status $status ''
}

# How long nvcc takes for one image, for three, for six, and for six at the same time.
time_builds() {
  images=''
  for arch in 90 80 75 86 89 100; do
    images="$images -gencode arch=compute_$arch,code=sm_$arch"
    case $arch in 90) count='one image' ;; 75) count='three images' ;; 100) count='six images' ;; *) continue ;; esac
    # shellcheck disable=SC2086
    seconds compile $images $here/lesson23.cu -o "$folder/timed" -ldl
    echo "$count:$time"
  done
  # shellcheck disable=SC2086
  seconds compile -t 0 $images $here/lesson23.cu -o "$folder/timed" -ldl
  echo "six images, -t 0:$time"
}

# shellcheck disable=SC2086
build_all() {
  mkdir -p "$folder"
  compile -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 \
    $here/lesson23.cu -o "$folder/jit" -ldl -lpthread
  compile $sm90 -DSAME_FILE $here/measured/calls.cu -o "$folder/calls_same_file" -ldl
  compile $sm90 -rdc=true $here/measured/calls.cu $here/parts/device.cu -o "$folder/calls_separate" -ldl
  compile -gencode arch=compute_90,code=lto_90 -dc $here/measured/calls.cu -o "$folder/calls.o"
  compile -gencode arch=compute_90,code=lto_90 -dc $here/parts/device.cu -o "$folder/device.o"
  nvcc -O3 -cudart shared -dlto -arch=sm_90 "$folder/calls.o" "$folder/device.o" -o "$folder/calls_lto" -ldl
  time_builds >"$folder/build_times.txt"
}

# In turns, so that no way has the warm machine for itself.
calls() {
  for round in 1 2 3; do
    for way in same_file separate lto; do
      RECORD_SECTION="$RECORD_SECTION $way" timeout 20 "$folder/calls_$way" || exit 1
    done
  done
}

# The first launch of a program with PTX alone: an empty cache, a full one, none.
start() {
  for round in 1 2 3; do
    rm -rf "$folder/cache"
    timed "PTX, empty cache" "" jit
    timed "PTX, full cache" "" jit
    timed "PTX, CUDA_CACHE_DISABLE=1" CUDA_CACHE_DISABLE=1 jit
    timed "machine code" "" lesson23
    timed "machine code, CUDA_MODULE_LOADING=EAGER" CUDA_MODULE_LOADING=EAGER lesson23
  done
}

# With a full cache a program of PTX alone has run under CUDA_DISABLE_PTX_JIT=1. What does it do with an empty one, and with none?
images() {
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
}

[ "$1" = build ] || [ -s "$folder/build_times.txt" ] || sh $here/measured/builds.sh build || exit 1
case $1 in
  build) build_all ;;
  calls) calls ;;
  nvcc) while IFS=: read -r name time; do row "$RECORD_SECTION" "$name" s "$time" s; done <"$folder/build_times.txt" ;;
  start | images)
    rows=$RECORD
    export V=2 SIZE=1000 CUDA_CACHE_PATH="$folder/cache"
    row() { RECORD=$rows sh tools/authoring/record_row.sh "$@"; }
    unset RECORD # the programs themselves record nothing
    "$1"
    ;;
  *) echo "builds.sh: $1 is none of build, calls, start, images and nvcc" >&2 && exit 2 ;;
esac
