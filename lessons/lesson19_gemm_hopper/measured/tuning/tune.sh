#!/bin/sh
# tune.sh FOLDER [SHAPE...]: versions 6 and 7 of lesson 19 with other numbers of stages, other groups of tiles and other waits, each in turns with cublasLt on
# this machine's GPU (LD_LIBRARY_PATH=the toolkit's lib64); what it prints is kept as h200.txt. First build them there:
#     sh lessons/lesson19_gemm_hopper/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook. CODE=compute_90a for the building, and then the shape 264x264x264, try it on the emulator.
set -eu
lesson=lessons/lesson19_gemm_hopper
code=${CODE:-sm_90a}

# Stages, rows of tiles in a group, then perhaps a change of the source.
list() {
  for stages in 3 4; do echo "$stages 16"; done
  for group in 4 8 32; do echo "4 $group"; done
  for change in no-group-left stores-first not-unrolled; do echo "4 16 $change"; done
}

# No group left: sum_step waits for its newest group, too, and releases its stage at once. Stores first: a tile leaves before the next one is multiplied.
change() {
  case ${1:-} in
  no-group-left) echo '/void sum_step(/,/^}/{s/wgmma_wait<1>()/wgmma_wait<0>()/;s/if (!first) {/{/;s/(s, i - 1)/(s, i)/;};/void sum_end(/,/^}/s/release.*//' ;;
  stores-first) echo '/void sum_while_storing(/,/^}/{s/^#pragma unroll$/if (store) { _Pragma("unroll") for (int part = 0; part < PARTS; part++) { store_box(w.C[threadIdx.x \/ WARPGROUP - 1], map, leaving, part); } } _Pragma("unroll")/;s/if (store) {$/if (false) {/;}' ;;
  not-unrolled) echo 's/^    for (int step = PARTS;/_Pragma("unroll 1") &/' ;;
  esac
}

name_of() { echo "$*" | tr ' ' _; }

compile() { # FOLDER STAGES GROUP [CHANGE]
  mkdir -p "$1"
  sed "$(change "${4:-}")" $lesson/lesson19.cu >"$1/lesson19.cu"
  if [ -n "${4:-}" ] && cmp -s "$1/lesson19.cu" $lesson/lesson19.cu; then
    echo "tune.sh: $4 changes nothing" >&2
    return 1
  fi
  nvcc -O3 -std=c++17 -cudart shared -I"$1" -I. -I$lesson -DSTAGES="$2" -DGROUP="$3" -gencode "arch=compute_90a,code=$code" -Xptxas -v \
    $lesson/measured/tuning/sweep.cu -o "$1/sweep" -ldl 2>"$1/log" || cat "$1/log" >&2
}

if [ "$1" = build ]; then
  list | {
    while read -r line; do
      # shellcheck disable=SC2086
      compile "$2/$(name_of $line)" $line &
    done
    wait
  }
  exit
fi

folder=$1
shift
[ $# -gt 0 ] || set -- 8192x8192x8192 16384x4096x1024
echo "# tune.sh, $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo no GPU), $(date -u +%Y-%m-%d): bf16"
for shape; do
  list | while read -r line; do
    printf '\n--- %s, %s\n' "$shape" "$line"
    # shellcheck disable=SC2086
    variant=$folder/$(name_of $line)
    grep -h 'spill stores' "$variant/log" | grep -v '^ *0 bytes stack frame, 0 bytes spill' || :
    # shellcheck disable=SC2046
    timeout 60 "$variant/sweep" $(echo "$shape" | tr x ' ') </dev/null || echo "it failed"
  done
done
