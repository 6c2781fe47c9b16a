#!/bin/sh
# tune.sh FOLDER: times the variants in sweep.cu on this machine's GPU. It prints what is kept as h200.txt. First build them there, eight
# nvcc at once:
#     sh lessons/lesson13_layernorm/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/tuning.sh
here=lessons/lesson13_layernorm/measured/tuning

if [ "$1" = build ]; then
  mkdir -p "$2"
  for cols in 8192 4096 1024; do
    for bf16 in 0 1; do
      nvcc -O3 -lineinfo -std=c++17 -DCOLS=$cols -DBF16=$bf16 -cudart static -I. -gencode arch=compute_90,code=sm_90 $here/sweep.cu \
        -o "$2/sweep_${cols}_$bf16" -ldl -lpthread &
    done
  done
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for shape in 32768x8192 32768x4096 32768x1024 262144x1024; do
  for bf16 in 0 1; do
    section "sweep, $shape, $([ $bf16 = 1 ] && echo bf16 || echo fp32)"
    timeout 60 "./sweep_${shape#*x}_$bf16" "${shape%x*}"
  done
done
