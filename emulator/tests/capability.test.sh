#!/bin/sh
# EMULATOR_CAPABILITY: what the device says it is, which of a program's images is chosen, and what is said where none fits.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch
. tests/use_emulator.sh
unset NVCC_APPEND_FLAGS

images=''
for arch in 75 80 90 90a; do images="$images -gencode arch=compute_$arch,code=compute_$arch"; done
capture "$NVCC" -O1 -cudart shared $images tests/capability/image.cu -o "$scratch/image"
expect "a program with four images compiles" 0 ''
[ "$status" = 0 ] || exit 1

# says CAPABILITY STATUS WORDS
says() {
  capture env ${1:+"EMULATOR_CAPABILITY=$1"} "$scratch/image"
  expect "capability '$1'" "$2" "$3"
}

says '' 0 '^9\.0 and 9\.0: PTX of 90 for binary 90, compiled for 900$'
says 7.5 0 '^7\.5 and 7\.5: PTX of 75 for binary 75, compiled for 750$'
says 75 0 '^7\.5 and 7\.5: PTX of 75 for binary 75, compiled for 750$'
says 8.0 0 '^8\.0 and 8\.0: PTX of 80 for binary 80, compiled for 800$'
says 8.9 0 '^8\.9 and 8\.9: PTX of 80 for binary 89, compiled for 800$'
says 12.0 0 '^12\.0 and 12\.0: PTX of 90 for binary 120, compiled for 900$'
says nonsense 0 '^9\.0 and 9\.0: PTX of 90 '
says 7.0 1 '^7\.0 and 7\.0: cudaErrorNoKernelImageForDevice$'
says 7.0 1 'PTX is for compute_75, and the emulator has compute capability 7\.0: compile with'

capture "$NVCC" -O1 -cudart shared -gencode arch=compute_90a,code=compute_90a tests/capability/image.cu -o "$scratch/image"
expect "a program with the image of sm_90a compiles" 0 ''
says '' 0 'compiled for 900$'
says 10.0 1 'cudaErrorNoKernelImageForDevice$' # the letter means: this one, and none after it
says 10.0 1 'PTX is for compute_90a, and the emulator has compute capability 10\.0: compile with'

capture "$NVCC" -O1 -cudart shared -gencode arch=compute_100f,code=compute_100f tests/capability/image.cu -o "$scratch/image"
if [ "$status" != 0 ]; then
  skip "a program with the image of sm_100f" "this nvcc knows no letter f"
else
  for member in 10.0 10.3; do says $member 0 'compiled for 1000$'; done
  for other in 9.0 11.0 12.0; do says $other 1 'PTX is for compute_100f, and the emulator has compute capability'; done
fi

# Linked by -rdc=true: the program's own image is named, not that of libcudadevrt, which nvcc adds; and each file has its own.
file() { # NAME OPTIONS...
  source=$1
  shift
  capture "$NVCC" -O1 -cudart shared -rdc=true "$@" -c "tests/capability/$source.cu" -o "$scratch/$source.o"
  expect "$source.cu compiles with -rdc=true" 0 ''
}
file image -DTWO_FILES -gencode arch=compute_75,code=compute_75
file other_file -gencode arch=compute_90,code=compute_90
capture "$NVCC" -cudart shared -gencode arch=compute_75,code=compute_75 "$scratch/image.o" "$scratch/other_file.o" -o "$scratch/image"
expect "two files link" 0 ''
says 9.0 0 '^other file: cudaSuccess, PTX of 90$'
says 8.6 0 '^other file: cudaErrorInvalidDeviceFunction, PTX of 0$'
says 8.6 0 "kernel's file contains no device code that the emulator can run"
says 8.6 0 'PTX is for compute_90, and the emulator has compute capability 8\.6: compile with'
says 7.0 1 'PTX is for compute_75, and the emulator has compute capability 7\.0: compile with'
