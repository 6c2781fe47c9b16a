#!/bin/sh
# record.sh FOLDER: runs the program in FOLDER on the GPU of this machine and prints what the page's table is made from. First build it there:
#     sh lessons/lesson01_threads/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson01 lessons/lesson01_threads/lesson01.cu
  exit
fi

describe_machine
for seed in 1 2; do
  section "lesson01, SEED=$seed"
  SEED=$seed timeout 30 "$1/lesson01"
done
SIZE=1025 sanitize "$1/lesson01"
