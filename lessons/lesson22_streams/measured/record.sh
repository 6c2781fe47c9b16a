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
  mkdir -p "$1/slots$2"
  sed "s/SLOTS = 3/SLOTS = $2/" $folder/measure.h >"$1/slots$2/measure.h"
  cp $source "$1/slots$2/lesson22.cu"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I$folder -gencode arch=compute_90,code=sm_90 "$1/slots$2/lesson22.cu" \
    -o "$1/slots$2/lesson22" -ldl -lpthread
}

# check_versions TOOL: a version after the other, so that one that takes too long is known. (racecheck looks at shared memory and synccheck at
# barriers; these kernels have neither.)
check_versions() {
  section "compute-sanitizer --tool $1, SIZE=1025"
  for version in 1 2 3 4 5 6 7 8 9 10 11; do
    status=0
    V=$version SIZE=1025 timeout 10 compute-sanitizer --tool "$1" --error-exitcode 9 ./verify >"$1.log" 2>&1 || status=$?
    if [ $status = 124 ]; then echo "V=$version: not done after 10 s"; else echo "V=$version: $(grep -e 'ERROR SUMMARY' -e '^PASS' -e '^FAIL' "$1.log" | tr '\n' ' ')"; fi
  done
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson22 $source &
  build "$2" costs $folder/measured/costs.cu &
  build "$2" priority $folder/measured/priority.cu &
  for slots in 1 2 4 6; do slots_variant "$2" $slots & done
  # For compute-sanitizer: it verifies and measures nothing. (With times for 1025 ints none of its tools ended within 60 s.)
  build "$2" verify $source 's|if (n > 0 .. verify_tally()->failures == 0)|if (false)|' &
  # Version 5 from a pool that keeps its memory when the CPU waits.
  keep='uint64_t all = UINT64_MAX; cudaMemPool_t pool; CUDA_CHECK(cudaDeviceGetDefaultMemPool(\&pool, 0));'
  keep="$keep CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, \&all));"
  build "$2" keep $source "s|^    device_print_backend();|    device_print_backend(); $keep|" &
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
  section "slots 4, V=3"
  V=3 timeout 60 ./slots4/lesson22
  section "a pool that keeps its memory, V=5"
  V=5 timeout 60 ./keep
fi
if [ "${2:-counts}" = counts ]; then
  section "nsys, V=4 SIZE=8388608"
  if command -v nsys >/dev/null; then
    timeout 60 nsys profile --trace=cuda --force-overwrite=true --output=nsys4 sh -c 'V=4 SIZE=8388608 ./lesson22' 2>&1 | tail -n 3
    timeout 60 nsys stats --report cuda_gpu_trace --format csv nsys4.nsys-rep 2>&1 | head -n 60
  else
    echo "nsys is not here"
  fi
  # The executable has a second image, without kernels, of which cuobjdump says that the function is not in it: that warning is left out.
  section "machine code of spread_kernel11: does it wait?"
  cuobjdump -sass -arch sm_90 -fun _Z15spread_kernel11PKjPji lesson22 2>/dev/null | grep -E 'ACQBULK|PREEXIT|Function'
  for tool in memcheck initcheck; do check_versions $tool >$tool.txt & done
  wait
  cat memcheck.txt initcheck.txt
fi
