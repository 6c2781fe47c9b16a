#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 27 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson27_ctypes/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy (python3 otherwise). Each step goes on when the one before has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson27_ctypes
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    --shared -Xcompiler -fPIC $lesson/gelu.cu -o "$2/libgelu.so"
  "$CXX" -O2 -shared -fPIC $lesson/measured/loop.cpp -o "$2/libloop.so"
  exit
fi

folder=$(cd "$1" && pwd) what=${2:-all}
LESSON_LIBRARIES=$folder PYTHONPATH=$PWD:$PWD/$lesson
export LESSON_LIBRARIES PYTHONPATH
CUDA_RUNTIME=$(ldd "$folder/libgelu.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export CUDA_RUNTIME
run() { timeout 60 "$python" -X utf8 -B "$@"; }

describe_machine
section versions
"$python" -V
"$python" -c 'import numpy; print("numpy", numpy.__version__)'
nm -D "$folder/libgelu.so" | grep -e plus -e forward
ldd "$folder/libgelu.so"

if [ "$what" = all ] || [ "$what" = times ]; then
  for seed in 1 2; do
    section "lesson27, SEED=$seed"
    SEED=$seed run $lesson/lesson27.py
    section "calls, SEED=$seed"
    SEED=$seed run $lesson/measured/calls.py
  done
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nexec "%s" -X utf8 -B %s --version 4 --size 1048576\n' "$python" "$PWD/$lesson/lesson27.py" >"$folder/step4"
  chmod +x "$folder/step4"
  section "ncu, SIZE=1048576"
  count "$folder/step4" 'gelu_(backward_)?kernel' 2 smsp__sass_thread_inst_executed.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
    l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  # Steps 5 and 7 make errors, and waits, on purpose.
  printf '#!/bin/sh\nfor step in 1 4 6; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson27.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
