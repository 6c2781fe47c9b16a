#!/bin/sh
# Lesson 19's version 7 with all bits of an address in wgmma's descriptors: in a cluster they have the block's rank among them, and in blocks
# of rank 1 it becomes a part of the leading distance. An H200 computed wrong columns of C there; the emulator stops, as the last stage's B is
# then looked for beyond the end of shared memory.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson19_*)

mkdir -p "$scratch/lessons/lesson19" "$scratch/emulator"
cp -R common "$scratch/"
cp emulator/emulator.h "$scratch/emulator/"
cp "$folder/lesson19.cu" "$folder/measure.h" "$scratch/lessons/lesson19/"
sed 's|(shared_address(tile) & 0x3FFFF) >> 4|shared_address(tile) >> 4|' common/hopper.h >"$scratch/common/hopper.h"
if cmp -s common/hopper.h "$scratch/common/hopper.h"; then
  no "lesson19 with whole addresses in descriptors" "the text to replace was not found"
  exit 0
fi
sh tools/compile/build.sh "$scratch/lessons/lesson19/lesson19.cu" "$scratch/lesson19" -DWITHOUT_GPU

capture env V=7 SIZE=264 sh tools/actions/run.sh "$scratch/lesson19"
expect "lesson19 with whole addresses in descriptors reads something else in a cluster, and the report names the rank" error \
  "The higher bits of the address are the"
capture env V=6 SIZE=264 sh tools/actions/run.sh "$scratch/lesson19"
expect "without clusters it is right" 0 '^PASS: matrix product'
