#!/bin/sh
# What the driver API answers: tests/driver/*.c print their own lines. They link libcuda.so.1, as a program for a GPU does.
# EMULATOR_DIR=folder tests another build of the emulator.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

here=tests/driver
emulator=${LD_LIBRARY_PATH%%:*}

# compile_device OUTPUT SOURCE FLAGS...
compile_device() {
  output_file=$1 source=$2
  shift 2
  capture "$NVCC" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} -Wno-deprecated-gpu-targets "$@" -o "$output_file" "$here/$source"
  [ "$status" = 0 ] || { no "$source" "does not compile" && show_output; }
}

# compile_host NAME LIBRARIES...: they are found where the emulator is.
compile_host() {
  compiled=$1
  shift
  capture gcc -std=c11 -Wall -Wextra -Werror -I"$toolkit_headers" -o "$scratch/$compiled" "$here/$compiled.c" "$emulator/libcuda.so.1" "$@"
  [ "$status" = 0 ] || { no "$compiled.c" "does not compile" && show_output; }
}

where=driver libraries=$LD_LIBRARY_PATH
# run NAME ARGUMENTS...: its lines get its name.
run() {
  name=$1
  shift
  status=0
  LD_LIBRARY_PATH=$libraries timeout 60 "$scratch/$name" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  titled "$where/$name" "$scratch/out"
  [ "$status" -le 1 ] || no "$where/$name ends" "ended with status $status: $(tail -n 1 "$scratch/err")"
}

says() { # NAME WORDS
  if grep -qF -- "$2" "$scratch/err"; then
    pass "$1"
  else
    no "$1" "it does not say '$2'"
    head -n 20 "$scratch/err" | sed 's/^/    | /'
  fi
}

is_silent_about() { # NAME WORDS
  if grep -qF -- "$2" "$scratch/err"; then
    no "$1" "it says '$2'"
  else
    pass "$1"
  fi
}

compile_device "$scratch/kernels.ptx" kernels.cu -arch=compute_75 -lineinfo -ptx
compile_device "$scratch/kernels.fatbin" kernels.cu -gencode arch=compute_75,code=compute_75 -fatbin
compile_device "$scratch/plain.fatbin" kernels.cu -gencode arch=compute_75,code=compute_75 -fatbin --no-compress
compile_device "$scratch/kernels.cubin" kernels.cu -arch=sm_90 -lineinfo -cubin
compile_device "$scratch/bare.cubin" kernels.cu -arch=sm_90 -cubin
compile_device "$scratch/a.ptx" linked_a.cu -arch=compute_75 -rdc=true -ptx
compile_device "$scratch/b.ptx" linked_b.cu -arch=compute_75 -rdc=true -ptx
compile_device "$scratch/arrays.ptx" arrays.cu -arch=compute_75 -lineinfo -ptx

compile_host contexts "$emulator/libcudart.so"
compile_host arrays "$emulator/libcudart.so"
for program in modules memory managed batches logs virtual_memory unmapped streams graphs link entry_points wrong; do
  compile_host "$program"
done

run_all() {
  run modules "$scratch/kernels.ptx" "$scratch/kernels.fatbin" "$scratch/kernels.cubin"
  run modules "$scratch/kernels.ptx" "$scratch/plain.fatbin" "$scratch/kernels.cubin"
  run memory
  run managed
  run batches
  run logs
  run virtual_memory "$scratch/kernels.ptx"
  for what in hole across none read-only unmapped new; do
    run unmapped "$scratch/kernels.ptx" "$what"
  done
  run arrays "$scratch/arrays.ptx"
  run streams "$scratch/kernels.ptx"
  run graphs "$scratch/kernels.ptx"
  run link "$scratch/a.ptx" "$scratch/b.ptx"
  run entry_points
}

run contexts
is_silent_about "a context's end frees nothing twice" "API call to cuCtxDestroy"
run_all

# The same executables with NVIDIA's driver: what they expect of the emulator is what a GPU answers.
case " $GPU_ARCHS " in
*' 90 '*)
  where='on the GPU, driver' libraries=$TOOLKIT_LIB
  export DRIVER_OF_NVIDIA=1
  run contexts
  run_all
  unset DRIVER_OF_NVIDIA
  where=driver libraries=$LD_LIBRARY_PATH
  ;;
*) skip "the driver's tests on a GPU" "there is none of compute capability 9.0" ;;
esac

# The same with ASan and UBSan, whose runtime has to be there before anything else.
sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)

run_sanitized() { # NAME ARGUMENTS...
  name=$1
  shift
  status=0
  LD_PRELOAD=$sanitizer EMULATOR_TIER=0 ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$PWD/$sanitized_emulator EMULATOR_QUIET=1 \
    timeout 200 "$scratch/$name" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  if [ "$status" = 0 ]; then
    pass "driver/$name (sanitized)"
  else
    no "driver/$name (sanitized)" "ended with status $status: $(grep -m 1 -E 'ERROR: |runtime error|^not ok' "$scratch/err" "$scratch/out")"
  fi
}

capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "driver (sanitized)" "this compiler has no libasan.so"
else
  run_sanitized contexts
  run_sanitized modules "$scratch/kernels.ptx" "$scratch/kernels.fatbin" "$scratch/kernels.cubin"
  run_sanitized memory
  run_sanitized managed
  run_sanitized batches
  run_sanitized logs
  run_sanitized virtual_memory "$scratch/kernels.ptx"
  run_sanitized unmapped "$scratch/kernels.ptx" across
  run_sanitized arrays "$scratch/arrays.ptx"
  run_sanitized streams "$scratch/kernels.ptx"
  run_sanitized graphs "$scratch/kernels.ptx"
  run_sanitized link "$scratch/a.ptx" "$scratch/b.ptx"
  run_sanitized entry_points
fi

export EMULATOR_CHECK=all
run wrong "$scratch/kernels.ptx"
says "an error has the driver's name, and the call's" \
  'Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuMemFree_v2.'
says "a function that is missing says so" \
  'cuFlushGPUDirectRDMAWrites returns CUDA_ERROR_NOT_SUPPORTED: the emulator does not implement it yet'
says "a race in a module's kernel is found" 'Race reported'
says "its line is named" 'kernels.cu:'
says "and so is an access that is out of bounds" 'Invalid __global__ write of size 4 bytes'

# What a kernel cannot access of reserved addresses has a name.
run virtual_memory "$scratch/kernels.ptx"
says "the checks find in mapped memory no more than the free of it" 'ERROR SUMMARY: 1 error'
run unmapped "$scratch/kernels.ptx" hole
says "an access where nothing is mapped" 'is reserved but not mapped'
run unmapped "$scratch/kernels.ptx" across
says "an access across the end of what is mapped: only the lanes behind it" 'and 15 other threads of its warp did the same'
run unmapped "$scratch/kernels.ptx" none
says "an access without the right to it" 'is mapped without access'
run unmapped "$scratch/kernels.ptx" read-only
says "a write to what may be read" 'is mapped read-only'
run unmapped "$scratch/kernels.ptx" unmapped
says "an access to what was mapped before" 'is reserved but not mapped'
run unmapped "$scratch/kernels.ptx" new
says "new memory at an old address has not been written" 'Uninitialized __global__ memory read'

unset EMULATOR_CHECK
run modules "$scratch/bare.cubin" "$scratch/kernels.fatbin" "$scratch/kernels.cubin" >/dev/null
says "machine code alone: it says what to do" 'compile with -lineinfo'
