#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 30 on a machine with a GPU and PyTorch for CUDA, and prints what the page's tables are made from, to
# be kept as h200.txt. First build it there:
#     sh lessons/lesson30_pytorch/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with PyTorch, NumPy, setuptools and ninja (python3 otherwise); CUDA_HOME the toolkit (that
# of nvcc otherwise), of the same major version as PyTorch's. No network is needed. Each step goes on when the one before has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson30_pytorch
python=$(command -v "${PYTHON:-python3}")
NVCC=$(command -v nvcc) PATH=$(dirname "$python"):$PATH
top=$("$NVCC" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p') # where nvcc's toolkit is
CUDA_HOME=${CUDA_HOME:-$(cd "$top" && pwd)} TORCH_CUDA_ARCH_LIST=9.0+PTX MAX_JOBS=8
CUDA_PATH=$CUDA_HOME
export NVCC PATH CUDA_HOME CUDA_PATH MAX_JOBS

# The seconds that a command took, and what it said if it failed.
timed() { # NAME COMMAND...
  name=$1 start=$(date +%s.%N)
  shift
  if "$@" >"$folder/said" 2>&1; then result=done; else result=failed; tail -n 15 "$folder/said"; fi
  echo "$name $(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }') s $result"
}

build_all() {
  rm -rf "$folder/source"
  cp -R $lesson/package "$folder/source" # setuptools writes beside setup.py
  timed "pip wheel" timeout 400 env TORCH_CUDA_ARCH_LIST="$TORCH_CUDA_ARCH_LIST" "$python" -m pip wheel --no-build-isolation --no-deps --no-index -w "$folder/wheel" "$folder/source"
  timed "pip install" timeout 60 "$python" -m pip install --quiet --no-deps --no-index --target "$folder/installed" "$folder"/wheel/*.whl
  ls -l "$folder"/wheel/*.whl "$folder"/installed/gelu_torch/*.so | awk '{ print "bytes", $5, $NF }'
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 --shared \
    -Xcompiler -fPIC $lesson/package/src/gelu.cu -o "$folder/libgelu.so"
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
  build_all >"$folder/built" 2>&1
  cat "$folder/built"
  exit
fi

folder=$(cd "$1" && pwd) what=${2:-all}
LESSON_LIBRARIES=$folder PYTHONPATH=$folder/installed:$PWD:$PWD/$lesson
CUDA_RUNTIME=$(ldd "$folder/libgelu.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export LESSON_LIBRARIES PYTHONPATH CUDA_RUNTIME
run() { timeout 300 "$python" -X faulthandler -X utf8 -B "$@" 2>&1; } # a segmentation fault names the line of Python

describe_machine
section versions
"$python" -V
"$python" -c 'import torch; print("torch", torch.__version__, "for CUDA", torch.version.cuda)'
nvcc --version | tail -n 2
section built
cat "$folder/built"

if [ "$what" = all ] || [ "$what" = times ]; then
  section "lesson30, SEED=1"
  SEED=1 run $lesson/lesson30.py
  for seed in 1 2; do
    section "calls, SEED=$seed"
    SEED=$seed run $lesson/measured/calls.py
  done
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nfor step in 1 6; do "%s" -X utf8 -B %s --version $step --size 1000 || exit 1; done\n' "$python" "$PWD/$lesson/lesson30.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
