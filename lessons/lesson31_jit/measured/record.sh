#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 31 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson31_jit/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy, NVRTC's package (or the toolkit has NVRTC), and, for what is compared with,
# CuPy and PyTorch (python3 otherwise). Each step goes on when the one before has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson31_jit
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    --shared -Xcompiler -fPIC $lesson/loader.cu -o "$2/libloader.so"
  exit
fi

folder=$(cd "$1" && pwd) what=${2:-all}
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
LD_LIBRARY_PATH=$toolkit/lib64:$toolkit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LESSON_LIBRARIES=$folder PYTHONPATH=$PWD:$PWD/$lesson
CUDA_RUNTIME=$(LD_LIBRARY_PATH=$LD_LIBRARY_PATH ldd "$folder/libloader.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export LD_LIBRARY_PATH LESSON_LIBRARIES PYTHONPATH CUDA_RUNTIME
run() { timeout 60 "$python" -X utf8 -B "$@" | sed "s|$PWD/$lesson/||"; }

describe_machine
section versions
"$python" -V
for package in numpy nvidia-cuda-nvrtc cupy-cuda13x torch; do
  "$python" -c 'import importlib.metadata as m, sys; print(sys.argv[1], m.version(sys.argv[1]))' $package 2>/dev/null || echo "$package: no package"
done
lscpu | grep 'Model name'

if [ "$what" = all ] || [ "$what" = times ]; then
  for seed in 1 2; do
    section "lesson31, SEED=$seed"
    SEED=$seed run $lesson/lesson31.py
    section "next to PyTorch, SEED=$seed"
    SEED=$seed run $lesson/measured/peers.py
  done
  section calls
  timeout 100 "$python" -X utf8 -B $lesson/measured/calls.py
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nexec "%s" -X utf8 -B %s --version 3 --size 1048576\n' "$python" "$PWD/$lesson/lesson31.py" >"$folder/step3"
  chmod +x "$folder/step3"
  section "ncu, SIZE=1048576: four types, gelu and gelu_backward"
  count "$folder/step3" '^gelu' 8 smsp__sass_thread_inst_executed.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
    l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  printf '#!/bin/sh\nfor step in 1 3 4; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson31.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
