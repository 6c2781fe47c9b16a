#!/bin/sh
# `make notebooks` executes notebooks, and one with a failing cell fails, whatever fails in it; `make lab`. execute.test.sh runs every lesson's.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
unset LESSON LIMIT PYTHON
export BACKEND=cpu

need_jupyterlab "the notebooks run"

capture env LESSON=01 sh tools/notebooks/notebooks.sh execute
expect "make notebooks executes a lesson's notebook" 0 '^ok   lesson01_threads: [0-9]+ cells'
if [ -s build/notebooks/executed/lesson01_threads.ipynb ]; then pass "and keeps its outputs"; else no "and keeps its outputs" "there are none"; fi

# small NAME CELL...: a notebook with lesson 03's first cell and these.
small() {
  python3 - "$scratch/$1.ipynb" "$@" <<'END'
import json, sys
path, _, *sources = sys.argv[1:]
given = json.load(open("notebooks/lesson03_relu.ipynb"))
cells = [cell for cell in given["cells"] if cell["id"] in ("setup", *sources)]
for number, source in enumerate(text for text in sources if "\n" in text):
    cells.append({"cell_type": "code", "id": f"cell{number}", "metadata": {}, "source": source, "execution_count": None, "outputs": []})
json.dump({**given, "cells": cells}, open(path, "w"))
END
}

execute() { capture .venv/bin/python tools/notebooks/execute.py "$scratch/executed_notebooks" "$@"; }

small compile '%%nvcc
int main() { return nothing; }'
small crash '%%nvcc
#include <stdlib.h>
int main() { abort(); }'
small python '1 +
2 / 0'
small good '%%nvcc
int main() { return 0; }'
small as_given exercise03
execute "$scratch/compile.ipynb" "$scratch/crash.ipynb" "$scratch/python.ipynb" "$scratch/good.ipynb" "$scratch/as_given.ipynb"
expect "a notebook with a cell that does not compile fails" error '^FAIL compile: cell cell0: CompileError: .*line 2.*nothing'
expect "a notebook with a cell that crashes fails" error '^FAIL crash: cell cell0: ProgramError: .*SIGABRT'
expect "a notebook with a wrong Python cell fails" error '^FAIL python: cell cell0: '
expect "the others of the same run do not" error '^ok   good: 2 cells'
expect "a notebook as it is given fails at its exercise" error '^FAIL as_given: cell exercise03: .*not_implemented'

small slow 'import time
time.sleep(600)'
export LIMIT=3
execute "$scratch/slow.ipynb"
expect "a notebook with a cell that takes too long fails" error '^FAIL slow: cell cell0: it took longer than 3 s'
unset LIMIT

# --- make lab ---

export JUPYTER_CONFIG_DIR="$scratch/config" JUPYTER_RUNTIME_DIR="$scratch/runtime" JUPYTER_DATA_DIR="$scratch/data" NO_BROWSER=1
sh tools/notebooks/notebooks.sh lab >"$scratch/lab" 2>&1 &
lab=$!
trap 'kill $lab 2>/dev/null; wait $lab; rm -rf "$scratch"' EXIT
for second in $(seq 90); do
  address=$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/lab/tree/work?token=[0-9a-f]*\).*|\1|p' "$scratch/lab" | head -n 1)
  [ -z "$address" ] && kill -0 $lab 2>/dev/null || break
  sleep 1
done
ask() { # PATH OF THE API
  capture python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=30).read().decode())' \
    "$(echo "$address" | sed "s|/lab/tree/work|$1|")"
}
ask /api/contents/work
expect "make lab serves copies of the notebooks" 0 'lesson03_relu\.ipynb'
ask /lab/api/settings
output=$(printf '%s' "$output" | python3 -c 'import json, sys
known = {one["id"]: one["schema"].get("properties", {}) for one in json.load(sys.stdin)["settings"]}
print("numbers", known["@jupyterlab/notebook-extension:tracker"]["codeCellConfig"]["default"].get("lineNumbers"))
print("news", known["@jupyterlab/apputils-extension:notification"]["fetchNews"]["default"])')
expect "make lab shows the cells' line numbers" 0 '^numbers True$'
expect "and asks nobody about news" 0 '^news false$'
ask /lab/api/extensions
expect "make lab colours %%nvcc cells" 0 '"name": *"nvcc-highlighting"'
kill $lab
wait $lab || true
trap 'rm -rf "$scratch"' EXIT
unset JUPYTER_CONFIG_DIR JUPYTER_RUNTIME_DIR JUPYTER_DATA_DIR NO_BROWSER

# --- without a network ---

. tests/copy.sh
copy_project
cp -Rp "$project/notebooks" .
capture env PIP_NO_INDEX=1 sh tools/notebooks/notebooks.sh lab
expect "without a network make lab says what to do" error 'could not be installed'
expect "and how to bring the packages by hand" error 'pip download -r notebooks/requirements.txt'
capture env PYTHON=/nowhere/python3 sh tools/notebooks/notebooks.sh execute
expect "without a Python for it make notebooks says what is needed" error 'Python 3.10 or newer.*/nowhere/python3 has not'
