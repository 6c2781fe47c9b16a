#!/bin/sh
# Lesson 22: its pictures are what the program writes, its page shows what it prints, and the programs that its record needs run.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1 TIMEOUT=60
folder=lessons/lesson22_streams

sh tests/lessons/built.sh 22 "$scratch/lesson22" >"$scratch/log"
for source in $folder/measured/costs.cu $folder/measured/priority.cu; do
  sh tools/compile/build.sh "$source" "$scratch/$(basename "$source" .cu)" -DWITHOUT_GPU
done

for version in 2 3 4 6; do
  capture env V=$version TIMELINE="$scratch/order.txt" sh tools/actions/run.sh "$scratch/lesson22"
  if cmp -s "$scratch/order.txt" $folder/figures/pipeline$version.txt; then
    pass "the picture of pipeline$version is what the program writes"
  else
    no "the picture of pipeline$version is what the program writes" "run: TIMELINE=$folder/figures/pipeline$version.txt make lesson22 run V=$version"
  fi
done
for name in costs priority; do
  capture sh tools/actions/run.sh "$scratch/$name"
  expect "measured/$name.cu verifies what it measures" 0 'PASS'
done
# Times, as a GPU would write them: the same script draws them.
printf 'title pipeline4\nunit ms\nin 0 0 0 0.21\nrun 0 1 0.22 0.5\nout 0 2 0.5 0.71\n' >"$scratch/times.txt"
capture sh $folder/timeline.sh "$scratch/times.txt"
expect "timeline.sh draws times" 0 '0.71 ms'
