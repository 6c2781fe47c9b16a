#!/bin/sh
# What the hub starts for each user, as that user: at the first login a copy of the workbook in ~/workbook (with the emulator
# that was built already; the hub runs from a student's copy, which has no solutions), then JupyterLab.
set -eu
workbook=$(cd "$(dirname "$0")/../.." && pwd)
mine=$HOME/workbook

if [ -d "$workbook/solutions" ]; then
  echo "$workbook has solutions, which everybody here could read: run the hub from a copy that make student-copy has made." >&2
  exit 1
fi

if ! [ -d "$mine" ]; then
  new=$mine.new.$$
  mkdir "$new"
  (cd "$workbook" && tar -cf - --exclude=./.git --exclude=./.venv --exclude=./build --exclude=./work --exclude=./progress.txt .) |
    tar -xf - -C "$new"
  mkdir "$new/build"
  [ ! -d "$workbook/build/emulator" ] || cp -Rp "$workbook/build/emulator" "$new/build/"
  mv "$new" "$mine"
fi
# For notebooks that lie elsewhere, as those that nbgrader fetches.
export WORKBOOK="$mine"
cd "$mine"
"$workbook/.venv/bin/python" tools/notebooks/copies.py work
exec "$workbook/.venv/bin/jupyterhub-singleuser" "$@"
