#!/bin/sh
# profile.sh PROGRAM: runs it on the emulator and tells what its kernels ask of a GPU: KERNEL=part of a name, CSV=1, JSON=1.
# Without KERNEL, of a program with many kernels, it is a summary. The report goes to stdout; with CSV or JSON nothing else does.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration
. tools/actions/backend.sh

program=$1
choose_backend
if [ "$backend" = gpu ]; then
  fail "make ... profile counts on the emulator, and BACKEND=${BACKEND:-auto} chose the GPU." \
    "BACKEND=cpu counts what a GPU would count. The GPU's own profiler also measures time:" \
    "  ncu --set full${KERNEL:+ --kernel-name \"regex:$KERNEL\"} $program" \
    "(ncu comes with the CUDA toolkit; where it lacks permission: sudo, or see NVIDIA's ERR_NVGPUCTRPERM page)"
fi
format=text
[ -z "${CSV:-}" ] || format=csv
[ -z "${JSON:-}" ] || format=json
report=$(mktemp)
trap 'rm -f "$report"' EXIT
[ -n "${KERNEL:-}" ] || export EMULATOR_PROFILE_BRIEF=KERNEL=name
export EMULATOR_PROFILE="$format" EMULATOR_PROFILE_FILE="$report" EMULATOR_PROFILE_KERNEL="${KERNEL:-}"
status=0
if [ "$format" = text ]; then sh tools/actions/run.sh "$@" || status=$?; else sh tools/actions/run.sh "$@" >&2 || status=$?; fi
cat "$report"
exit "$status"
