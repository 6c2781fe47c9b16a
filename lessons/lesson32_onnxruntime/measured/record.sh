#!/bin/sh
# record.sh FOLDER [times|counts]: runs lesson 32 on a machine with a GPU and prints what the page's tables are made from, to be kept as
# h200.txt. First build it there:
#     sh lessons/lesson32_onnxruntime/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with NumPy, onnx and ONNX Runtime (python3 otherwise): with onnxruntime-gpu, CUDA's
# and cuDNN's libraries the CUDA provider is measured, too; with PyTorch and onnxscript the export is tried. Each step goes on when the one before
# has failed.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson32_onnxruntime
python=${PYTHON:-python3}

build_all() {
  for name in custom_gelu mistakes; do
    nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
      --shared -Xcompiler -fPIC $lesson/$name.cu -o "$1/lib$name.so" || return 1
    ls -l "$1/lib$name.so" | awk '{ print "bytes", $5, $NF }'
  done
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  build_all "$2" >"$2/built" 2>&1
  status=$?
  cat "$2/built"
  exit $status
fi

folder=$(cd "$1" && pwd) what=${2:-all}
LESSON_LIBRARIES=$folder PYTHONPATH=$PWD:$PWD/$lesson
CUDA_RUNTIME=$(ldd "$folder/libcustom_gelu.so" | sed -n 's/.*\(libcudart\.so\.[0-9]*\) .*/\1/p' | head -n 1)
export LESSON_LIBRARIES PYTHONPATH CUDA_RUNTIME
run() { timeout 100 "$python" -X utf8 -B "$@"; }

describe_machine
section versions
"$python" -V
for package in numpy onnx onnxruntime onnxruntime-gpu torch onnxscript; do
  "$python" -c 'import importlib.metadata as m, sys; print(sys.argv[1], m.version(sys.argv[1]))' $package 2>/dev/null || echo "$package: no package"
done
lscpu | grep 'Model name'
section built
cat "$folder/built"

if [ "$what" = all ] || [ "$what" = times ]; then
  for seed in 1 2; do
    section "lesson32, SEED=$seed"
    SEED=$seed run $lesson/lesson32.py
    section "calls, SEED=$seed"
    SEED=$seed run $lesson/measured/calls.py
  done
  section "from PyTorch"
  run $lesson/from_pytorch/export.py
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  printf '#!/bin/sh\nfor step in 2 4 7; do "%s" -X utf8 -B %s --version $step || exit 1; done\n' "$python" "$PWD/$lesson/lesson32.py" >"$folder/steps"
  chmod +x "$folder/steps"
  export SIZE=1000
  sanitize "$folder/steps" --target-processes all
fi
