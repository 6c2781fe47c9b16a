#!/bin/sh
# Finds out once what this machine has (nvcc, host compiler, GPU) and writes it to build/configuration, which the other
# scripts source and every executable depends on. When nothing changed, the file is left alone and this takes
# milliseconds. When nvcc is nowhere, it installs NVIDIA's wheels into .toolchain/ of the project.
#
# Read from the environment: NVCC, NVCCFLAGS, ARCH, BACKEND, NVCC_CCBIN, CUDA_HOME, CUDA_VISIBLE_DEVICES.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/toolchain/find_toolkit.sh

configuration=build/configuration

# --- what the result depends on, cheap to compute ---

toolkit_key() {
  found=$(command -v "${wanted_nvcc:-nvcc}" 2>/dev/null) || found=''
  [ -z "$found" ] || found=$(readlink -f "$found")
  echo "$PWD $wanted_nvcc $found ${CUDA_HOME:-} ${CUDA_ROOTS-default} ${NVCC_CCBIN:-} $(echo .toolchain/cuda-*)"
}

gpu_key() {
  echo /dev/nvidia[0-9]* /dev/dxg* "visible:${CUDA_VISIBLE_DEVICES-all}"
}

flags_key() {
  echo "${ARCH:-} ${NVCCFLAGS:-}"
}

# nvcc must still be there, and neither it nor the programs that looked may have changed since.

is_current() {
  [ -f "$configuration" ] || return 1
  . "./$configuration"
  [ "$KEY" = "$key" ] && [ -x "$NVCC" ] || return 1
  for file in "$NVCC" tools/toolchain/configure.sh tools/toolchain/find_toolkit.sh tools/toolchain/gencode.sh; do
    [ "$file" -nt "$configuration" ] && return 1
  done
  return 0
}

# --- toolkit ---

explain_no_toolkit() {
  list=$(python3 tools/toolchain/install_toolkit.py --list)
  fail "there is no CUDA compiler (nvcc) here, and installing one did not work." \
    "Two ways to get it:" \
    "1. NVIDIA's or your distribution's package, CUDA 12.0 or newer: https://developer.nvidia.com/cuda-downloads" \
    "   (an nvcc that is not on the PATH: make NVCC=/path/to/nvcc)" \
    "2. Copy these wheels by hand from a machine with a network into a folder, then: make WHEELS=that/folder" \
    "   $(sed -n 's/^\([a-z-]*==[0-9.]*\).*/\1/p' "$list" | tr '\n' ' ')" \
    "   (there: python3 -m pip download --no-deps --require-hashes -r $list -d that/folder)"
}

require_toolkit() {
  named=${NVCC:-}
  if find_nvcc; then
    return
  fi
  if [ -n "$named" ]; then
    fail "NVCC=$named is not an nvcc of CUDA 12.0 or newer." "Leave NVCC away and the build looks for one itself."
  fi
  if [ -n "$too_old_seen" ]; then
    warn "$too_old_seen, but CUDA 12.0 or newer is needed."
  fi
  say "nvcc is not on the PATH, not in CUDA_HOME and not in /usr/local/cuda*."
  require_cxx # before a large download
  command -v python3 >/dev/null || fail "installing it needs python3." "sudo apt-get install python3"
  python3 tools/toolchain/install_toolkit.py || explain_no_toolkit
  find_nvcc || fail "the nvcc that was installed in .toolchain/ does not run on this machine."
}

