#!/bin/sh
# sanitize.sh PROGRAM [ARGUMENTS...]: runs a program and looks for mistakes in its kernels: on the emulator with its checks on, on
# a GPU under compute-sanitizer. TOOL is memcheck, racecheck, synccheck, initcheck, leak or all of these (the default); or unused:
# memory that is allocated and never written. JSON=1 writes the emulator's findings to build/findings.json (OUT=file: there), one
# JSON object per line. The exit status is not 0 when something was found.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration
. tools/actions/backend.sh

tool=${TOOL:-all}
case $tool in
memcheck | racecheck | synccheck | initcheck | leak | unused | all) ;;
*) fail "TOOL=$tool: it is memcheck, racecheck, synccheck, initcheck, leak, unused or all." ;;
esac
choose_backend
export EXERCISE_CALLS=all # an exercise's program calls its functions with sizes that fit no block, too

on_emulator() {
  status=0 json=''
  if [ -n "${JSON:-}" ]; then
    json=${OUT:-build/findings.json}
    say "findings go to $json"
    : >"$json" # where nothing is found, it shall not tell what was found before
  fi
  EMULATOR_CHECK=$tool EMULATOR_ERROR_EXITCODE=1 EMULATOR_CHECK_JSON=$json sh tools/actions/run.sh "$@" || status=$?
  exit "$status"
}

# compute-sanitizer comes with the toolkit and has one tool per run.
on_gpu() {
  sanitizer=$(sh tools/toolchain/find_tool.sh compute-sanitizer "$NVCC" "$TOOLKIT_LIB")
  [ -n "$sanitizer" ] || fail "compute-sanitizer is not installed (it comes with the CUDA toolkit)." \
    "BACKEND=cpu checks with the emulator."
  [ -z "${JSON:-}" ] || fail "JSON= is for the emulator: BACKEND=cpu."
  tools=$tool worst=0
  [ "$tool" != all ] || tools='leak racecheck synccheck initcheck'
  for one in $tools; do
    case $one in leak) one='memcheck --leak-check full' ;; unused) one='initcheck --track-unused-memory' ;; esac
    "$sanitizer" --tool $one --error-exitcode 1 "$@" || worst=$?
  done
  exit "$worst"
}

if [ "$backend" = cpu ]; then on_emulator "$@"; else on_gpu "$@"; fi
