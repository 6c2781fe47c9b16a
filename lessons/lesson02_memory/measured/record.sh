#!/bin/sh
# record.sh FOLDER: runs the program in FOLDER on the GPU of this machine and prints what the page's table is made from. First build it there:
#     sh lessons/lesson02_memory/measured/record.sh build FOLDER
# Both in the root of the workbook. With the word managed behind FOLDER it prints managed.txt instead of h200.txt.
set -u
. tools/authoring/measured.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson02 lessons/lesson02_memory/lesson02.cu
  build "$2" who_reports lessons/lesson02_memory/measured/who_reports.cu
  build "$2" managed lessons/lesson02_memory/measured/managed.cu
  exit
fi

describe_machine
if [ "${2:-}" = managed ]; then
  section managed
  timeout 60 "$1/managed"
  exit
fi
for seed in 1 2; do
  section "lesson02, SEED=$seed"
  SEED=$seed timeout 30 "$1/lesson02"
done
section who_reports
for call in launch cudaMalloc cudaMemcpyAsync cudaStreamQuery cudaFree cudaGetLastError; do
  timeout 30 "$1/who_reports" $call
done
SIZE=1025 sanitize "$1/lesson02"
