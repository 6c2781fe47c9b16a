#!/bin/sh
# try.sh PYTHON FOLDER: builds the modules of this folder there, for a Python that can import torch, and tries them. With cmake and ninja from
# the PATH, or from that Python's packages. CUDACXX, CUDAARCHS: CMake's own variables.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
PATH=$(dirname "$python"):$PATH
cmake -G Ninja -S "$here" -B "$folder" -DPython_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=Release >"$folder/log" 2>&1 &&
  cmake --build "$folder" -j "${JOBS:-2}" >>"$folder/log" 2>&1 || {
  grep -nE 'rror|FAILED' "$folder/log" | head -n 20
  echo "FAIL: it does not build; all that was said: $folder/log"
  exit 1
}
exec "$python" -B "$here/try.py" "$folder"
