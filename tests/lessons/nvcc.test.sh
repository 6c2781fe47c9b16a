#!/bin/sh
# Lesson 23's page shows what nvcc does: its steps, a walk over a kernel as PTX and machine code, counts of instructions, errors with and without
# -use_fast_math, and a project that is built in several ways, and in many wrong ones. Here all of that is done, and compared with the page.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson23_*)
page=$folder/README.md
unmarked "$page" >"$scratch/page"
parts=$PWD/$folder/parts
text=$(tr -d '`' <"$page" | tr -s ' \n' ' ')

# has NAME: each line of the output stands on the page.
has() {
  missing=$(printf '%s\n' "$output" | grep -vxF -e '' -f "$scratch/page" || true)
  if [ "$status" = 0 ] && [ -n "$output" ] && [ -z "$missing" ]; then
    pass "$1"
  else
    no "$1" "these lines are missing:"
    printf '%s\n' "$missing" | sed 's/^/    | /'
  fi
}

# ---- what is read ----

nvdisasm=$(sh tools/toolchain/find_tool.sh nvdisasm "$NVCC" "$TOOLKIT_LIB")
if [ "$CUDA_VERSION" != 13.0 ]; then
  skip "lesson23's page shows steps, PTX and machine code" "it shows those of CUDA 13.0"
else
  capture sh "$folder/reading/steps.sh"
  has "lesson23's page shows the steps of nvcc"
  mkdir "$scratch/kept"
  "$NVCC" -arch=sm_80 --keep --keep-dir "$scratch/kept" -c "$folder/reading/walk.cu" -o "$scratch/kept/walk.o"
  missing=''
  for file in $(printf '%s\n' "$output" | sed 's/.*-> //; s/,//'); do
    [ -f "$scratch/kept/$file" ] || missing="$missing $file"
  done
  if [ -z "$missing" ]; then pass "--keep leaves the files of all steps"; else no "--keep leaves the files of all steps" "not$missing"; fi
  capture sh "$folder/reading/walk.sh" ptx
  has "lesson23's page walks over PTX"
  case $output in *' ?'*) no "each instruction has a note" "$output" ;; *) pass "each instruction has a note" ;; esac
  capture sh "$folder/reading/counts.sh" arithmetic
  has "lesson23's page shows what -use_fast_math computes with"
  lines=$(printf '%s\n' "$output" | sed -n 's/\.ftz//g; s/^    //p' | sed -n '2,$p' | sort -u | wc -l)
  if [ "$lines" = 1 ]; then pass "but for .ftz it makes version 4 of version 2"; else no "but for .ftz it makes version 4 of version 2" "$output"; fi
  if [ -n "$nvdisasm" ]; then
    capture sh "$folder/reading/walk.sh" sass
    has "lesson23's page walks over machine code"
    case $output in *' ?'*) no "each machine instruction has a note" "$output" ;; *) pass "each machine instruction has a note" ;; esac
    capture sh "$folder/reading/counts.sh" table
    has "lesson23's page counts instructions"
  else
    skip "lesson23's page walks over machine code, and counts it" "there is no nvdisasm; make lesson23 sass says how to get it"
  fi
fi

# ---- results ----

# rows AWK-SCRIPT: of two runs, with approximations exact and as wrong as PTX allows: $1 to $7 of the first, and more[name, k] of the second.
two_runs() { # PROGRAM
  SIZE=262144 sh tools/actions/run.sh "$1" >"$scratch/exact" 2>&1
  SIZE=262144 EMULATOR_CHECK=approx sh tools/actions/run.sh "$1" >"$scratch/allowed" 2>&1
}
rows() {
  status=0
  output=$(awk "NF != 7 || !/^silu_kernel[1-5]/ { next } NR == FNR { relative[\$1] = \$2; absolute[\$1] = \$3; next } $1" "$scratch/allowed" "$scratch/exact")
}
sh tests/lessons/built.sh 23 "$scratch/lesson23" >"$scratch/log"
two_runs "$scratch/lesson23"
rows '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, relative[$1], absolute[$1] }'
has "lesson23's page has the errors of all versions"
sh tools/compile/build.sh "$folder/lesson23.cu" "$scratch/fast" -use_fast_math
two_runs "$scratch/fast"
rows '$1 == "silu_kernel2" { printf "| -use_fast_math | %s | %s | %s | %s | %s |\n", $2, relative[$1], $4, $5, $6 }'
has "and those of version 2 with -use_fast_math"

# image CAPABILITY STATUS: the line that says which image was taken, or the error's name.
image() {
  capture env "EMULATOR_CAPABILITY=$1" SIZE=1000 V=2 sh tools/actions/run.sh "$scratch/lesson23"
  expect "lesson23 on compute capability $1" "$2" ''
  status=0 output=$(printf '%s\n' "$output" | sed -n 's/^the device: .*/&/p; s/.*error: *\(cudaErrorNo[A-Za-z]*\).*/\1/p')
  has "the image that is taken on $1"
}
image 9.0 0
image 8.6 0
image 7.0 error

