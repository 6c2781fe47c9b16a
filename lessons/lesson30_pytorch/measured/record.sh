#!/bin/sh
# record.sh FOLDER: runs lesson 30 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson30_pytorch/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy (python3 otherwise).
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson30_pytorch
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    --shared -Xcompiler -fPIC $lesson/pytorch.cu -o "$2/libpytorch.so"
  exit
fi

folder=$(cd "$1" && pwd)
LESSON_LIBRARIES=$folder PYTHONPATH=$PWD:$PWD/$lesson
CUDA_RUNTIME=$(ldd "$folder/libpytorch.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export LESSON_LIBRARIES PYTHONPATH CUDA_RUNTIME

describe_machine
for seed in 1 2; do
  section "lesson30, SEED=$seed"
  SEED=$seed timeout 60 "$python" -X utf8 -B $lesson/lesson30.py
done
