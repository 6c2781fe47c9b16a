#!/bin/sh
# Python's packages for CUDA as they come from PyPI, on the emulator's libcuda.so.1: cuda-core with NVRTC, and Numba. They are installed once,
# into build/python-cuda/.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

here=tests/python
venv=$build_root/python-cuda
suite="cuda-core and Numba on the emulator"

if [ "$CUDA_MAJOR" != 13 ]; then
  skip "$suite" "the packages are for CUDA 13, and this emulator is for $CUDA_MAJOR"
  exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) or sys.version_info >= (3, 15))'; then
  skip "$suite" "the packages need Python 3.11 to 3.14"
  exit 0
fi
need_packages "$suite" "the packages" "$here" "$venv"

. tests/use_emulator.sh
python() { capture timeout 120 "$venv/bin/python" "$@"; }

# ---- cuda-core and cuda-bindings: machine code of NVRTC's, as it comes by default; links by nvJitLink ----

for kind in ptx cubin; do
  python "$here/nvrtc.py" "$kind"
  expect "cuda-core and NVRTC, $kind" 0 'agrees with NumPy'
done
python "$here/nvrtc_linker.py"
for parts in 'ptx ptx' 'cubin cubin' 'cubin ptx' 'ltoir ltoir' 'ltoir ptx'; do
  expect "cuda-core's Linker, $parts" 0 "^$parts linked: agrees with NumPy"
done
expect "cuda-core's Linker, to PTX" 0 '^ltoir ltoir linked to PTX: agrees with NumPy'
expect "a link without a function fails" 0 'a function is missing: nvJitLinkError ERROR_INTERNAL'
expect "and names it" 0 "nvJitLink error log: error   : function 'twice\(float\)' is not defined"
expect "a link of no PTX fails" 0 'no PTX: nvJitLinkError ERROR_PTX_COMPILE'
expect "and names its line" 0 'line 4'
python "$here/core_graph.py"
expect "cuda-core's graphs, events and attributes of kernels" 0 'agrees with NumPy'
python "$here/nvrtc_bindings.py" driver
expect "cuda-bindings and NVRTC" 0 'agrees with NumPy'
expect "NVRTC's own words of a mistake" 0 'wrong.cu\(1\): error: identifier "undeclared" is undefined'
python "$here/nvrtc_bindings.py" first
expect "NVRTC before the driver: it says what to do" 1 'or is started by cuda-emulator'
launcher=$(readlink -f "${EMULATOR_DIR:-$build_root/emulator}/cuda-emulator")
if [ -x "$launcher" ]; then
  capture env -u LD_LIBRARY_PATH timeout 120 "$launcher" "$venv/bin/python" "$here/nvrtc_bindings.py" first
  expect "NVRTC before the driver, by cuda-emulator" 0 'agrees with NumPy'
fi

# ---- Numba: intermediate code for the link-time optimizer, by default ----

export NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0 PYTHONWARNINGS=ignore
python "$here/numba_kernels.py"
expect "Numba's kernels" 0 'agrees with NumPy'
case $output in
*libcuda*) no "they say nothing about private tables" "they do" && show_output ;;
*) pass "they say nothing about private tables" ;;
esac
python "$here/numba_examples.py"
for example in host_arrays vector_addition matrix_product reductions atomics universal_functions device_functions warps \
  cooperative_grids dynamic_shared_memory; do
  expect "Numba, $example" 0 "^$example agrees with NumPy"
done

# Numba's own tests of the examples in its documentation, as they are installed.
examples=$(find "$venv"/lib/python3*/site-packages/numba_cuda/numba/cuda/tests/doc_examples -name 'test_*.py' | sort |
  sed 's|.*/\(.*\)\.py|numba.cuda.tests.doc_examples.\1|')
count=$(printf '%s\n' "$examples" | wc -l)
if [ "$count" -ge 10 ]; then pass "Numba's tests are there"; else no "Numba's tests are there" "$count of them"; fi
python -m unittest $examples
expect "the examples in Numba's documentation, by its own tests" 0 '^OK$'

EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck
export EMULATOR_CHECK
for program in kernels examples; do
  python "$here/numba_$program.py"
  expect "numba_$program.py with checks" 0 'agrees with NumPy'
  expect "numba_$program.py: no finding" 0 'ERROR SUMMARY: 0 errors'
done
python "$here/numba_race.py"
expect "a race in Numba's kernel: both lines of Python are named" 0 'at tests.python.numba_race.py:12 while'
expect "the other line is named" 0 'it at tests.python.numba_race.py:11'
expect "the source is shown" 0 '12 \| out\[i\] = tile\[63 - i\]'
expect "its name is that of the function" 0 'reverse\(Array<float, 1'

# Counts and pictures, with the lines of Python.
unset EMULATOR_CHECK
capture env EMULATOR_PROFILE=csv timeout 120 "$venv/bin/python" "$here/numba_race.py"
expect "a profile of Numba's kernel names its lines" 0 'numba_race.py","12"'
capture env EMULATOR_VIEW="$scratch/pictures" EMULATOR_VIEW_LINE=12 timeout 120 "$venv/bin/python" "$here/numba_race.py"
expect "pictures of Numba's kernel name the line" 0 '^line 12, shared load: out.i. = tile'
case $(ls "$scratch/pictures") in *.svg*) pass "they are drawn" ;; *) no "they are drawn" "there is no SVG file" ;; esac
capture env EMULATOR_PROFILE=csv timeout 120 "$venv/bin/python" "$here/nvrtc.py" ptx
expect "a profile of NVRTC's kernel" 0 'axpy'
