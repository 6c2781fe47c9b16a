# Sourced by the suites in sh: one line per check, as tests/run counts them.

# What somebody set for a single run is not for the tests.
unset SIZE SEED V N FORCE FILE OUT BASE TIMEOUT ARCH NVCCFLAGS BACKEND MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# What is larger than 60 MB is downloaded in CI, or with DOWNLOAD=1.
[ "${CI:-}" = true ] || DOWNLOAD=${DOWNLOAD:-0}
export DOWNLOAD

# Compiled kernels are kept with the build (emulator/README.md), not in the home of who runs the tests.
mkdir -p build/tests
EMULATOR_CACHE=$PWD/build/tests/kernels
export EMULATOR_CACHE
unset EMULATOR_TIER EMULATOR_CC

# pass NAME · no NAME WHY · skip NAME REASON
pass() { echo "ok $1"; }
no() { echo "not ok $1: $2"; }
skip() { echo "skip $1: $2"; }

# Runs a command: its output (both streams) in $output, its exit status in $status.
capture() {
  status=0
  output=$("$@" 2>&1 </dev/null) || status=$?
}

# The output so far, indented, where a failed check wants to show it.
show_output() { printf '%s\n' "$output" | head -n 30 | sed 's/^/    | /'; }

# expect NAME STATUS PATTERN: what `capture` saw. STATUS is a number, or "error" for any but 0; PATTERN is for grep -E.
expect() {
  case $2-$status in
  "$status-$status" | error-[1-9]*) ;;
  *)
    no "$1" "ended with status $status, expected $2"
    show_output
    return 0
    ;;
  esac
  if [ -n "$3" ] && ! printf '%s\n' "$output" | grep -Eq -- "$3"; then
    no "$1" "the output lacks '$3'"
    show_output
    return 0
  fi
  pass "$1"
}

# titled TITLE FILE: the lines that a program printed to that file, its checks with the title before their names.
titled() { sed "s#^\(not \)\{0,1\}ok #&$1: #" "$2"; }

# A fresh folder for a suite's files, removed when the suite ends.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
}

# What pip says where there is no network, for grep -E. Of a package that a build needs it says "No matching distribution" instead.
no_network='NewConnectionError|NameResolutionError|ConnectTimeout|Temporary failure in name resolution|Network is unreachable'

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

# need_packages NAME WHAT FOLDER VENV: afterwards VENV is a virtual environment with what FOLDER/requirements.txt asks for. Where WHAT cannot be
# installed since there is no network, or no such package, the suite ends with a skip.
need_packages() {
  ! cmp -s "$3/requirements.txt" "$4/installed.txt" || return 0
  rm -rf "$4"
  capture sh -c "python3 -m venv '$4' && '$4/bin/pip' install -q --only-binary=:all: -r '$3/requirements.txt'"
  if [ "$status" = 0 ]; then
    cp "$3/requirements.txt" "$4/installed.txt"
    return
  fi
  if printf '%s\n' "$output" | grep -Eq "$no_network|No matching distribution"; then
    skip "$1" "$2 cannot be installed here (no network, or none for this Python)"
  else
    no "$1" "$2 cannot be installed"
    show_output
  fi
  exit 0
}
