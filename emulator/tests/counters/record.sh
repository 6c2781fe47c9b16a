#!/bin/sh
# record.sh OUTPUT [WHAT...]: counts with ncu on this machine's GPU what patterns.cu, textures.cu and idioms.cu do, and writes
# OUTPUT/patterns.csv, textures.csv and idioms.csv. Those in this folder are from an H200 (CUDA 13.0, driver 580, ncu 2025.3.1).
#
# WHAT is patterns, patterns:N (from launch number N on: ncu needs two minutes for all of them), textures, tensor (on compute capability 9.0),
# or idioms; all but tensor by default.
# Programs are built with nvcc unless BUILD names a folder that has them already.
set -eu
cd "$(dirname "$0")/../.."
output=$1
shift
[ $# -gt 0 ] || set -- patterns textures idioms
build=${BUILD:-build/counters}
architecture=${ARCHITECTURE:-90}
mkdir -p "$build" "$output"

build_one() { # SOURCE NAME
  [ -x "$build/$2" ] || nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. \
    -gencode "arch=compute_$architecture,code=[compute_$architecture,sm_$architecture]" "$1" -o "$build/$2" -ldl -lpthread
}
for name in patterns textures idioms; do build_one "tests/counters/$name.cu" "$name" & done
[ "$architecture" != 90 ] || (architecture=90a && build_one tests/counters/tensor.cu tensor) &
wait

. tests/counters/metrics.sh

for what; do
  case $what in
  patterns*)
    first=${what#patterns}
    "$build/patterns" ${first#:} >"$build/patterns.names"
    header "$pattern_metrics" >"$output/patterns.csv"
    count "$pattern_metrics" "$build/patterns" ${first#:} >"$build/patterns.raw"
    compact "$pattern_metrics" "$build/patterns.names" '' <"$build/patterns.raw" >>"$output/patterns.csv"
    ;;
  textures)
    "$build/textures" >"$build/textures.names"
    header "$texture_metrics" >"$output/textures.csv"
    count "$texture_metrics" "$build/textures" >"$build/textures.raw"
    compact "$texture_metrics" "$build/textures.names" '' <"$build/textures.raw" >>"$output/textures.csv"
    ;;
  tensor)
    tensor_metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum
    for kind in ld st; do
      tensor_metrics=$tensor_metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$kind.sum
      tensor_metrics=$tensor_metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$kind.sum
    done
    "$build/tensor" >"$build/tensor.names"
    header "$tensor_metrics" >"$output/tensor.csv"
    count "$tensor_metrics" "$build/tensor" >"$build/tensor.raw"
    compact "$tensor_metrics" "$build/tensor.names" '' <"$build/tensor.raw" >>"$output/tensor.csv"
    ;;
  idioms)
    "$build/idioms" >"$build/idioms.names"
    header "$metrics,$launch_metrics" >"$output/idioms.csv"
    count "$metrics" --section LaunchStats --section Occupancy "$build/idioms" >"$build/idioms.raw"
    compact "$metrics,$launch_metrics" "$build/idioms.names" '' <"$build/idioms.raw" >>"$output/idioms.csv"
    ;;
  esac
  date "+$what %T" >&2
done