# ---- a project of several files ----

. tools/messages.sh
BACKEND=cpu
. tools/actions/backend.sh
choose_backend
export NO_COLOR=1
unset NVCC_APPEND_FLAGS
images='-gencode arch=compute_75,code=compute_75'
if make -s -C "$parts" NVCC="$NVCC" OUT="$scratch/made" separate static shared >"$scratch/log" 2>&1; then
  for way in separate static shared; do
    capture "$scratch/made/$way"
    expect "lesson23's project runs: $way" 0 '^PASS: 1000 numbers'
  done
else
  no "lesson23's project is built" "$(tail -n 5 "$scratch/log")"
fi
capture make -s -C "$parts" NVCC="$NVCC" OUT="$scratch/made" lto
if [ "$status" != 0 ] && printf '%s\n' "$output" | grep -q 'linker library load error'; then
  skip "lesson23's project with link-time optimization" "this toolkit lacks the library that nvlink needs for it"
else
  expect "lesson23's project with link-time optimization is built" 0 ''
fi
if ! command -v cmake >/dev/null; then
  skip "lesson23's project with CMake" "there is no cmake"
else
  capture sh -c "cmake -S '$parts' -B '$scratch/cmake' -DCMAKE_CUDA_COMPILER='$NVCC' && cmake --build '$scratch/cmake'"
  expect "lesson23's project is built by CMake" 0 'Built target silu'
  capture "$scratch/cmake/silu"
  expect "and runs" 0 '^PASS: 1000 numbers'
fi

# ---- what breaks ----

# breaks NAME WORDS COMMAND...: it fails with these words, which stand on the page.
breaks() {
  name=$1 words=$2
  shift 2
  capture "$@"
  case $(printf '%s\n' "$output" | sed 's/^=*//' | tr -d '`' | tr -s ' \n' ' ') in
  *"$words"*) ;;
  *) no "$name" "it does not say: $words" && show_output && return ;;
  esac
  case $status-$text in
  0-*) no "$name" "it ended with status 0" ;;
  *"$words"*) pass "$name: $words" ;;
  *) no "$name" "the page does not say: $words" ;;
  esac
}
cd "$scratch"
cxx=${HOST_COMPILER:-g++} runtime="-L$TOOLKIT_LIB -lcudart"
set -- made/main.o made/kernels.o made/device.o
breaks "no -dc" "Unresolved extern function '_Z4siluf'" "$NVCC" -arch=sm_80 -c "$parts/kernels.cu" -o whole.o
for file in kernels device; do "$NVCC" $images -c "$parts/$file.cu" -o "whole_$file.o"; done
"$NVCC" -cudart shared $images made/main.o whole_kernels.o whole_device.o -o whole
breaks "no -dc, PTX alone" "function 'silu(float)' is not defined in any PTX of the program" ./whole
breaks "no device link" "undefined reference to __cudaRegisterLinkedBinary_" "$cxx" "$@" $runtime -o broken
"$NVCC" $images -dlink made/kernels.o made/device.o -o link.o
breaks "no libcudadevrt" "_cuda_device_runtime_" "$cxx" "$@" link.o $runtime -o broken
capture "$cxx" "$@" link.o -L"$TOOLKIT_LIB" -lcudadevrt -lcudart -ldl -lpthread -o by_hand
expect "lesson23's project is linked by hand" 0 ''
capture ./by_hand
expect "and that runs, too" 0 '^PASS: 1000 numbers'
"$NVCC" -arch=sm_80 -dc "$parts/kernels.cu" -o kernels.o
breaks "an object is missing in the device link" "nvlink error : Undefined reference to '_Z4siluf'" "$NVCC" -arch=sm_80 -dlink kernels.o -o broken.o
breaks "the library first" "undefined reference to silu_all(float const*, float*, int)'" \
  "$cxx" -Lmade -lsilu made/main.o link.o -L"$TOOLKIT_LIB" -lcudadevrt -lcudart -o broken
breaks "no -fPIC" "recompile with -fPIC" "$NVCC" $images -cudart shared -shared made/kernels.o made/device.o -o broken.so
breaks "no image" "cudaErrorNoKernelImageForDevice" env EMULATOR_CAPABILITY=7.0 ./by_hand
"$NVCC" $images made/main.o -Lmade -lsilu -o own_runtime
if [ -z "$GPU_NAME" ]; then
  breaks "the runtime inside" "link with nvcc -cudart shared" ./own_runtime
fi
breaks "no --extended-lambda" "annotation on lambda requires --extended-lambda nvcc flag" "$NVCC" $images "$parts/lambda.cu" -o lambda
capture "$NVCC" $images -cudart shared --extended-lambda "$parts/lambda.cu" -o lambda
expect "lesson23's lambda is compiled" 0 ''
capture ./lambda
expect "and runs" 0 '^PASS: x\[99\] = 297'
