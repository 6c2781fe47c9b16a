#!/bin/sh
# The part of lesson 28 that is about PyTorch's C++ libraries: the module builds, computes what PyTorch does, and fails as its page says where a
# library is forgotten. For a Python that can import torch: that of lesson 28, or with DOWNLOAD=1 one to which it is installed (200 MB).
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tools/messages.sh
. tools/actions/backend.sh
name="lesson 28 with libtorch"
need_python "$name" 28
python=$(sh tools/python/environment.sh 28)
if ! "$python" -c 'import torch' 2>/dev/null; then
  if [ "${DOWNLOAD:-}" != 1 ]; then
    skip "$name" "PyTorch cannot be imported; DOWNLOAD=1 fetches it (200 MB)"
    exit
  fi
  need_packages "$name" PyTorch tests/lessons/libtorch build/python-torch
  python=$PWD/build/python-torch/bin/python
fi

[ -n "$GPU_NAME" ] || export BACKEND=cpu
choose_backend
export CUDACXX="$NVCC" CUDAARCHS=75-virtual CXX="${HOST_COMPILER:-g++}" ${HOST_COMPILER:+CUDAHOSTCXX="$HOST_COMPILER"}
capture timeout 900 sh lessons/lesson28_pybind11/libtorch/try.sh "$python" build/tests/libtorch
expect "$name: it builds, and computes what PyTorch does" 0 '^linked with libtorch_python, tensors of cpu: as PyTorch computes it'
expect "$name: the famous message" 0 'undefined symbol: _ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb'
expect "$name: PASS" 0 '^PASS: gelu_torch'

# And without libtorch: PyTorch's tensors as what everybody can read.
capture env QUIET=1 sh tools/compile/build.sh lessons/lesson28_pybind11/lesson28.py build/tests/lessons/lesson28
sed "s|^exec '[^']*'|exec '$python'|" build/tests/lessons/lesson28 >build/tests/libtorch/lesson28
capture env V=6 sh build/tests/libtorch/lesson28
expect "lesson 28's step 6 with PyTorch" 0 "PyTorch's tensors (in CPU memory are read|on the device: both ways)"
expect "lesson 28's step 6 with PyTorch: PASS" 0 '^PASS'
