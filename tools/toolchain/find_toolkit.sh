# Sourced after messages.sh: the toolkit and the C++ compiler that it accepts. find_nvcc sets NVCC to a path and
# toolkit_from to where it came from, or leaves NVCC empty. In: scratch (a folder for what is built to find out).
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

# The folder that holds bin/nvcc and the rest of its toolkit: what others call CUDA_HOME. nvcc may be a link or a script that leads there.
find_toolkit_folder() {
  top=$("$NVCC" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  (cd "$top" && pwd)
}

# The folder in TOOLKIT that holds libcudart.so.N, for programs that run on a GPU. Empty where the system's linker knows it.
find_toolkit_lib() {
  for folder in "$TOOLKIT/lib64" "$TOOLKIT/lib" "$TOOLKIT"/targets/*/lib; do
    if [ -e "$folder/libcudart.so.${CUDA_VERSION%%.*}" ]; then
      readlink -f "$folder"
      return
    fi
  done
}

# --- host compiler: the first that nvcc accepts; empty means nvcc's own choice ---

require_cxx() {
  command -v "${NVCC_CCBIN:-g++}" >/dev/null || command -v clang++ >/dev/null ||
    fail "nvcc needs a C++ compiler for the host's part of a program, and there is none." "sudo apt-get install g++"
}

accepts_host_compiler() {
  printf '#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' >"$scratch/probe.cu"
  "$NVCC" ${1:+-ccbin "$1"} -std=c++17 -cudart shared "$scratch/probe.cu" -o "$scratch/probe" >"$scratch/probe.log" 2>&1
}

find_host_compiler() {
  HOST_COMPILER=''
  accepts_host_compiler '' && return
  cp "$scratch/probe.log" "$scratch/probe.first.log"
  cp "$scratch/probe.log" "$scratch/probe.all.log"
  for candidate in g++-15 g++-14 g++-13 g++-12 g++-11 g++-10 clang++ clang++-18 clang++-16 clang++-14; do
    if command -v "$candidate" >/dev/null && accepts_host_compiler "$candidate"; then
      HOST_COMPILER=$candidate
      return
    fi
    cat "$scratch/probe.log" >>"$scratch/probe.all.log"
  done
  sed 's/^/  /' "$scratch/probe.first.log" >&2
  require_cxx
  if grep -q 'exception specification.*"rsqrt' "$scratch/probe.all.log"; then
    fail "this system's C library (glibc 2.42 or newer) is too new for CUDA $CUDA_VERSION; CUDA 13.2 and newer know it." \
      "Install a newer toolkit, or hide this one from the build, and it installs one itself: PATH without $(dirname "$NVCC")"
  fi
  fail "nvcc $CUDA_VERSION does not accept this machine's C++ compiler (its words are above)." \
    "Install one that it accepts, for example: sudo apt-get install g++-14" \
    "or name one: NVCC_CCBIN=/usr/bin/clang++ make ..."
}
