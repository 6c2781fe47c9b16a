#!/bin/sh
# record.sh FOLDER [times|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made
# from, to be kept as h200.txt. First build them there:
#     sh lessons/lesson22_streams/measured/record.sh build FOLDER
# Both in the root of the workbook. A step that fails leaves its message in the record, and the next one is done.
set -u
. tools/authoring/measured.sh
folder=lessons/lesson22_streams
source=$folder/lesson22.cu

# slots_variant FOLDER SLOTS: the program with another number of slots, which a header has.
slots_variant() {
  mkdir -p "$1/slots$2/lessons/lesson22_streams"
  sed "s/SLOTS = 3/SLOTS = $2/" $folder/measure.h >"$1/slots$2/lessons/lesson22_streams/measure.h"
  cp $source "$1/slots$2/lesson22.cu"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I"$1/slots$2" -I. -gencode arch=compute_90,code=sm_90 "$1/slots$2/lesson22.cu" \
    -o "$1/slots$2/lesson22" -ldl -lpthread
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson22 $source &
  build "$2" costs $folder/measured/costs.cu &
  build "$2" priority $folder/measured/priority.cu &
  for slots in 1 2 4 6; do slots_variant "$2" $slots & done
  # Other sizes of a chunk than a 32nd of all.
  for chunks in 4 8 16 64 128; do build "$2" "chunks$chunks" $source "s|measure_versions(versions, first, last, n, options.seed);|time_pipelines(versions, first, last, n, n / $chunks, options.seed);|" & done
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
if [ "${2:-times}" = times ]; then
  for seed in 1 2; do
    section "lesson22, SEED=$seed"
    SEED=$seed timeout 90 ./lesson22
  done
  section costs
  timeout 30 ./costs
  section priority
  timeout 30 ./priority
  for version in 1 2 3 4 6; do
    section "timeline, V=$version"
    TIMELINE=timeline$version.txt V=$version SIZE=8388608 timeout 30 ./lesson22
    cat timeline$version.txt
  done
  for chunks in 4 8 16 64 128; do
    section "chunks $chunks, V=4"
    V=4 timeout 60 ./chunks$chunks
  done
  for slots in 1 2 4 6; do
    section "slots $slots, V=4"
    V=4 timeout 60 ./slots$slots/lesson22
  done
fi
if [ "${2:-counts}" = counts ]; then
  section "nsys, V=4 SIZE=8388608"
  timeout 60 nsys profile --trace=cuda --force-overwrite=true --output=nsys4 sh -c 'V=4 SIZE=8388608 ./lesson22' 2>&1 | tail -n 3
  timeout 60 nsys stats --report cuda_gpu_trace --format csv nsys4.nsys-rep 2>&1 | head -n 60
  section "machine code of spread_kernel11: does it wait?"
  cuobjdump -sass -arch sm_90 -fun '_Z15spread_kernel11PKjPji' lesson22 2>&1 | grep -E 'ACQBULK|PREEXIT|Function' || cuobjdump -sass -arch sm_90 lesson22 | grep -E 'ACQBULK|PREEXIT'
  SIZE=1025 sanitize ./lesson22
fi
