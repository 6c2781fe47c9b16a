#!/bin/sh
# record.sh OUTPUT: counts with ncu on this machine's GPU what patterns.cu, idioms.cu and the lessons do, and writes
# OUTPUT/*.csv. The *.csv in this folder are what it wrote on an H200 (CUDA 13.0, driver 580, ncu 2025.3.1).
#
# Programs are built with nvcc unless BUILD names a folder that has them already.
set -eu
cd "$(dirname "$0")/../../.."
output=$1 build=${BUILD:-build/counters}
architecture=${ARCHITECTURE:-90}
mkdir -p "$build" "$output"

build_one() { # SOURCE NAME
  [ -x "$build/$2" ] || nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. \
    -gencode "arch=compute_$architecture,code=[compute_$architecture,sm_$architecture]" "$1" -o "$build/$2" -ldl -lpthread
}
for name in patterns idioms; do build_one "tests/emulator/counters/$name.cu" "$name" & done
for source in lessons/lesson*/lesson*.cu; do build_one "$source" "$(basename "$source" .cu)" & done
wait

# What exists differs between chips: the patterns name what we want, ncu says what there is.
accesses='l1tex__t_(requests|sectors)_pipe_lsu_mem_(global|local)_op_(ld|st|red|atom|ldgsts[a-z_]*)
l1tex__data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared(_op_(ld|st|red|atom|ldgsts[a-z_]*))?
l1tex__data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_cmd_[a-z_]*
smsp__inst_executed
smsp__inst_executed_op_(shared|ldsm|ldgsts|global|local)[a-z_]*'
kernels='smsp__thread_inst_executed(_pred_on)?
smsp__inst_executed_op_[a-z_]*
smsp__branch_targets_threads_(uniform|divergent)
smsp__inst_executed_pipe_[a-z0-9_]*
l1tex__t_(requests|sectors)_pipe_tex_mem_[a-z_]*
l1tex__texin_requests[a-z_]*
sm__maximum_warps_per_active_cycle_pct
sm__cta_launched
sm__warps_launched'
ncu --query-metrics --chip gh100 >"$output/metrics.txt" 2>&1 || true
names() { # the metrics that match any of the lines of $1
  echo "$1" | sed 's/^/^/; s/$/$/' >"$build/wanted"
  awk '{ print $1 }' "$output/metrics.txt" | grep -E -f "$build/wanted" | sort -u | sed 's/$/.sum/' | tr '\n' ',' | sed 's/,$//'
}
count() { # NAME OPTIONS... -- PROGRAM
  name=$1
  shift
  ncu --clock-control none --cache-control none -f -o "$build/$name" "$@" >"$output/$name.log" 2>&1 || true
  ncu --import "$build/$name.ncu-rep" --csv --page raw >"$output/$name.csv" 2>>"$output/$name.log" || true
}
sections='--section SourceCounters --section LaunchStats --section Occupancy --section InstructionStats --section WarpStateStats'
few=$(names "$accesses") all=$(names "$accesses
$kernels")
date +%T
count idioms $sections --metrics "$all" "$build/idioms"
date +%T
ncu --import "$build/idioms.ncu-rep" --csv --page source --print-source sass | gzip >"$output/idioms_source.csv.gz" || true
for lesson in "$build"/lesson??; do
  SIZE=10000 count "$(basename "$lesson")" $sections --metrics "$all" --kernel-id ':::1|2|3|4|5|6|7|8' "$lesson"
done
date +%T
count patterns --metrics "$few" "$build/patterns"
date +%T
