#!/bin/sh
# make lesson03 profile and view: what the actions print, keep and refuse.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export NO_COLOR=1

capture make lesson03 profile SIZE=1000 BACKEND=cpu
expect "make lesson03 profile, all kernels: a summary" 0 'This is a summary: KERNEL=name shows one kernel'
capture make lesson03 profile KERNEL=relu_kernel4 SIZE=10000 BACKEND=cpu
expect "make lesson03 profile" 0 'Memory Workload Analysis'
capture sh -c 'make lesson03 profile KERNEL=relu_kernel4 SIZE=1000 BACKEND=cpu CSV=1 2>/dev/null | cut -d, -f1 | sort -u | head -n 3'
expect "make lesson03 profile CSV=1: nothing else on stdout" 0 '^"0"$'
capture make lesson03 view KERNEL=relu_kernel4 SIZE=1000 BACKEND=cpu OUT="$scratch/pictures"
expect "make lesson03 view" 0 'pictures/relu_kernel4_line[0-9]+_global_load.svg'
capture make lesson03 view KERNEL=relu_kernel SIZE=4096 BACKEND=cpu OUT="$scratch/pictures"
figures=lessons/lesson03_relu/figures
if cmp -s "$figures/load_float.svg" "$scratch"/pictures/relu_kernel1_line*_global_load.svg &&
  cmp -s "$figures/load_float4.svg" "$scratch"/pictures/relu_kernel4_line*_global_load.svg; then
  pass "the pictures on lesson 03's page are those of make lesson03 view"
else
  no "the pictures on lesson 03's page are those of make lesson03 view" "make lesson03 view KERNEL=relu_kernel SIZE=4096 OUT=folder, and copy them: the lesson or the drawing has changed"
fi
capture make lesson03 view LINE=x
expect "make lesson03 view LINE=x" error 'LINE=x: it is the number of a line'
capture make lesson03 profile BACKEND=gpu
if [ -n "$GPU_NAME" ]; then expect "make lesson03 profile on a GPU" error 'ncu --set full --clock-control none'; else expect "make lesson03 profile on a GPU" error 'no GPU can be used'; fi

rm -f build/lessons/lesson03.profile
capture make lesson03 profile V=1 SIZE=1000 BACKEND=cpu BASE=last
expect "make profile BASE=last, the first time" error 'there is no earlier profile of this program yet'
capture make lesson03 profile V=1 SIZE=4096 BACKEND=cpu OUT="$scratch/relu.profile"
capture make lesson03 profile V=4 SIZE=4096 BACKEND=cpu KERNEL=relu_kernel4
capture make lesson03 profile V=4 SIZE=4096 BACKEND=cpu BASE=last
expect "make profile BASE=last, though one kernel was looked at in between" 0 'Executed Instructions .* better'
capture make lesson03 profile V=4 SIZE=4096 BACKEND=cpu BASE="$scratch/relu.profile"
expect "make profile OUT=file, BASE=file" 0 'relu_kernel4'
capture make lesson03 profile V=4 SIZE=4096 BACKEND=cpu BASE=Makefile
expect "make profile BASE=some other file" error 'BASE=Makefile is not a saved profile'
capture make lesson03 profile V=4 SIZE=4096 BACKEND=cpu BASE=last JSON=1
expect "make profile BASE=last JSON=1" error 'compares as text'
