#!/bin/sh
# Triton as it comes from PyPI, on the emulator: its compiler and launcher, unchanged. It is installed once, into build/python-triton/.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch
. tests/build_emulator.sh
ready_emulator

here=tests/triton
venv=$build_root/python-triton
suite="Triton on the emulator"

if ! python3 -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 15) and sys.maxsize > 2**32))'; then
  skip "$suite" "Triton and NumPy need Python 3.11 to 3.14"
  exit 0
fi
# Triton compiles a module for Python: its launcher.
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include", "posix_prefix"))')
if [ ! -e "$headers/Python.h" ]; then
  skip "$suite" "Python's headers are not installed (python3-dev)"
  exit 0
fi
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt" && [ "${CI:-}" != true ] && [ "${DOWNLOAD:-}" != 1 ]; then
  skip "$suite" "downloads 200 MB, unpacked 700 MB; DOWNLOAD=1 make test does it"
  exit 0
fi
need_packages "$suite" Triton "$here" "$venv"

# What Triton compiles is kept for this run only.
export TRITON_CACHE_DIR="$scratch/cache" PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1 EMULATOR_TIMEOUT=60
unset EMULATOR_PTXAS TRITON_PTXAS_PATH
emulated() { capture timeout 240 "$build_root/emulator/cuda-emulator" "$@"; }
python=$venv/bin/python

# ---- the kernels ----

# Each function without arguments tests something.
for file in kernels language; do
  emulated "$python" "$here/$file.py"
  functions=$(sed -n 's/^def \([a-z0-9_]*\)():$/\1/p' "$here/$file.py")
  [ -n "$functions" ] || no "$file" "there are no kernels"
  for function in $functions; do
    expect "$function" 0 "^$function agrees with NumPy\$"
  done
  emulated --check "$python" "$here/$file.py"
  expect "nothing is found in them, $file" 0 'ERROR SUMMARY: 0 errors'
  case $output in
  *' reported'* | *Uninitialized*) no "no warning in them, $file" "there is one" && show_output ;;
  *) pass "no warning in them, $file" ;;
  esac
done
# Of tensor descriptors Triton makes copies by tensor maps from 9.0 on, and loads and stores below.
emulated env EMULATOR_CAPABILITY=8.9 "$python" "$here/language.py" tiles described
expect "tensor descriptors, compute capability 8.9" 0 'described agrees with NumPy'
for capability in 8.0 8.9 12.0; do
  emulated env EMULATOR_CAPABILITY="$capability" "$python" "$here/kernels.py" matmul attention
  expect "compute capability $capability" 0 'attention agrees with NumPy'
done
emulated --check "$python" "$here/language.py" atomics dots small_types launches
expect "what the language has, compute capability 9.0" 0 'ERROR SUMMARY: 0 errors'
targets=$(find "$scratch/cache" -name 'matmul_kernel.ptx' -exec grep -h '^\.target' {} + | sort -u | tr '\n' ' ')
case $targets in
'.target sm_80 .target sm_89 .target sm_90a ') pass "Triton has compiled for each" ;;
*) no "Triton has compiled for each" "for $targets" ;;
esac
if find "$scratch/cache" -name '*.ptx' -exec grep -l 'wgmma.mma_async' {} + | grep -q attention_kernel; then
  pass "with wgmma where that is"
else
  no "with wgmma where that is" "there is none in attention_kernel"
fi

emulated "$python" "$here/host_tensors.py"
expect "arguments in CPU memory, and a store behind the end of one" 0 'agrees with NumPy: .*illegal memory access'
expect "its line is named" 0 'at add_kernel in .*host_tensors.py:44'
expect "its size is the tensor's" 0 'of size 4,000 bytes .argument 3'
if "$python" -c 'import torch' 2>/dev/null; then
  emulated "$python" "$here/host_tensors.py" torch
  expect "PyTorch's tensors in CPU memory" 0 'agrees with NumPy: .*illegal memory access'
else
  skip "PyTorch's tensors in CPU memory" "PyTorch is not installed in $venv"
