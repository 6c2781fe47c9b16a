#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build them there:
#     sh lessons/lesson03_relu/measured/record.sh build FOLDER
# Both in the root of the workbook. With the word strides behind FOLDER it prints strides.txt instead of h200.txt.
set -u
. tools/authoring/measured.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson03 lessons/lesson03_relu/lesson03.cu &
  build "$2" in_flight lessons/lesson03_relu/measured/in_flight.cu &
  build "$2" strides lessons/lesson03_relu/measured/strides.cu &
  wait
  exit
fi

describe_machine
if [ "${2:-}" = strides ]; then
  section strides
  timeout 60 "$1/strides"
  exit
fi
for seed in 1 2; do
  section "lesson03, SEED=$seed"
  SEED=$seed timeout 30 "$1/lesson03"
done
section in_flight
timeout 40 "$1/in_flight"
section "ncu, SIZE=67108864: warps on a multiprocessor, of 64"
SIZE=67108864 count "$1/lesson03" relu_kernel 5 sm__warps_active.avg.per_cycle_active gpu__time_duration.sum launch__registers_per_thread
SIZE=1025 sanitize "$1/lesson03"
