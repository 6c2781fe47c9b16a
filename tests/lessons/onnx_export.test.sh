#!/bin/sh
# The part of lesson 32 that begins in PyTorch: a network that calls an operator of ours is exported, ONNX Runtime runs it with the lesson's library,
# and agrees with PyTorch. For a Python that can import torch and onnxscript: that of lesson 32, or with DOWNLOAD=1 one to which they are installed (200 MB).
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tools/messages.sh
. tools/actions/backend.sh
name="lesson 32 from PyTorch"
need_python "$name" 32
python=$(sh tools/python/environment.sh 32)
if ! "$python" -c 'import onnxscript, torch' 2>/dev/null; then
  if [ "${DOWNLOAD:-}" != 1 ]; then
    skip "$name" "PyTorch and onnxscript cannot be imported; DOWNLOAD=1 fetches them (200 MB)"
    exit
  fi
  need_packages "$name" PyTorch tests/lessons/onnx_export build/python-onnx
  python=$PWD/build/python-onnx/bin/python
fi

[ -n "$GPU_NAME" ] || export BACKEND=cpu
choose_backend
mkdir -p build/tests/lessons
capture env QUIET=1 sh tools/compile/build.sh lessons/lesson32_onnxruntime/lesson32.py build/tests/lessons/lesson32
expect "$name: the library builds" 0 ''
sed "s|^exec .*|exec '$python' -X utf8 -B lessons/lesson32_onnxruntime/from_pytorch/export.py|" build/tests/lessons/lesson32 >build/tests/lessons/export32
capture sh build/tests/lessons/export32
expect "$name: without a translation it is refused" 0 '^without a translation: No ONNX function found'
expect "$name: the model has our node" 0 '^with one: Gemm, cuda.workbook:CustomGelu, Gemm'
expect "$name: PASS" 0 '^PASS: export'
