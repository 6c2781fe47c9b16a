#!/bin/sh
# tune.sh build FOLDER builds the sweep there, and tune.sh FOLDER runs it on the GPU of this machine: what it prints, cut to the fastest and to those
# of which the page speaks, is kept as h200.txt. Both in the root of the workbook. With RECORD=FILE the same is appended to that file as rows of data.
set -u
here=lessons/lesson09_histogram/measured/tuning

if [ "$1" = build ]; then
  mkdir -p "$2"
  compile() { nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -I$here -gencode arch=compute_90,code=sm_90 "$@"; }
  for part in 0 1 2 3 4 5; do
    compile -DPART_OF_LIST=$part -c $here/part.cu -o "$2/part$part.o" &
  done
  compile -c $here/sweep.cu -o "$2/sweep.o" &
  wait
  compile "$2/sweep.o" "$2"/part?.o -o "$2/sweep" -ldl
  exit
fi
for n in 268435456 100000007 16777216; do
  timeout 60 "$1/sweep" $n
done
