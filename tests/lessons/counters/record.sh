#!/bin/sh
# record.sh OUTPUT: counts with ncu on this machine's GPU what the lessons' kernels do, and writes OUTPUT/lessons.csv. The one in this folder is
# from an H200 (CUDA 13.0, driver 580, ncu 2025.3.1). Programs are built with nvcc unless BUILD names a folder that has them already.
set -eu
cd "$(dirname "$0")/../../.."
output=$1
build=${BUILD:-build/counters}
architecture=${ARCHITECTURE:-90}
mkdir -p "$build" "$output"
. emulator/tests/counters/metrics.sh

for source in lessons/lesson*/lesson*.cu; do
  program=$build/$(basename "$source" .cu)
  [ -x "$program" ] || nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. \
    -gencode "arch=compute_$architecture,code=[compute_$architecture,sm_$architecture]" "$source" -o "$program" -ldl -lpthread &
done
wait

header "$metrics,$launch_metrics" >"$output/lessons.csv"
for lesson in "$build"/lesson?? "$build"/lesson??[a-z]; do # of each kernel (also of a template: by its whole name) the first launch and the fourth
  number=${lesson##*lesson}
  SIZE=$(sh tests/lessons/sizes.sh "$number" counted) count "$metrics" --section LaunchStats --section Occupancy \
    --kernel-name-base demangled --kernel-id ':::1|4' "$lesson" >"$lesson.raw"
  compact "$metrics,$launch_metrics" /dev/null "\"$(basename "$lesson")\"," <"$lesson.raw" >>"$output/lessons.csv"
done
sed -i -E -e 's/^name,/lesson,name,/' -e '/^"lesson[0-9]*[a-z]*","(void )?(cub::|scan::|select::|cublas|cutlass::|transpose_readWrite|sm[0-9]+_xmma)/d' "$output/lessons.csv" # not ours
