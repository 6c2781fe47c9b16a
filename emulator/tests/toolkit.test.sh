#!/bin/sh
# The libraries with the names of the toolkit's compilers and linker: what libnvrtc.so.N hands on, and hands out, with a library that stands
# for NVIDIA's, and what libnvJitLink.so.N links. Needs no network.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

here=tests/toolkit
emulator=$PWD/$build_root/emulator
emulator=${EMULATOR_DIR:-$emulator}

compile_device() { # OUTPUT SOURCE FLAGS...
  output_file=$1 source=tests/driver/$2
  shift 2
  capture "$NVCC" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} -Wno-deprecated-gpu-targets "$@" -o "$output_file" "$source"
  [ "$status" = 0 ] || { no "$source" "does not compile" && show_output; }
}

compile_host() { # NAME LIBRARY
  capture gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$toolkit_headers" -o "$scratch/$1" "$here/$1.c" "$emulator/libcuda.so.1" "$2"
  [ "$status" = 0 ] || { no "$1.c" "does not compile" && show_output; }
}

# run TITLE FOLDERS PROGRAM ARGUMENTS...: its lines get the title; behind the emulator the library path has those folders.
run() {
  title=$1 folders=$2 program=$3
  shift 3
  status=0
  LD_LIBRARY_PATH="$emulator$folders" CUDA_PATH='' CUDA_HOME='' CONDA_PREFIX='' timeout 60 "$scratch/$program" "$@" \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  titled "$title" "$scratch/out"
  [ "$status" -le 1 ] || no "$title ends" "ended with status $status: $(tail -n 1 "$scratch/err")"
}

# ---- nvJitLink ----

compile_device "$scratch/a.ptx" linked_a.cu -arch=compute_75 -rdc=true -ptx
compile_device "$scratch/b.ptx" linked_b.cu -arch=compute_75 -rdc=true -ptx
compile_device "$scratch/a.fatbin" linked_a.cu -gencode arch=compute_75,code=compute_75 -rdc=true -fatbin
compile_device "$scratch/a.o" linked_a.cu -gencode arch=compute_75,code=compute_75 -rdc=true -c
compile_device "$scratch/a.cubin" linked_a.cu -arch=sm_90 -rdc=true -lineinfo -cubin
compile_device "$scratch/bare.cubin" linked_a.cu -arch=sm_90 -rdc=true -cubin
ar rc "$scratch/liba.a" "$scratch/a.o"
compile_host links "$emulator/libnvJitLink.so.13"
run nvJitLink '' links "$scratch/a.ptx" "$scratch/b.ptx" "$scratch/a.fatbin" "$scratch/a.o" "$scratch/liba.a" "$scratch/a.cubin" \
  "$scratch/bare.cubin"

# ---- NVRTC ----

compile_host compiles "$emulator/libnvrtc.so.13"
mkdir "$scratch/fake" "$scratch/second" "$scratch/twelve"
# As NVIDIA's, it calls its own functions and no others of their names.
fake_library() { # FOLDER MAJOR FLAGS...
  soname=libnvrtc.so.$2 folder=$1
  shift 2
  gcc -shared -fPIC -Wall -Wextra -Werror -Wl,-Bsymbolic -Wl,-soname,"$soname" "$@" -o "$scratch/$folder/$soname" "$here/fake_nvrtc.c" -ldl
}
fake_library fake 13
fake_library twelve 12
cp "$emulator"/libnvrtc.so.1? "$scratch/second"
run 'NVRTC in the library path' ":$scratch/fake" compiles 77
run 'NVRTC behind another emulator' ":$scratch/second:$scratch/fake" compiles 77

# A toolkit whose NVRTC finds its second library only if that is loaded already.
mkdir -p "$scratch/toolkit/lib64"
fake_library toolkit/lib64 13 -DNEEDS_BUILTINS
gcc -shared -o "$scratch/toolkit/lib64/libnvrtc-builtins.so.13.0" -Wl,-soname,libnvrtc-builtins.so.13.0 -x c /dev/null
compiled() { capture env LD_LIBRARY_PATH="$emulator" CUDA_PATH="$scratch/toolkit" CUDA_HOME= CONDA_PREFIX= timeout 60 "$scratch/compiles" 77; }
if /sbin/ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so '; then
  skip "NVRTC of a toolkit, and of CUDA 12" "the loader knows another one, which comes first"
else
  run 'NVRTC of CUDA 12' ":$scratch/twelve" compiles 77
  compiled
  expect "NVRTC of a toolkit, with its second library" 0 '^ok '
  mv "$scratch/toolkit/lib64/libnvrtc-builtins.so.13.0" "$scratch"
  compiled
  expect "and not without that" error ''
fi

# The same with ASan and UBSan, whose runtime has to be there before anything else: it also finds what is never freed.
sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
run_sanitized() { # TITLE PROGRAM ARGUMENTS...
  title=$1 program=$2
  shift 2
  capture env LD_PRELOAD="$sanitizer" LD_LIBRARY_PATH="$PWD/$sanitized_emulator:$scratch/fake" EMULATOR_TIER=0 EMULATOR_QUIET=1 \
    timeout 100 "$scratch/$program" "$@"
  expect "$title (sanitized)" 0 '^ok '
}
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "toolkit (sanitized)" "this compiler has no libasan.so"
else
  run_sanitized nvJitLink links "$scratch/a.ptx" "$scratch/b.ptx" "$scratch/a.fatbin" "$scratch/a.o" "$scratch/liba.a" \
    "$scratch/a.cubin" "$scratch/bare.cubin"
  run_sanitized NVRTC compiles 77
fi

# Is NVIDIA's own here? Then with that.
real=$(find -L "$build_root/python-cuda" "$(dirname "$TOOLKIT_LIB")" -name libnvrtc.so.13 2>/dev/null | head -n 1)
if [ -n "$real" ]; then
  run "NVIDIA's NVRTC" ":$(dirname "$real")" compiles
else
  skip "NVIDIA's NVRTC" "it is not on this machine"
fi

if [ -e /usr/local/cuda/lib64/libnvrtc.so.13 ] || [ -e /usr/local/cuda/lib64/libnvrtc.so.12 ]; then
  skip "no NVRTC: it says so" "it is in /usr/local/cuda"
else
  capture env LD_LIBRARY_PATH="$emulator" CUDA_PATH= CUDA_HOME= CONDA_PREFIX= "$scratch/compiles"
  expect "no NVRTC: it says so" 3 'libnvrtc.so.13 is needed and was not found'
  expect "and what to do" 3 'pip install nvidia-cuda-nvrtc'
  expect "the error has a text" 3 'NVRTC is not installed'
fi
