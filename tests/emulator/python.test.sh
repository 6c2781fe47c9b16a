#!/bin/sh
# Python's packages for CUDA as they come from PyPI, on the emulator's libcuda.so.1: cuda-core with NVRTC, and Numba. They are installed once,
# into build/python-cuda/.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tools/messages.sh
make_scratch

here=tests/emulator/python
venv=build/python-cuda
suite="cuda-core and Numba on the emulator"

if [ "$CUDA_MAJOR" != 13 ]; then
  skip "$suite" "the packages are for CUDA 13, and this emulator is for $CUDA_MAJOR"
  exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) or sys.version_info >= (3, 15))'; then
  skip "$suite" "the packages need Python 3.11 to 3.14"
  exit 0
fi
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
  rm -rf "$venv"
  capture sh -c "python3 -m venv '$venv' && '$venv/bin/pip' install -q --only-binary=:all: -r '$here/requirements.txt'"
  if [ "$status" != 0 ]; then
    if printf '%s\n' "$output" | grep -Eq "$no_network|No matching distribution"; then
      skip "$suite" "the packages cannot be installed here (no network, or none for this Python)"
    else
      no "$suite" "the packages cannot be installed"
      show_output
    fi
    exit 0
  fi
  cp "$here/requirements.txt" "$venv/installed.txt"
fi

. tests/emulator/use_emulator.sh
export NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0 PYTHONWARNINGS=ignore
python() { capture timeout 120 "$venv/bin/python" "$@"; }

for kind in ptx cubin; do
  python "$here/nvrtc.py" "$kind"
  expect "cuda-core and NVRTC, $kind" 0 'agrees with NumPy'
done
python "$here/numba_kernels.py"
expect "Numba's kernels" 0 'agrees with NumPy'
case $output in
*libcuda*) no "they say nothing about private tables" "they do" && show_output ;;
*) pass "they say nothing about private tables" ;;
esac

EMULATOR_CHECK=all
export EMULATOR_CHECK
python "$here/numba_kernels.py"
expect "nothing is found in them" 0 'agrees with NumPy'
case $output in
*'Race reported'* | *Invalid*) no "no finding in them" "there is one" && show_output ;;
*) pass "no finding in them" ;;
esac
python "$here/numba_race.py"
expect "a race in Numba's kernel: both lines of Python are named" 0 'at tests.emulator.python.numba_race.py:12 while'
expect "the other line is named" 0 'wrote it at tests.emulator.python.numba_race.py:11'
expect "the source is shown" 0 '12 \| out\[i\] = tile\[63 - i\]'
expect "its name is that of the function" 0 'reverse\(Array<float, 1'
