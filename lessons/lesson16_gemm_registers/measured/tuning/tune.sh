#!/bin/sh
# tune.sh RECORD [questions]: compiles some 600 variants of kernel.cuh for compute capability 9.0, times them on this machine's GPU in
# turns with cuBLAS (LD_LIBRARY_PATH=the toolkit's lib64) and appends rows of data to RECORD: the section "tuning, run 1". That of h200.csv and its
# "tuning, run 2" have 306 variants, most of them of this list.
# With `questions` it takes those alone that the page's questions need, and more runs of each, twice: "questions, run 1" and "questions, run 2".
set -eu
RECORD=$(realpath "$1")
export RECORD
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# Lines of BM BN BK WM WN TM TN STAGES blocks-per-multiprocessor -DMACRO=VALUE...
list() {
  for shape in '128 256 BK 64 64 8 16 ST 1' '128 256 BK 32 128 8 16 ST 1' '256 128 BK 64 64 16 8 ST 1' '256 128 BK 64 64 8 16 ST 1' \
    '128 128 BK 64 64 8 16 ST 2' '128 128 BK 64 64 16 8 ST 2' '64 256 BK 64 64 8 16 ST 2' '128 128 BK 32 64 8 8 ST 2'; do
    for steps in '8 4' '16 3' '32 2'; do
      for order in 0 1 2 3; do
        for how in '0 0 0' '1 0 0' '1 1 0' '0 0 1' '1 0 1' '1 1 1'; do
          # shellcheck disable=SC2086
          set -- $steps $how
          echo "$(echo "$shape" | sed "s/BK/$1/; s/ST/$2/") -DORDER=$order -DPRED=$3 -DSPREAD=$4 -DSYNCW=$5"
        done
      done
    done
  done
  for stages in 2 3 6; do echo "128 256 8 64 64 8 16 $stages 1 -DORDER=3"; done
  for extra in GROUP=4 GROUP=16 GROUP=32 LANES=0; do echo "128 256 16 64 64 8 16 3 1 -DORDER=3 -D$extra"; done
}

# What is the order of the multiply-adds worth, in several shapes? How many buffers? Which blocks at the same time, which lanes?
questions() {
  for order in 0 1 2 3; do
    for shape in '128 256 8 64 64 8 16 4 1' '128 256 16 64 64 8 16 3 1' '256 128 8 64 64 16 8 4 1' '128 128 16 64 64 8 16 3 2' \
      '128 128 32 32 64 8 8 2 2'; do
      echo "$shape -DORDER=$order"
    done
    for stages in 2 3 6; do echo "128 256 8 64 64 8 16 $stages 1 -DORDER=$order"; done
  done
  for extra in GROUP=1 GROUP=4 GROUP=16 GROUP=32 LANES=0; do echo "128 256 8 64 64 8 16 3 1 -DORDER=3 -D$extra"; done
}

compile() { # A LINE OF THE LIST
  # shellcheck disable=SC2086
  set -- $1
  name=$(echo "$*" | sed 's/-DORDER=/o/; s/-DPRED=/p/; s/-DSPREAD=/s/; s/-DSYNCW=/w/; s/-DGROUP=/g/; s/-DLANES=/l/; s/ /_/g')
  sizes="-DP_BM=$1 -DP_BN=$2 -DP_BK=$3 -DP_WM=$4 -DP_WN=$5 -DP_TM=$6 -DP_TN=$7 -DP_ST=$8 -DP_MINB=$9"
  shift 9
  # shellcheck disable=SC2086
  nvcc -O3 -std=c++17 -cubin -arch=sm_90 $sizes "$@" one.cu -o "$build/$name.cubin"
}

if [ "${2:-}" = compile ]; then
  build=$3
  trap - EXIT
  compile "$4"
  exit
fi
name=tuning wanted=list runs=5 rounds=1
if [ "${2:-}" = questions ]; then name=questions wanted=questions runs=21 rounds='1 2'; fi
nvcc -O3 -std=c++17 -cudart shared -gencode arch=compute_90,code=sm_90 sweep.cu -o "$build/sweep" -ldl
$wanted | xargs -d '\n' -P "$(nproc)" -n 1 sh tune.sh "$RECORD" compile "$build"
ls "$build"/*.cubin >"$build/list"
for round in $rounds; do
  RECORD_SECTION="$name, run $round" "$build/sweep" 4096 "$build/list" "$runs"
done
