#!/bin/sh
# tune.sh FOLDER [EDGE]: versions 6 and 7 of lesson 19 with other numbers of stages, other groups of tiles and other waits, each in turns with cublasLt on
# this machine's GPU (LD_LIBRARY_PATH=the toolkit's lib64); what it prints is kept as h200.txt. First build them there:
#     sh lessons/lesson19_gemm_hopper/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook. CODE=compute_90a for the building, and then EDGE=264, try it on the emulator.
set -eu
lesson=lessons/lesson19_gemm_hopper
code=${CODE:-sm_90a}

# Stages, rows of tiles in a group, then perhaps a change of the source.
list() {
  for stages in 2 3 4; do echo "$stages 16"; done
  for group in 2 4 8 32 64; do echo "4 $group"; done
  echo "4 16 no-group-left"
  echo "4 16 fewer-registers"
}

# No group left: sum_tile waits for its newest group, too, and releases its stage at once.
change() {
  case ${1:-} in
  no-group-left) echo '/void sum_tile(/,/^}/{s/wgmma_wait<1>()/wgmma_wait<0>()/;s/if (step > 0) {/{/;s/^            release((i - 1) % STAGES);/release(stage);/;s/^    release((i - 1) % STAGES);//;}' ;;
  fewer-registers) echo 's/registers_give<40>/registers_give<24>/;s/registers_take<232>/registers_take<240>/' ;;
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

echo "# tune.sh ${2:-8192}, $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo no GPU), $(date -u +%Y-%m-%d): bf16"
list | while read -r line; do
  printf '\n--- %s\n' "$line"
  # shellcheck disable=SC2086
  variant=$1/$(name_of $line)
  grep -h 'spill stores' "$variant/log" | grep -v '^ *0 bytes stack frame, 0 bytes spill' || :
  timeout 60 "$variant/sweep" "${2:-8192}" </dev/null || echo "it failed"
done
