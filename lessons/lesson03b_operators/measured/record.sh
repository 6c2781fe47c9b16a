#!/bin/sh
# record.sh FOLDER: runs passes.cu, built in FOLDER, on the GPU of this machine and prints what is committed as h200.txt. First build it there:
#     sh lessons/lesson03b_operators/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" passes lessons/lesson03b_operators/passes.cu
  exit
fi

describe_machine
for seed in 1 2; do
  section "passes, SEED=$seed"
  SEED=$seed timeout 30 "$1/passes"
done
section "passes, SIZE=25000000"
SIZE=25000000 timeout 30 "$1/passes"
SIZE=100000 sanitize "$1/passes"
