#!/bin/sh
# tune.sh OUTPUT [EDGE [RUNS]]: compiles the variants below from lesson18.cu and times them on this machine's GPU in turns with cuBLAS
# (LD_LIBRARY_PATH=the toolkit's lib64). Run it in the root of the workbook. ARCH=compute_80 and EDGE=256 try it on the emulator.
set -eu
here=lessons/lesson18_gemm_mma/measured/tuning
output=$1 edge=${2:-8192} runs=${3:-9}
arch=${ARCH:-sm_90}

# Version, then BM BN BK WM WN STAGES GROUP SPREAD BLOCKS, then perhaps a change of the source. At most 23 of version 6 are larger than 128 x 128.
list() {
  for shape in '128,256' '256,128'; do
    for how in '64,64,64,4,16,1' '64,64,64,4,16,4' '64,64,64,3,16,4' '32,64,64,3,16,2' '32,64,64,5,16,1' '32,64,64,5,16,2' '32,64,64,6,16,2' \
      '32,64,64,8,16,2'; do
      echo "6 $shape,$how,1"
    done
  done
  for group in 4 8 32; do echo "6 128,256,32,64,64,6,$group,2,1"; done
  for order in straight columns halves; do echo "6 128,256,32,64,64,6,16,2,1 $order"; done
  for how in '128,128,64,64,64,3,8,3,2' '128,128,64,64,32,4,8,3,1'; do
    for version in 6 7 8; do echo "$version $how"; done
  done
}

# The order of the multiply-adds in a warp's tile: rows in turns (as in lesson18.cu), straight, or columns in turns. Halves: half of a
# part's multiply-adds before the barrier and the next fragments, half of them behind.
change() {
  case ${1:-} in
  straight) echo 's/i % 2 ? S - 1 - s : s;/s;/' ;;
  columns) echo '/^static __device__ void multiply/,/^}/{s/int i = from; i < to; i++/int j = 0; j < S; j++/;s/int s = 0; s < S; s++/int s = 0; s < R; s++/;s/int j = i % 2 ? S - 1 - s : s;/int i = j % 2 ? R - 1 - s : s;/;}' ;;
  halves) echo '/for (int step = begin/,/^    }/s/^            ask_for(k);/& multiply(sum, a[k % 2], b[k % 2], 0, T::R \/ 2);/;s/multiply(sum, a\[k % 2\], b\[k % 2\]);/multiply(sum, a[k % 2], b[k % 2], T::R \/ 2, T::R);/' ;;
  esac
}

compile() { # A LINE OF THE LIST
  # shellcheck disable=SC2086
  set -- $1
  name=$1_$(echo "$2" | tr , _)${3:+_$3}
  mkdir -p "$build/$name"
  sed '/^\/\/ -* the launchers/,$d' lessons/lesson18_gemm_mma/lesson18.cu >"$build/$name/whole.cuh"
  sed "$(change "${3:-}")" "$build/$name/whole.cuh" >"$build/$name/device.cuh"
  if [ -n "${3:-}" ] && cmp -s "$build/$name/whole.cuh" "$build/$name/device.cuh"; then
    echo "tune.sh: $3 changes nothing" >&2
    return 1
  fi
  printf '#define VERSION %s\n#define SIZES %s\n#define NAME "%s"\n' "$1" "$2" "$name" >"$build/$name/which.h"
  nvcc -O3 -std=c++17 -cudart shared -Ilessons/lesson18_gemm_mma -I"$build/$name" -gencode "arch=compute_${arch#*_},code=$arch" -Xptxas -v -c $here/one.cu -o "$build/$name.o" 2>"$build/$name.log" || {
    cat "$build/$name.log" >&2
    return 1
  }
}

if [ "${edge}" = compile ]; then
  build=$3
  compile "$4" || true
  exit
fi
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
nvcc -O3 -std=c++17 -cudart shared -I. -gencode "arch=compute_${arch#*_},code=$arch" -c $here/sweep.cu -o "$build/sweep.o" &
list | ARCH=$arch xargs -d '\n' -P "$(nproc)" -n 1 sh $here/tune.sh "$output" compile "$build"
wait
nvcc -cudart shared "$build"/*.o -o "$build/sweep" -ldl
{
  echo "# tune.sh $edge $runs, $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo no GPU), $(date -u +%Y-%m-%d): bf16"
  for log in "$build"/*.log; do
    name=$(basename "$log" .log)
    awk -v name="$name" '/mma_kernel.I5Sizes/ && /Compiling/ { on = 1 } on && /Used/ { for (i = 1; i < NF; i++) if ($i == "Used") registers = $(i + 1); on = 0 }
      /spill/ { for (i = 1; i < NF; i++) if ($(i + 2) == "spill" && $(i + 3) ~ /stores/) spilled = spilled > $i ? spilled : $i }
      END { print "registers", registers, "spilled", spilled + 0, name }' "$log"
  done
  "$build/sweep" "$edge" "$runs"
} >"$output" 2>&1
