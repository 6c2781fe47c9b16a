#!/bin/sh
# magic_install.sh SCRATCH: `pip install ./notebooks/nvcc_magic` into a fresh environment outside of the project, and a
# cell there.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
scratch=$1
project=$PWD

# IPython comes from the project's environment; what is tried here is nvcc_magic's own installation.
python3 -m venv "$scratch/venv"
packages=$(echo .venv/lib/python3*/site-packages)
for folder in "$scratch"/venv/lib/python3*/site-packages; do echo "$PWD/$packages" >"$folder/project.pth"; done
capture "$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps ./notebooks/nvcc_magic
if [ "$status" != 0 ]; then
  skip "nvcc_magic in an environment of its own" "pip cannot install it here: $(printf '%s' "$output" | tail -n 1)"
  exit 0
fi

cat >"$scratch/cell.py" <<'END'
import nvcc_magic

CELL = r"""%%nvcc
#include <cstdio>
__global__ void k() { printf("from a kernel\n"); }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
print(nvcc_magic.__file__)
shell.run_line_magic("load_ext", "nvcc_magic")
result = shell.run_cell(CELL)
raise SystemExit(not result.success)
END
mkdir -p "$scratch/elsewhere"
cd "$scratch/elsewhere"
unset PYTHONPATH
capture "$scratch/venv/bin/python" "$scratch/cell.py"
expect "installed elsewhere, it finds the emulator it came with" 0 '^from a kernel'
expect "it is the installed one" 0 "^$scratch/venv/"
capture env NVCC_MAGIC_EMULATOR="$project/build/emulator" "$scratch/venv/bin/python" "$scratch/cell.py"
expect "an emulator that the user names" 0 '^from a kernel'
rm -f "$scratch"/venv/lib/python3*/site-packages/nvcc_magic-*.dist-info/direct_url.json
capture "$scratch/venv/bin/python" "$scratch/cell.py"
expect "without the workbook it finds nvcc, and says how to get the emulator" error 'nvcc [0-9.]*; nothing here can run kernels'
