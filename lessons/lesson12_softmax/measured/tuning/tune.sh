#!/bin/sh
# tune.sh FOLDER first|second: times the candidates of one round of sweep.cu on this machine's GPU and prints what is kept as first.txt or second.txt. First
# build them there:
#     sh lessons/lesson12_softmax/measured/tuning/tune.sh build FOLDER
# Both in the root of the workbook.
set -u
here=lessons/lesson12_softmax/measured/tuning

if [ "$1" = build ]; then
  mkdir -p "$2"
  for type in F32 BF16; do
    for round in first second; do
      long=''
      [ $round = first ] || long=-DSWEEP_LONG
      nvcc -O3 -std=c++17 -cudart shared -split-compile 4 -I. -I$here -arch=sm_90 -DSWEEP_$type $long $here/sweep.cu -o "$2/$round.$type" -ldl &
    done
  done
  wait
  exit
fi

for type in F32 BF16; do
  "$1/$2.$type"
done
