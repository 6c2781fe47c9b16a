#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 34 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build there what Numba is compared with:
#     sh lessons/lesson34_numba/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with Numba and numba-cuda (python3 otherwise). Each step goes on when the one before
# has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson34_numba
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    --shared -Xcompiler -fPIC lessons/lesson27_ctypes/gelu.cu -o "$2/libgelu.so"
  exit
fi

folder=$(cd "$1" && pwd) what=${2:-all}
LESSON_LIBRARIES=$folder PYTHONPATH=$PWD:$PWD/$lesson:$PWD/$lesson/measured/numpy25
export LESSON_LIBRARIES PYTHONPATH
CUDA_RUNTIME=$(ldd "$folder/libgelu.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export CUDA_RUNTIME
run() { timeout 60 "$python" -X utf8 -B "$@" 2>&1; }

describe_machine
section versions
"$python" -V
"$python" -c 'import numpy, numba, numba_cuda; print("numpy", numpy.__version__, "numba", numba.__version__, "numba-cuda", numba_cuda.__version__)'

if [ "$what" = all ] || [ "$what" = times ]; then
  section "lesson34, SEED=1"
  SEED=1 run $lesson/lesson34.py
  for seed in 1 2; do
    section "calls, SEED=$seed"
    SEED=$seed run $lesson/measured/calls.py
  done
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  program() { # NAME WORDS...: a file that starts Python, for tools that want one
    name=$1
    shift
    printf '#!/bin/sh\nexec "%s" -X utf8 -B %s\n' "$python" "$*" >"$folder/$name"
    chmod +x "$folder/$name"
  }
  program steps "$PWD/$lesson/lesson34.py --size 1048576"
  section "ncu, SIZE=1048576"
  for kernel in gelu_kernel1 gelu_kernel2 gelu_backward sum_kernel1 sum_kernel2; do
    count "$folder/steps" "$kernel" 1 smsp__sass_thread_inst_executed.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
      l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  done
  printf '#!/bin/sh\nfor step in 1 3 4 6; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson34.py" >"$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
  for pair in racecheck:no_atomic racecheck:no_barrier memcheck:no_guard synccheck:own_barrier memcheck:from_the_end memcheck:small_number; do
    section "compute-sanitizer --tool ${pair%:*}, ${pair#*:}"
    timeout 60 compute-sanitizer --tool "${pair%:*}" "$python" -X utf8 -B $lesson/mistakes.py "${pair#*:}" 2>&1 | head -n 14
  done
fi