fi
# Triton's tutorials are in its repository, not in its package: TRITON_TUTORIALS=folder names python/tutorials of the same version.
for tutorial in 01-vector-add 02-fused-softmax 03-matrix-multiplication; do
  if [ ! -f "${TRITON_TUTORIALS:-}/$tutorial.py" ]; then
    skip "Triton's tutorial $tutorial, as it is" "TRITON_TUTORIALS names no folder with it"
  elif ! "${PYTHON:-$python}" -c 'import torch, triton' 2>/dev/null; then
    skip "Triton's tutorial $tutorial, as it is" "PYTHON names no Python with PyTorch and Triton"
  else
    emulated "${PYTHON:-$python}" "$here/tutorial.py" "$TRITON_TUTORIALS/$tutorial.py"
    expect "Triton's tutorial $tutorial, as it is" 0 'agrees with NumPy'
  fi
done
if [ -n "$GPU_NAME" ]; then
  skip "in a shell with . build/env" "there is a GPU"
elif [ -z "$workbook" ]; then
  skip "in a shell with . build/env" "that is a file of the workbook"
else
  capture sh -c '. ../build/env && exec "$@"' sh "$python" "$here/kernels.py" add
  expect "in a shell with . build/env" 0 'add agrees with NumPy'
fi

# ---- what is said of them ----

emulated --check "$python" "$here/race.py"
expect "a race: both lines of Python are named" 0 'thread .0,0,0. of block .(1,0,0. wrote element 63|2,0,0. wrote element 126) of argument 2'
expect "the other line is named" 0 'race.py:13 while thread .63,0,0. of block .[01],0,0. wrote it at'
expect "the source is shown" 0 '13 \| tl.store\(out \+ i, tl.load'
emulated "$python" "$here/assertion.py"
expect "an assertion is reported with its line" error 'assertion.py:13: .*Assertion `must be positive` failed'
expect "what a kernel prints is seen" error 'element: 1.5'
emulated --profile=csv "$python" "$here/kernels.py" add
line=$(grep -n 'tl.store(out + i, tl.load(x + i' "$here/kernels.py" | cut -d: -f1)
expect "a profile names the lines of Python" 0 "kernels.py\",\"$line\""
emulated --profile "$python" "$here/kernels.py" add
expect "registers are Triton's ptxas's" 0 'Registers Per Thread.*sm_90, from the program'

# ---- the stand-in for ptxas ----

ptxas=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/triton/backends/nvidia/bin/ptxas
stand_in() { capture env EMULATOR_PTXAS="$ptxas" "$build_root/emulator/cuda-emulator-ptxas" "$@"; }
stand_in --version
expect "its version is ptxas's" 0 '^Cuda compilation tools, release'
expect "it says what it is for" 0 "for the CUDA emulator $(cat VERSION)\$"
ptx=$(find "$scratch/cache" -name matmul_kernel.ptx -exec grep -l '^\.target sm_80' {} + | head -n 1)
for architecture in "--gpu-name=sm_89" "-arch sm_90a"; do
  # shellcheck disable=SC2086 # two words
  stand_in -lineinfo -v $architecture "$ptx" -o "$scratch/out"
  expect "it says what ptxas says, $architecture" 0 'Used [0-9]+ registers'
  capture "${ptxas%/*}/cuobjdump" -lelf -lptx "$scratch/out"
  expect "its result has the machine code, $architecture" 0 "ELF file .*${architecture##*[= ]}"
  expect "its result has the PTX, $architecture" 0 "PTX file .*${architecture##*[= ]}"
  if [ "$(grep -a '^[[:space:]]*\.loc' "$scratch/out")" = "$(grep '^[[:space:]]*\.loc' "$ptx")" ]; then
    pass "with its lines, $architecture"
  else
    no "with its lines, $architecture" "they differ"
  fi
done
sed 's/mov.u32/move.u32/' "$ptx" >"$scratch/wrong.ptx"
stand_in --gpu-name=sm_89 "$scratch/wrong.ptx" -o "$scratch/wrong"
expect "what ptxas refuses is refused" 255 "Not a name of any known instruction: 'move'"
capture env -u EMULATOR_PTXAS "$build_root/emulator/cuda-emulator-ptxas" --version
expect "it needs the real one" 1 'EMULATOR_PTXAS does not name a ptxas'
capture env EMULATOR_PTXAS="$scratch/nothing" "$build_root/emulator/cuda-emulator-ptxas" --version
expect "it says when that is not there" 1 "EMULATOR_PTXAS=$scratch/nothing cannot be started"
