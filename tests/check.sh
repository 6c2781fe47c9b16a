# Sourced by the suites in sh: one line per check, as tests/run counts them.

. emulator/tests/protocol.sh

# What somebody set for a single run is not for the tests.
unset SIZE SEED V N FORCE FILE OUT BASE TIMEOUT ARCH NVCCFLAGS BACKEND MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# Compiled kernels are kept with the build (emulator/README.md), not in the home of who runs the tests.
mkdir -p build/tests
EMULATOR_CACHE=$PWD/build/tests/kernels
export EMULATOR_CACHE
unset EMULATOR_TIER EMULATOR_CC

# unmarked PAGE: the page without the stars of bold numbers in its tables, which a program does not print.
unmarked() { sed '/^|/s/\*\*//g' "$1"; }

# need_jupyterlab NAME: afterwards .venv/ has JupyterLab. Where there is no network to install it from, the suite ends with a skip.
need_jupyterlab() {
  capture sh tools/notebooks/environment.sh
  [ "$status" != 0 ] || return 0
  if grep -Eqs "$no_network" build/venv.log; then
    skip "$1" "JupyterLab cannot be installed: there is no network"
  elif printf '%s\n' "$output" | grep -q 'need Python'; then
    skip "$1" "$(printf '%s\n' "$output" | grep 'need Python')"
  else
    no "$1" "JupyterLab cannot be installed"
    show_output
  fi
  exit 0
}

# need_markdown NAME: afterwards pages can be read as notebooks (tools/notebooks/markdown_blocks.py). Where there is no network to install the parser from, the
# suite ends with a skip.
need_markdown() {
  capture python3 tools/notebooks/markdown_blocks.py
  [ "$status" != 0 ] || return 0
  if printf '%s\n' "$output" | grep -Eq "$no_network|No matching distribution|No module named pip"; then
    skip "$1" "markdown-it-py cannot be installed here"
  else
    no "$1" "there is no parser of Markdown"
    show_output
  fi
  exit 0
}

# need_python NAME LESSON: afterwards there is a Python with what that lesson asks for. Where there is no network to install it from, or it is large,
# the suite ends with a skip.
need_python() {
  capture sh tools/python/environment.sh "$2"
  if [ "$status" = 0 ]; then
    grep -qs '^# headers' lessons/lesson"$2"_*/requirements.txt || return 0
    "$(printf '%s\n' "$output" | tail -n 1)" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' && return 0
    skip "$1" "Python's headers are not installed (python3-dev)"
    exit 0
  fi
  if printf '%s\n' "$output" | grep -q 'DOWNLOAD=0'; then
    skip "$1" "$(printf '%s\n' "$output" | sed -n 's/.*\(lesson .* to download\).*/\1/p'); DOWNLOAD=1 make test does it"
  elif printf '%s\n' "$output" | grep -q 'pip could not install' && cat build/python/*.log | grep -Eq "$no_network|No matching distribution"; then
    skip "$1" "the packages of its requirements.txt cannot be installed here (no network, or none for this Python)"
  else
    no "$1" "there is no Python for it"
    show_output
  fi
  exit 0
}
