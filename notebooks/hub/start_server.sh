#!/bin/sh
# What the hub starts for each user, as that user: at the first login a copy of the workbook in ~/workbook (without solutions,
# and with the emulator that was built already), then JupyterLab.
set -eu
workbook=$(cd "$(dirname "$0")/../.." && pwd)
mine=$HOME/workbook

if ! [ -d "$mine" ]; then
  new=$mine.new.$$
  mkdir "$new"
  (cd "$workbook" && tar -cf - --exclude=./.git --exclude=./.venv --exclude=./build --exclude=./solutions --exclude=./progress.txt .) |
    tar -xf - -C "$new"
  mkdir "$new/build"
  [ ! -d "$workbook/build/emulator" ] || cp -Rp "$workbook/build/emulator" "$new/build/"
  mv "$new" "$mine"
fi
# For notebooks that lie elsewhere, as those that nbgrader fetches.
export WORKBOOK="$mine"
cd "$mine"
exec "$workbook/.venv/bin/jupyterhub-singleuser" "$@"
