#!/bin/sh
# look_around.sh FOLDER: prints what this machine has, a line NAME='value' each: nvcc, the C++ compiler that it
# accepts, the GPU. FOLDER is for what is built to find out. For who has no checkout of the workbook
# (notebooks/nvcc_magic); in a checkout configure.sh asks the same.
set -eu
toolchain=$(dirname "$0")
. "$toolchain/../messages.sh"
. "$toolchain/find_toolkit.sh"
. "$toolchain/find_gpu.sh"

scratch=$1 named=${NVCC:-}
find_nvcc || [ -z "$named" ] || fail "NVCC=$named is not an nvcc of CUDA 12.0 or newer."
[ -n "$NVCC" ] || fail "there is no nvcc on the PATH, in CUDA_HOME or in /usr/local/cuda*." \
  ${too_old_seen:+"$too_old_seen, but CUDA 12.0 or newer is needed."}
find_host_compiler
TOOLKIT=$(find_toolkit_folder)
TOOLKIT_LIB=$(find_toolkit_lib)
find_gpu
ARCH='' # that is for the workbook's make
GENCODE=$(sh "$toolchain/gencode.sh" "$NVCC" $(choose_architectures))
print_variables NVCC CUDA_VERSION TOOLKIT TOOLKIT_LIB HOST_COMPILER GPU_NAME GPU_ARCHS GPU_REASON GENCODE
