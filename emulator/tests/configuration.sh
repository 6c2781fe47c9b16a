# Sourced after tests/check.sh: the toolkit that the suites compile with. Sets NVCC, CUDA_VERSION, CUDA_MAJOR, TOOLKIT, TOOLKIT_LIB,
# HOST_COMPILER, GPU_NAME, FLAGS, GENCODE and toolkit_headers. The workbook's build has found them already; elsewhere nvcc is the one that
# NVCC names, the one on the PATH, or /usr/local/cuda's, and a suite is skipped where there is none.

# shellcheck disable=SC2154 # check.sh sets build_root
configuration=$build_root/configuration

find_toolkit() {
  NVCC=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc) || return 1
  CUDA_VERSION=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  TOOLKIT=$("$NVCC" --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  TOOLKIT=$(cd "$TOOLKIT" && pwd)
  TOOLKIT_LIB=''
  for folder in "$TOOLKIT"/lib64 "$TOOLKIT"/lib "$TOOLKIT"/targets/*/lib; do
    [ -n "$TOOLKIT_LIB" ] || [ ! -e "$folder/libcudart.so.${CUDA_VERSION%%.*}" ] || TOOLKIT_LIB=$(readlink -f "$folder")
  done
}

write_configuration() {
  GPU_NAME=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1) || GPU_NAME=''
  cat >"$configuration.$$" <<END
NVCC='$NVCC'
CUDA_VERSION=$CUDA_VERSION
CUDA_MAJOR=${CUDA_VERSION%%.*}
TOOLKIT='$TOOLKIT'
TOOLKIT_LIB='$TOOLKIT_LIB'
HOST_COMPILER=''
GPU_NAME='$GPU_NAME'
FLAGS='-O1 -lineinfo -std=c++17 -cudart shared -I.'
GENCODE='-gencode arch=compute_75,code=compute_75'
END
  mv "$configuration.$$" "$configuration"
}

if [ -n "$workbook" ]; then
  [ -f "$configuration" ] || sh "$workbook/tools/toolchain/configure.sh"
elif [ ! -f "$configuration" ]; then
  if ! find_toolkit; then
    skip "$(basename "$0" .test.sh)" "there is no nvcc: NVCC=/path/to/nvcc names one"
    exit 0
  fi
  write_configuration
fi
. "$configuration"

toolkit_headers=$TOOLKIT/include
[ -f "$toolkit_headers/cuda_runtime_api.h" ] || toolkit_headers=/usr/include

# architecture_options sm_90a: nvcc's options for it. Without a GPU the PTX is enough, and ptxas takes most of the time.
architecture_options() {
  number=${1#sm_}
  if [ -n "$GPU_NAME" ]; then
    echo "-gencode arch=compute_$number,code=[compute_$number,sm_$number]"
  else
    echo "-gencode arch=compute_$number,code=compute_$number"
  fi
}

# Prints the path of the toolkit's ptxas; nothing where there is none.
find_ptxas() {
  for candidate in "$(dirname "$(readlink -f "$NVCC")")/ptxas" "$TOOLKIT/bin/ptxas" "${TOOLKIT_LIB%/*}/bin/ptxas" \
    "$(command -v ptxas || true)" "$workbook"/.toolchain/ptxas/nvidia/*/bin/ptxas; do
    [ ! -x "$candidate" ] || { echo "$candidate" && return; }
  done
}
