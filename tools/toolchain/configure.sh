#!/bin/sh
# Finds out once what this machine has (nvcc, host compiler, GPU) and writes it to build/configuration, which the other
# scripts source and every executable depends on. When nothing changed, the file is left alone and this takes
# milliseconds. When nvcc is nowhere, it installs NVIDIA's wheels into .toolchain/ of the project.
#
# Read from the environment: NVCC, NVCCFLAGS, ARCH, BACKEND, NVCC_CCBIN, CUDA_HOME, CUDA_VISIBLE_DEVICES.
set -eu
cd "${0%/*}/../.."
. tools/messages.sh
toolchain=tools/toolchain scratch=build
. tools/toolchain/find_toolkit.sh
. tools/toolchain/find_gpu.sh

configuration=build/configuration

# --- what the result depends on, cheap to compute: every make asks for it ---

# Sets key.
find_key() {
  found=$(command -v "${wanted_nvcc:-nvcc}" 2>/dev/null) || found=''
  [ -z "$found" ] || found=$(readlink -f "$found")
  set -- .toolchain/cuda-*
  key="$PWD $wanted_nvcc $found ${CUDA_HOME:-} ${CUDA_ROOTS-default} ${NVCC_CCBIN:-} $*"
  set -- /dev/nvidia[0-9]* /dev/dxg* "visible:${CUDA_VISIBLE_DEVICES-all}"
  key="$key|$*|${ARCH:-} ${NVCCFLAGS:-}"
}

# nvcc must still be there, and neither it nor the programs that looked may have changed since.

is_current() {
  [ -f "$configuration" ] || return 1
  . "./$configuration"
  [ "$KEY" = "$key" ] && [ -x "$NVCC" ] || return 1
  for file in "$NVCC" tools/toolchain/*.sh tools/toolchain/gpu_query.c; do
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

# --- flags ---

# -O is about the host's code, of which there is little; kernels are optimized in any case. With -O3 nvcc takes a quarter longer.
choose_flags() {
  GENCODE=$(sh tools/toolchain/gencode.sh "$NVCC" $(choose_architectures)) || exit 1
  lineinfo=-lineinfo
  case " ${NVCCFLAGS:-} " in *' -G '*) lineinfo='' ;; esac # -G has the lines already, and nvcc warns about both
  FLAGS="-O1 ${lineinfo:+$lineinfo }-std=c++17 -cudart shared -I.${HOST_COMPILER:+ -ccbin $HOST_COMPILER}${NVCCFLAGS:+ $NVCCFLAGS}"
}

write_configuration() {
  {
    echo "# What tools/toolchain/configure.sh found on this machine. Delete it to look again."
    print_variables NVCC CUDA_VERSION CUDA_MAJOR TOOLKIT_FROM TOOLKIT TOOLKIT_LIB HOST_COMPILER GPU_NAME GPU_ARCHS GPU_REASON GENCODE FLAGS KEY
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
  TOOLKIT=$(find_toolkit_folder)
  TOOLKIT_LIB=$(find_toolkit_lib)
  find_gpu
  choose_flags
  find_key
  KEY=$key
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
[ -n "${NVCC_CCBIN:-}" ] || unset NVCC_CCBIN # nvcc rejects an empty one
find_key
if ! is_current; then
  probe
fi
require_backend
