# Sourced: finds nvcc. Sets NVCC to a path and toolkit_from to where it came from, or leaves NVCC empty.
#
# The order: the variable NVCC, the PATH, CUDA_HOME, the usual folders, the project's own .toolchain/.
# CUDA_ROOTS replaces the usual folders (a list with spaces between; the tests use it to hide them).

nvcc_version() { # PATH -> "13.0", or nothing if it is not nvcc
  "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p'
}

too_old_seen=''

# Takes $1 as nvcc if it runs and is new enough; $2 says where it was found.
try_nvcc() {
  [ -n "$1" ] && [ -x "$1" ] || return 1
  CUDA_VERSION=$(nvcc_version "$1")
  [ -n "$CUDA_VERSION" ] || return 1
  if [ "${CUDA_VERSION%%.*}" -lt 12 ]; then
    too_old_seen="${too_old_seen:-$1 is CUDA $CUDA_VERSION}"
    return 1
  fi
  NVCC=$1
  toolkit_from=$2
}

find_nvcc() {
  if [ -n "${NVCC:-}" ]; then
    candidate=$(command -v "$NVCC" 2>/dev/null) || candidate=''
    NVCC=''
    try_nvcc "$candidate" "the variable NVCC"
    return
  fi
  NVCC=''
  try_nvcc "$(command -v nvcc 2>/dev/null)" "the PATH" && return
  if [ -n "${CUDA_HOME:-}" ]; then
    try_nvcc "$CUDA_HOME/bin/nvcc" "CUDA_HOME" && return
  fi
  for root in ${CUDA_ROOTS-/usr/local/cuda $(ls -d /usr/local/cuda-*/ 2>/dev/null | sort -rV)}; do
    try_nvcc "$root/bin/nvcc" "$root" && return
  done
  for own in .toolchain/cuda-*/bin/nvcc; do
    try_nvcc "$own" "the project's own .toolchain/" && return
  done
  return 1
}
