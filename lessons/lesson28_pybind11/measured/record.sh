#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 28 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson28_pybind11/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy, pybind11, scikit-build-core, CMake and ninja (python3 otherwise); with
# PyTorch the libtorch part is tried as well. No network is needed. Each step goes on when the one before has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson28_pybind11
python=$(command -v "${PYTHON:-python3}")
CUDACXX=$(command -v nvcc) CUDAARCHS='90-real;75-virtual' JOBS=8 SKBUILD_CMAKE_DEFINE=SHOW_ERRORS=ON
PATH=$(dirname "$python"):$PATH
export CUDACXX CUDAARCHS JOBS SKBUILD_CMAKE_DEFINE PATH

# The seconds that a command took, and what it said if it failed.
timed() { # NAME COMMAND...
  name=$1 start=$(date +%s.%N)
  shift
  if "$@" >"$folder/said" 2>&1; then result=done; else result=failed; tail -n 15 "$folder/said"; fi
  echo "$name $(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }') s $result"
}

build_all() {
  export SKBUILD_BUILD_DIR="$folder/cmake"
  timed "pip wheel" timeout 300 "$python" -m pip wheel --no-build-isolation --no-deps --no-index -w "$folder/wheel" ./$lesson/package
  timed "pip install" timeout 60 "$python" -m pip install --quiet --no-deps --no-index --target "$folder/installed" "$folder"/wheel/*.whl
  ls -l "$folder"/wheel/*.whl "$folder"/installed/gelu_pybind11/*.so | awk '{ print "bytes", $5, $NF }'
  timeout 200 sh $lesson/libtorch/try.sh "$python" "$folder/libtorch" >"$folder/libtorch.said" 2>&1 &
  nvcc -O3 -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 --shared \
    -Xcompiler -fPIC lessons/lesson27_ctypes/gelu.cu -o "$folder/libgelu.so"
  "$CXX" -O2 -shared -fPIC lessons/lesson27_ctypes/measured/loop.cpp -o "$folder/libloop.so"
  wait
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
run() { timeout 60 "$python" -X utf8 -B "$@"; }

describe_machine
section versions
"$python" -V
"$python" -m pip list 2>/dev/null | grep -iE '^(numpy|pybind11|scikit.build.core|cmake|ninja|torch) '
section built
cat "$folder/built"

if [ "$what" = all ] || [ "$what" = times ]; then
  for seed in 1 2; do
    section "lesson28, SEED=$seed"
    SEED=$seed run $lesson/lesson28.py
    section "calls, SEED=$seed"
    SEED=$seed run $lesson/measured/calls.py
  done
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nfor step in 3 5; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson28.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
section libtorch
cat "$folder/libtorch.said"
