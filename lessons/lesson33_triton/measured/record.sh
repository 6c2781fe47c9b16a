#!/bin/sh
# record.sh FOLDER [times|compiled]: runs lesson 33 on a machine with a GPU, PyTorch and Triton and prints what the page's tables are made from, to
# be kept as h200.txt; `compiled` prints what is kept as torch_compile.txt. There is nothing to build:
#     sh lessons/lesson33_triton/measured/record.sh FOLDER
# In the root of the workbook. PYTHON names a Python 3 with them (python3 otherwise), CUDA_RUNTIME a libcudart. Each step goes on when the one before has
# failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson33_triton
python=${PYTHON:-python3}
[ "$1" != build ] || exit 0

what=${2:-all}
PYTHONPATH=$PWD:$PWD/$lesson
CUDA_RUNTIME=${CUDA_RUNTIME:-$("$python" -c 'import ctypes.util; print(ctypes.util.find_library("cudart") or "libcudart.so.13")')}
export PYTHONPATH CUDA_RUNTIME
run() { timeout 80 "$python" -X utf8 -B "$@" 2>&1 | sed 's|^/.*/site-packages/||'; } # warnings name files

if [ "$what" = compiled ]; then
  run $lesson/measured/torch_compile.py
  exit
fi
describe_machine
section versions
"$python" -V
"$python" -c 'import torch, triton; print("torch", torch.__version__, "triton", triton.__version__)'
section "lesson33, SEED=1"
SEED=1 run $lesson/lesson33.py
for seed in 1 2; do
  section "race, SEED=$seed"
  SEED=$seed run $lesson/measured/race.py
done
