#!/bin/sh
# tune.sh FOLDER: times the kernels in kernels.cuh on this machine's GPU, for float and for int. It prints what is kept as h200.txt. First build
# them there:
#     sh lessons/lesson11b_lookback/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/tuning.sh
here=lessons/lesson11b_lookback/measured/tuning
sm90='-gencode arch=compute_90,code=sm_90'

if [ "$1" = build ]; then
  mkdir -p "$2"
  for type in float int; do
    for family in 0 1 2 3 4 5 6; do
      nvcc -O3 -std=c++17 -cudart static $sm90 -DFAMILY=$family -DTYPE=$type -c $here/family.cu -o "$2/$type$family.o" &
    done
    nvcc -O3 -std=c++17 -cudart static $sm90 -DTYPE=$type -c $here/sweep.cu -o "$2/$type.o" &
  done
  wait
  for type in float int; do
    nvcc -cudart static $sm90 "$2/$type.o" "$2/$type"[0-6].o -o "$2/sweep_$type" -ldl -lpthread -lrt
  done
  exit
fi

cd "$1" || exit 1
describe_machine
for type in float int; do
  section "sweep $type"
  timeout 100 ./sweep_$type
done
