#!/bin/sh
# The emulator as a thing of its own: installed into a folder with a space in its path, its launcher, its wheel, and what it
# tells programs that link NVIDIA's runtime statically.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh
ready_emulator

make_scratch
prefix="$scratch/a place"
version=$(cat VERSION)
program=tests/install/touches.cu

# What the tests have built is up to date, so nothing is compiled here.
capture make_emulator BUILD="$plain_emulator" install PREFIX="$prefix"
expect 'make install' 0 ''
for file in bin/cuda-emulator lib/cuda-emulator/libcudart.so "lib/cuda-emulator/libcudart.so.$CUDA_MAJOR" lib/cuda-emulator/libcuda.so.1 \
  "lib/cuda-emulator/libcuda-emulator.so.$CUDA_MAJOR" lib/cuda-emulator/libcuda.so \
  lib/cuda-emulator/libnvrtc.so.12 lib/cuda-emulator/libnvrtc.so.13 lib/cuda-emulator/libnvvm.so.4 \
  lib/cuda-emulator/libnvJitLink.so.12 lib/cuda-emulator/libnvJitLink.so.13 \
  lib/cuda-emulator/cuda-emulator-ptxas lib/cuda-emulator/python/cuda_emulator_triton/driver.py \
  include/cuda-emulator/emulator.h share/doc/cuda-emulator/README.md share/doc/cuda-emulator/LICENSE; do
  if [ -s "$prefix/$file" ]; then pass "installed: $file"; else no "installed: $file" "it is not there"; fi
done
emulator=$prefix/bin/cuda-emulator

compile() { # OUTPUT OPTIONS...
  target=$1
  shift
  "$NVCC" ${HOST_COMPILER:+-ccbin "$HOST_COMPILER"} -Wno-deprecated-gpu-targets -arch=compute_75 -lineinfo "$@" -o "$target" "$program"
}
compile "$scratch/shared" -cudart shared
compile "$scratch/static" -cudart static
compile "$scratch/static.so" -cudart static -shared -Xcompiler -fPIC

unset LD_LIBRARY_PATH
capture "$emulator" --version
expect '--version' 0 "^cuda-emulator $version\$"
capture "$emulator" --help
expect '--help names every option' 0 '--check.*'
for option in --check --profile --view --timeout --threads --devices --error-exitcode --quiet --where --version; do
  case $output in *"$option"*) ;; *) no '--help names every option' "$option is missing" ;; esac
done
capture "$emulator" --where
expect '--where' 0 "^$prefix/lib/cuda-emulator\$"
capture "$emulator" "$scratch/shared"
expect 'runs a program' 0 '^touched: cudaSuccess$'
capture "$emulator" "$scratch/shared" over
expect "the program's exit status and arguments are its own" 3 'Invalid __global__ write of size 4 bytes'
capture "$emulator" --check --error-exitcode 7 "$scratch/shared" over
expect '--check, --error-exitcode' 7 'touches.cu:6'
capture "$emulator" --profile=csv "$scratch/shared"
expect '--profile' 0 'touch'
capture "$emulator" --view="$scratch/pictures" "$scratch/shared"
expect '--view' 0 ''
case $(ls "$scratch/pictures") in *.svg*) pass '--view draws' ;; *) no '--view draws' 'there is no SVG file' ;; esac
capture "$emulator" --threads=1 --devices 2 --timeout=5 --quiet -- "$scratch/shared"
expect 'all other options' 0 '^touched: cudaSuccess$'
capture "$emulator" python3 -c 'from cuda_emulator_triton.libcuda import is_emulator; print(is_emulator())'
expect "Triton's backend finds it" 0 '^True$'
capture "$emulator" python3 -c 'from importlib.metadata import distribution as d; print(d("cuda-emulator-triton").entry_points)'
expect 'Triton finds its backend' 0 'cuda_emulator_triton.*triton.backends'
capture "$emulator" sh -c 'exec "$0"' "$scratch/shared"
expect 'a program that starts the program' 0 '^touched: cudaSuccess$'

# What it refuses, before anything is started.
capture "$emulator" "$scratch/static"
expect 'static runtime, by the launcher' 2 'nvcc -cudart shared'
capture env LD_LIBRARY_PATH="$prefix/lib/cuda-emulator" "$scratch/static"
expect 'static runtime, by libcuda.so.1' 3 'nvcc -cudart shared'
if [ "$(printf '%s\n' "$output" | grep -c 'libcuda.so.1')" = 1 ]; then
  pass 'it says so once'
else
  no 'it says so once' 'not once'
