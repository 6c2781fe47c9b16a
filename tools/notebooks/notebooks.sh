#!/bin/sh
# notebooks.sh execute|lab: `make notebooks` builds every lesson's notebook with the exercise solved and executes it; `make lab`
# starts JupyterLab on copies of the notebooks in work/, which are the student's own.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

build=build/notebooks

# The emulator is built before, so that no cell's time goes into it.
prepare() {
  sh tools/notebooks/environment.sh
  [ "${BACKEND:-auto}" = gpu ] || sh tools/compile/emulator.sh
}

# LESSON=03 executes that one, LIMIT=60 gives each cell that many seconds.
execute() {
  prepare
  rm -rf "$build/solved" "$build/executed"
  .venv/bin/python tools/notebooks/make.py --solved "$build/solved" ${LESSON:-} >/dev/null
  say "executing the notebooks of $build/solved; with their outputs they go to $build/executed"
  .venv/bin/python tools/notebooks/execute.py "$build/executed" "$build/solved"/*.ipynb
}

# NO_BROWSER=1: prints the address only, as on a machine that you reach by ssh.
lab() {
  prepare
  .venv/bin/python tools/notebooks/copies.py work >&2 || fail "the notebooks could not be copied into work/; the reason is above."
  set -- ${NO_BROWSER:+--no-browser}
  [ "$(id -u)" != 0 ] || set -- "$@" --allow-root # in a container one often is
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # a make in its terminal is one of its own
  exec .venv/bin/jupyter lab --ServerApp.root_dir="$PWD" --LabApp.default_url=/lab/tree/work "$@"
}

case $1 in
execute | lab) "$1" ;;
*) fail "notebooks.sh: unknown action $1" ;;
esac
