#!/bin/sh
# record.sh FOLDER: runs the program in FOLDER on the GPU of this machine and prints what the page's tables are made
# from, to be kept as h200.txt. First build it there:
#     sh lessons/lesson19_gemm_hopper/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson19 lessons/lesson19_gemm_hopper/lesson19.cu
  exit
fi

describe_machine
for seed in 1 2; do
  section "lesson19, SEED=$seed"
  SEED=$seed timeout 30 "$1/lesson19"
done
SIZE=1025 sanitize "$1/lesson19"