# The folder that holds libcudart.so.N, for programs that run on a GPU. Empty where the system's linker knows it.
find_toolkit_lib() {
  top=$("$NVCC" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  for folder in "$top/lib64" "$top/lib" "$top"/targets/*/lib; do
    if [ -e "$folder/libcudart.so.$CUDA_MAJOR" ]; then
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
  printf '#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' >build/probe.cu
  "$NVCC" ${1:+-ccbin "$1"} -std=c++17 -cudart shared build/probe.cu -o build/probe >build/probe.log 2>&1
}

find_host_compiler() {
  HOST_COMPILER=''
  accepts_host_compiler '' && return
  cp build/probe.log build/probe.first.log
  cp build/probe.log build/probe.all.log
  for candidate in g++-15 g++-14 g++-13 g++-12 g++-11 g++-10 clang++ clang++-18 clang++-16 clang++-14; do
    if command -v "$candidate" >/dev/null && accepts_host_compiler "$candidate"; then
      HOST_COMPILER=$candidate
      return
    fi
    cat build/probe.log >>build/probe.all.log
  done
  sed 's/^/  /' build/probe.first.log >&2
  require_cxx
  if grep -q 'exception specification.*"rsqrt' build/probe.all.log; then
    fail "this system's C library (glibc 2.42 or newer) is too new for CUDA $CUDA_VERSION; CUDA 13.2 and newer know it." \
      "Install a newer toolkit, or hide this one from the build, and it installs one itself: PATH without $(dirname "$NVCC")"
  fi
  fail "nvcc $CUDA_VERSION does not accept this machine's C++ compiler (its words are above)." \
    "Install one that it accepts, for example: sudo apt-get install g++-14" \
    "or name one: NVCC_CCBIN=/usr/bin/clang++ make ..."
}

# --- GPU ---

find_gpu() {
  GPU_NAME='' GPU_ARCHS='' GPU_REASON=''
  case $(echo /dev/nvidia[0-9]* /dev/dxg) in
  '/dev/nvidia[0-9]* /dev/dxg')
    if ! [ -e /dev/dxg ]; then
      GPU_REASON='this machine has no NVIDIA device (/dev/nvidia*)'
      return
    fi
    ;;
  esac
  if ! "${CC:-cc}" -O1 tools/toolchain/gpu_query.c -o build/gpu_query -ldl 2>build/gpu_query.log; then
    GPU_REASON="${CC:-cc} could not build tools/toolchain/gpu_query.c (see build/gpu_query.log)"
    return
  fi
  if ! build/gpu_query >build/gpus 2>build/gpu_query.log; then
    GPU_REASON=$(cat build/gpu_query.log)
    return
  fi
  judge_gpu
}

# Can this toolkit's programs run on the GPUs that were found?
judge_gpu() {
  driver=$(sed -n 's/^driver //p' build/gpus)
  if [ "$((driver / 1000))" -lt "$CUDA_MAJOR" ]; then
    GPU_REASON="the driver supports CUDA $((driver / 1000)), the toolkit is $CUDA_VERSION: update the driver"
    return
  fi
  GPU_ARCHS=$(sed -n 's/^gpu \([0-9]*\) .*/\1/p' build/gpus | sort -nu | tr '\n' ' ' | sed 's/ $//')
  GPU_NAME=$(sed -n 's/^gpu [0-9]* //p' build/gpus | head -n 1)
  oldest=$("$NVCC" --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$/\1/p' | sort -n | head -n 1)
  if [ "${GPU_ARCHS%% *}" -lt "$oldest" ]; then
    GPU_REASON="$GPU_NAME is sm_${GPU_ARCHS%% *}, but CUDA $CUDA_VERSION begins at sm_$oldest: use an older toolkit"
    GPU_NAME='' GPU_ARCHS=''
  fi
}

# --- flags ---

# What ARCH=... asks for; without it the SASS of each GPU that is here, or PTX that runs on any.
choose_architectures() {
  if [ -n "${ARCH:-}" ]; then
    echo "$ARCH"
  elif [ -n "$GPU_ARCHS" ]; then
    for arch in $GPU_ARCHS; do printf 'sm_%s ' "$arch"; done
  else
    echo compute_75
  fi
}

choose_flags() {
  GENCODE=$(sh tools/toolchain/gencode.sh "$NVCC" $(choose_architectures)) || exit 1
  lineinfo=-lineinfo
  case " ${NVCCFLAGS:-} " in *' -G '*) lineinfo='' ;; esac # -G has the lines already, and nvcc warns about both
  FLAGS="-O3 ${lineinfo:+$lineinfo }-std=c++17 -cudart shared -I.${HOST_COMPILER:+ -ccbin $HOST_COMPILER}${NVCCFLAGS:+ $NVCCFLAGS}"
}

write_configuration() {
  {
    echo "# What tools/toolchain/configure.sh found on this machine. Delete it to look again."
    for name in NVCC CUDA_VERSION CUDA_MAJOR TOOLKIT_FROM TOOLKIT_LIB HOST_COMPILER GPU_NAME GPU_ARCHS GPU_REASON GENCODE FLAGS KEY; do
      eval "echo \"$name=\$(quote \"\$$name\")\""
    done
  } >"$configuration.$$"
  mv "$configuration.$$" "$configuration"
}

probe() {
  require_writable build
  NVCC=$wanted_nvcc
  require_toolkit
  CUDA_MAJOR=${CUDA_VERSION%%.*}
  TOOLKIT_FROM=$toolkit_from
  find_host_compiler
  TOOLKIT_LIB=$(find_toolkit_lib)
  find_gpu
  choose_flags
  KEY="$(toolkit_key)|$(gpu_key)|$(flags_key)"
  write_configuration
  sh tools/toolchain/write_env.sh
}

require_backend() {
  case ${BACKEND:-auto} in
  auto | cpu) ;;
  gpu)
    [ -n "$GPU_NAME" ] || fail "BACKEND=gpu, but no GPU can be used: $GPU_REASON." \
      "BACKEND=auto (or nothing) takes the GPU where there is one and the emulator elsewhere."
    ;;
  *) fail "BACKEND=$BACKEND: it is auto, gpu or cpu." ;;
  esac
}

wanted_nvcc=${NVCC:-}
[ -n "${NVCC_CCBIN:-}" ] || unset NVCC_CCBIN # nvcc does not bear it empty
key="$(toolkit_key)|$(gpu_key)|$(flags_key)"
if ! is_current; then
  probe
fi
require_backend
