#!/bin/sh
# environment.sh: the virtual environment of this project's notebooks in .venv/, as notebooks/requirements.txt pins it. Made once,
# and again when that file has changed. PYTHON names another Python 3.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

python=${PYTHON:-python3}
wanted=notebooks/requirements.txt
made=.venv/made_from

# Importing JupyterLab takes seconds; whether this Python has it takes none.
has_jupyterlab() { .venv/bin/python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("jupyterlab") is None)' 2>/dev/null; }
is_current() { [ -x .venv/bin/python ] && cmp -s "$wanted" "$made" && has_jupyterlab; }

explain_python() {
  fail "notebooks need Python 3.10 or newer with its venv module; $python has not." \
    "sudo apt-get install python3-venv         (Debian, Ubuntu)" \
    "PYTHON=/path/to/python3 make ...          (another Python)"
}

explain_network() {
  fail "JupyterLab could not be installed into .venv/ (pip's last words are above, all of them in build/venv.log)." \
    "With a network, run this again. Without one, on a machine that has both a network and the same Python:" \
    "  python3 -m pip download -r notebooks/requirements.txt -d wheels" \
    "then copy that folder here, and: PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make notebooks" \
    "Or use a Jupyter of your own: the notebooks in notebooks/ need nothing else than this folder around them."
}

make_it() {
  "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || explain_python
  say "installing JupyterLab into .venv/ (once; about 70 MB to download, 250 MB on disk)"
  rm -rf .venv
  "$python" -m venv .venv >&2 || explain_python
  if ! .venv/bin/python -m pip install --quiet --retries 2 --disable-pip-version-check -r "$wanted" >build/venv.log 2>&1; then
    grep -v '^WARNING' build/venv.log | tail -n 5 >&2
    explain_network
  fi
  cp "$wanted" "$made"
}

# Two at once: the second waits for the first.
mkdir -p build
if command -v flock >/dev/null; then
  exec 9>build/venv.lock
  flock 9
fi
is_current || make_it
extensions=.venv/share/jupyter/labextensions/nvcc-highlighting
mkdir -p "$extensions"
cp notebooks/highlighting/package.json notebooks/highlighting/remoteEntry.js "$extensions"

# Reports name lines, so cells show their numbers; long lines are wrapped; nothing pops up over the page. A user's own settings come
# before these.
mkdir -p .venv/share/jupyter/lab/settings
cp tools/notebooks/overrides.json .venv/share/jupyter/lab/settings/overrides.json