fi
capture env LD_LIBRARY_PATH="$prefix/lib/cuda-emulator" python3 -c '
import ctypes, sys
ctypes.CDLL(sys.argv[1]).main(1, (ctypes.c_char_p * 2)(b"static", None))' "$scratch/static.so"
expect 'a library for Python with the static runtime: which it is' 0 'static\.so requests private tables of NVIDIA'
expect 'and that packages like it need a GPU' 0 'such as CuPy, need a GPU'
capture "$emulator" --chek "$scratch/shared"
expect 'an option that is not there' 2 'unknown option --chek'
capture "$emulator" --timeout=soon "$scratch/shared"
expect 'not a number' 2 'soon: not a number'
capture "$emulator" --timeout
expect 'a value is missing' 2 'needs a value'
capture "$emulator"
expect 'no program' 2 'no program given'
capture "$emulator" "$scratch/nothing"
expect 'a program that is not there' 2 'there is no program'
capture sh -c 'cd "$1" && exec "$2" shared' sh "$scratch" "$emulator"
expect 'a program of this folder without ./' 2 'Did you mean ./shared'

# A program of another version of CUDA, as far as its headers say.
echo 'int cudaRuntimeGetVersion(int *v) { return *v = 0; }' >"$scratch/other.c"
echo 'int cudaRuntimeGetVersion(int *); int main(void) { int v; return cudaRuntimeGetVersion(&v); }' >"$scratch/main.c"
gcc -shared -fPIC -Wl,-soname,libcudart.so.11 -o "$scratch/libcudart.so.11" "$scratch/other.c"
gcc -o "$scratch/eleven" "$scratch/main.c" "$scratch/libcudart.so.11"
capture "$emulator" "$scratch/eleven"
expect "another CUDA's program" 2 'CUDA_MAJOR=11'

# Headers that lie: whatever a damaged file says, the launcher neither crashes nor reads behind its end.
cat >"$scratch/damage.py" <<'END'
import random, subprocess, sys
emulator, source, scratch = sys.argv[1:]
whole = open(source, "rb").read()
random.seed(1)
for trial in range(60):
    data = bytearray(whole[: random.randrange(len(whole))] if trial % 3 == 0 else whole)
    for _ in range(8):
        # the header, and the table of sections at the end
        where = random.choice([random.randrange(0, 64), len(data) - 1 - random.randrange(0, 2400)])
        if 0 <= where < len(data):
            data[where] = random.randrange(256)
    path = f"{scratch}/damaged"
    with open(path, "wb") as file:
        file.write(data)
    # Not executable: the launcher reads it, and starting it fails.
    status = subprocess.run([emulator, path], capture_output=True).returncode
    if status != 2:
        sys.exit(f"trial {trial}: status {status}")
END
capture python3 "$scratch/damage.py" "$emulator" "$scratch/static" "$scratch"
expect 'damaged executables' 0 ''

capture make_emulator BUILD="$plain_emulator" uninstall PREFIX="$prefix"
expect 'make uninstall' 0 ''
if [ -z "$(find "$prefix" -type f)" ]; then pass 'nothing is left'; else no 'nothing is left' "$(find "$prefix" -type f | head -n 3)"; fi

# The package for Python: the user's compiler makes the library. A small -O level is enough to see that.
wheel='pip install ./emulator'
python3 -m venv "$scratch/venv"
before=$(ls . package)
capture timeout 400 env PIP_DEFAULT_TIMEOUT=5 CUDA_EMULATOR_CFLAGS=-O0 "$scratch/venv/bin/pip" install -q --retries 1 .
if [ "$status" != 0 ] && printf '%s\n' "$output" | grep -Eq "$no_network|No matching distribution"; then
  skip "$wheel" "there is no network"
  exit 0
fi
expect "$wheel" 0 ''
if [ "$CUDA_MAJOR" = 13 ]; then
  capture "$scratch/venv/bin/cuda-emulator" "$scratch/shared"
  expect "$wheel: runs a program" 0 '^touched: cudaSuccess$'
else
  skip "$wheel: runs a program" "the wheel is for CUDA 13, and nvcc here is $CUDA_MAJOR's"
fi
capture "$scratch/venv/bin/cuda-emulator" --version
expect "$wheel: its version" 0 "^cuda-emulator $version\$"
capture "$scratch/venv/bin/python" -c 'from importlib.metadata import distribution as d; print(d("cuda-emulator").entry_points)'
expect "$wheel: Triton finds its backend" 0 'cuda_emulator_triton.*triton.backends'
capture "$scratch/venv/bin/cuda-emulator" "$scratch/venv/bin/python" -c '
from cuda_emulator_triton import libcuda
print(libcuda.is_emulator(), libcuda.beside_library("cuda-emulator-ptxas"))'
expect "$wheel: that has a ptxas" 0 '^True .*/cuda_emulator/lib/cuda-emulator-ptxas$'
# Other packages look for the library there.
capture sh -c 'ls "$("$1" -c "import importlib.util; print(importlib.util.find_spec(\"cuda_emulator\").submodule_search_locations[0])")/lib"' \
  sh "$scratch/venv/bin/python"
expect "$wheel: its library is in lib/ of the package" 0 '^libcudart\.so'
if [ "$(ls . package)" = "$before" ]; then
  pass "$wheel: leaves nothing in emulator/"
else
  no "$wheel: leaves nothing in emulator/" "$(ls . package | tr '\n' ' ')"
fi
