#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 35 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson35_ivf_flat/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy, pybind11, scikit-build-core, CMake and ninja (python3 otherwise); what it
# has of faiss-cpu, cuVS and PyTorch is raced as well. No network is needed. Each step goes on when the one before has failed.
# (recall.txt is another record, which needs no GPU: recall.py.)
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson35_ivf_flat
python=$(command -v "${PYTHON:-python3}")
CUDACXX=$(command -v nvcc) CUDAARCHS='90-real;75-virtual' JOBS=8
PATH=$(dirname "$python"):$PATH
export CUDACXX CUDAARCHS JOBS PATH

build_all() {
  export SKBUILD_BUILD_DIR="$folder/cmake"
  timeout 500 "$python" -m pip wheel --no-build-isolation --no-deps --no-index -w "$folder/wheel" ./$lesson/package >"$folder/said" 2>&1 &&
    "$python" -m pip install --quiet --no-deps --no-index --target "$folder/installed" "$folder"/wheel/*.whl >>"$folder/said" 2>&1 ||
    tail -n 15 "$folder/said"
  ls -l "$folder"/wheel/*.whl "$folder"/installed/ivf_flat/*.so | awk '{ print "bytes", $5, $NF }'
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
  build_all >"$folder/built" 2>&1
  cat "$folder/built"
  exit
fi

folder=$(cd "$1" && pwd) what=${2:-all}
PYTHONPATH=$folder/installed:$PWD:$PWD/$lesson
CUDA_RUNTIME=$(ldd "$folder"/installed/ivf_flat/*.so | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export PYTHONPATH CUDA_RUNTIME
run() { timeout 280 "$python" -X utf8 -B "$@" 2>&1; }

describe_machine
section versions
"$python" -V
"$python" -m pip list 2>/dev/null | grep -iE '^(numpy|pybind11|torch|faiss|cuvs|nvidia-cuda-runtime)'
section built
cat "$folder/built"

if [ "$what" = all ] || [ "$what" = times ]; then
  section "lesson35, SEED=1"
  SEED=1 run $lesson/lesson35.py
  for seed in 1 2; do
    section "race, SEED=$seed"
    SEED=$seed run $lesson/measured/race.py
  done
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nfor step in 3 5; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson35.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
