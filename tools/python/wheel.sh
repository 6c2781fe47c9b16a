#!/bin/sh
# wheel.sh PYTHON FOLDER OUTPUT [NAME=VALUE...]: builds the Python package in FOLDER as a wheel, OUTPUT/wheel/*.whl, and installs that to
# OUTPUT/installed/, with the pip of that PYTHON and what is installed beside it (cmake, ninja, scikit-build-core ...): no network is needed.
# CMake works in OUTPUT/cmake/, and gets the NAMEs as its variables. A package with a setup.py is built in a copy, OUTPUT/source/, since setuptools
# writes beside it; PyTorch's extensions find CUDA and the architectures in their own variables. What is newer than its sources stays as it is: FOLDER,
# and the folders that a line of its own in its CMakeLists.txt names, `# sources: ../../lesson28_pybind11/package/src`.
# WARNINGS=error makes a warning an error.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

python=$1 package=$2 output=$3
shift 3
case $output in /*) ;; *) output=$PWD/$output ;; esac
log=$output/wheel.log

# "75-virtual;90-real", as CMake says it, of nvcc's -gencode options.
cmake_architectures() {
  echo "$GENCODE" | tr ' ' '\n' | sed -n -e 's/.*code=sm_\([0-9]*[af]*\)$/\1-real/p' -e 's/.*code=compute_\([0-9]*[af]*\)$/\1-virtual/p' |
    paste -s -d ';' -
}

# "7.5+PTX;9.0", as PyTorch's extensions say it; they make no PTX alone.
torch_architectures() {
  echo "$GENCODE" | tr ' ' '\n' | sed -n 's/.*code=\(sm\|compute\)_\([0-9]*\)\([0-9][af]*\)$/\1 \2.\3/p' |
    awk '$1 == "compute" { ptx[$2] = "+PTX" } { if (!seen[$2]++) order[++n] = $2 } END { for (i = 1; i <= n; i++) print order[i] ptx[order[i]] }' |
    paste -s -d ';' -
}

# PyTorch writes PYTORCH_NVCC into a ninja file as it is: there $ is ninja's, and the rest is read by a shell. A name may have spaces.
for_ninja() { printf '%s\n' "$1" | sed -e "s/'/'\\\\''/g" -e "s/^/'/" -e "s/\$/'/" -e 's/[$]/$$/g'; }

# Everything that is no source: when that changes, all is built anew.
key() { echo "$python|$NVCC|$CUDA_VERSION|$GENCODE|$HOST_COMPILER|$*"; }

# Sources that the package has from elsewhere.
elsewhere=''
[ ! -f "$package/CMakeLists.txt" ] || elsewhere=$(sed -n 's/^# sources: *//p' "$package/CMakeLists.txt")

is_current() {
  [ -f "$output/installed.key" ] && [ "$(cat "$output/installed.key")" = "$(key "$@")" ] &&
    [ -z "$(find "$package" ${elsewhere:+"$package/$elsewhere"} tools/python/wheel.sh -type f -newer "$output/installed.key")" ]
}

build_it() {
  [ "$(cat "$output/cmake.key" 2>/dev/null)" = "$(key "$@")" ] || rm -rf "$output/cmake" "$log"
  key "$@" >"$output/cmake.key"
  rm -rf "$output/wheel" "$output/installed" "$output/installed.key"
  from=./$package
  if [ -f "$package/setup.py" ]; then
    from=$output/source
    rm -rf "$from"
    cp -Rp "$package" "$from"
  fi
  folder=$(cd "$(dirname "$python")" && pwd)
  case $NVCC in /*) ;; */*) NVCC=$PWD/$NVCC ;; esac
  unset NVCC_APPEND_FLAGS CUDAHOSTCXX # the rules of a shell with . build/env; another compiler than nvcc's here
  compiler=${HOST_COMPILER:-g++} # CXX of the environment may name one with another C++ library than that of nvcc's, and of Python's packages
  launcher=''
  if command -v ccache >/dev/null; then launcher=ccache; fi
  define=$(printf '%s\n' "$@" | paste -s -d ';' -)
  [ "${QUIET:-}" = 1 ] || {
    settings="CUDACXX='$NVCC' CUDAARCHS='$(cmake_architectures)'"
    [ ! -f "$package/setup.py" ] || settings="CXX='$compiler' CUDA_HOME='$TOOLKIT' TORCH_CUDA_ARCH_LIST='$(torch_architectures)'"
    say "$settings python -m pip wheel --no-build-isolation --no-deps $package"
    say "python -m pip install --no-deps --target ${output#"$PWD/"}/installed ${output#"$PWD/"}/wheel/*.whl"
  }
  # What CMake asks its environment for, what scikit-build-core does, and what PyTorch's extensions do.
  env PATH="$folder:$PATH" CUDACXX="$NVCC" CUDAARCHS="$(cmake_architectures)" ${HOST_COMPILER:+CUDAHOSTCXX="$HOST_COMPILER"} \
    CXX="$compiler" ${launcher:+CMAKE_CXX_COMPILER_LAUNCHER=$launcher CMAKE_CUDA_COMPILER_LAUNCHER=$launcher} \
    CUDA_HOME="$TOOLKIT" PYTORCH_NVCC="$launcher $(for_ninja "$NVCC")" TORCH_CUDA_ARCH_LIST="$(torch_architectures)" \
    MAX_JOBS="${JOBS:-2}" CMAKE_BUILD_PARALLEL_LEVEL="${JOBS:-2}" SKBUILD_BUILD_DIR="$output/cmake" SKBUILD_CMAKE_DEFINE="$define" \
    "$python" -m pip wheel --verbose --no-build-isolation --no-deps --no-index --wheel-dir "$output/wheel" "$from" >>"$log" 2>&1 || {
    grep -nE 'error|Error' "$log" | tail -n 30 >&2
    fail "$package does not build; all that was said: $log."
  }
  "$python" -m pip install --quiet --no-deps --no-index --no-compile --target "$output/installed" "$output"/wheel/*.whl >>"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "$output/wheel/*.whl cannot be installed; all that was said: $log."
  }
  key "$@" >"$output/installed.key"
}

mkdir -p "$output"
require_writable "$output"
# Two at once: the second waits for the first.
if command -v flock >/dev/null; then
  exec 9>"$output/.lock"
  flock 9
fi
is_current "$@" || build_it "$@"
if [ "${WARNINGS:-}" = error ] && grep -E 'warning( #|:)' "$log" | grep -v ': byte-compiling is disabled' >&2; then
  rm -rf "$output/cmake" "$output/installed.key" # the next time they are seen again, or not
  fail "$package builds with warnings: $log."
fi
