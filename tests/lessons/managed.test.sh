#!/bin/sh
# The programs behind lesson 02's words about managed memory and about late errors build and are right.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1 WARNINGS=error
folder=lessons/lesson02_memory/measured

sh tools/compile/build.sh $folder/managed.cu "$scratch/managed"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/managed"
expect "lesson02's round trips in parts are right, and none is timed on the emulator" 0 '^PASS: scale, the parts of a trip: 2 '
case $output in *' ms'*) no "none of them is timed on the emulator" "a time was printed" && show_output ;; esac
sh tools/compile/build.sh $folder/who_reports.cu "$scratch/who_reports"
capture sh tools/actions/run.sh "$scratch/who_reports" cudaStreamQuery
expect "lesson02's wrong kernel is wrong" 0 '^cudaStreamQuery *cudaErrorIllegalAddress$'
