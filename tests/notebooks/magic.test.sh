#!/bin/sh
# nvcc_magic, the notebooks' %%nvcc: its parts in plain Python, then a notebook whose cells go right and wrong in every way,
# and an installation outside of the project.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu

if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  python3 tests/notebooks/magic_units.py
else
  skip "nvcc_magic's parts" "python3 is older than 3.9"
fi

need_jupyterlab "nvcc_magic in a notebook"
.venv/bin/python tests/notebooks/magic_cells.py "$scratch"
sh tests/notebooks/magic_install.sh "$scratch"
