#!/bin/sh
# build.sh 03: brings the judge of lesson 03 and the runner of all lessons up to date, in build/graders/bin/. build.sh python: what the
# runner of gradings in Python needs. build.sh calls 03: what exercise 03 is linked with to be profiled, and the file of the calls that it makes then.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

wanted="build/graders/bin/judge$1 build/graders/bin/runner"
case $1 in
python) wanted=build/graders/bin/confine.so ;;
calls)
  shift
  wanted="build/graders/bin/call_exercise.o build/graders/bin/$1.jobs"
  ;;
esac

mkdir -p build/graders
# What the user said to the outer make (-n, -j, V=2 ...) is not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES NVCC_APPEND_FLAGS

# Two gradings at once: the second waits for the first.
if command -v flock >/dev/null; then
  exec 9>build/graders/bin.lock
  flock 9
fi
log=build/graders/bin.log
if ! "${MAKE:-make}" -s -j2 -f tools/grading/Makefile NVCC="$NVCC" FLAGS="$FLAGS" \
  $wanted >"$log" 2>&1; then
  cat "$log" >&2
  fail "the judge of exercise $1 does not build."
fi
