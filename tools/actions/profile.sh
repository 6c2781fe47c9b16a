#!/bin/sh
# profile.sh PROGRAM: runs it on the emulator and tells what its kernels ask of a GPU: KERNEL=part of a name, CSV=1, JSON=1.
# Without KERNEL, of a program with many kernels, it is a summary. The report goes to stdout; with CSV or JSON nothing else does.
# OUT=file keeps this run. BASE=file says instead of the report what is better and worse than in a run that was kept, line by line;
# BASE=last takes the last run of all kernels, without KERNEL: that is always kept.
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
    "  ncu --set full --clock-control none${KERNEL:+ --kernel-name \"regex:$KERNEL\"} $program" \
    "(ncu comes with the CUDA toolkit; where it lacks permission: sudo, or see NVIDIA's ERR_NVGPUCTRPERM page)"
fi
format=text
last=$program.profile
[ -z "${CSV:-}" ] || format=csv
[ -z "${JSON:-}" ] || format=json
report=$(mktemp)
trap 'rm -f "$report" "$report.kept"' EXIT
base=${BASE:-}
if [ -n "$base" ]; then
  [ "$format" = text ] || fail "BASE=$base compares as text: leave CSV and JSON out."
  if [ "$base" = last ]; then
    base=$last
    [ -s "$base" ] || fail "BASE=last: there is no earlier profile of this program yet. The first one: the same command without BASE${KERNEL:+ and KERNEL}."
  fi
  head -n 1 "$base" 2>/dev/null | grep -q '^cuda-emulator profile' ||
    fail "BASE=$BASE is not a saved profile. OUT=$BASE saves one, or use BASE=last."
fi
[ -z "${OUT:-}" ] || : >"$OUT" || fail "OUT=$OUT cannot be written."
[ -n "${KERNEL:-}" ] || export EMULATOR_PROFILE_BRIEF=KERNEL=name
export EMULATOR_PROFILE="$format" EMULATOR_PROFILE_FILE="$report" EMULATOR_PROFILE_KERNEL="${KERNEL:-}"
export EMULATOR_PROFILE_SAVE="$report.kept" EMULATOR_PROFILE_BASE="$base"
status=0
if [ "$format" = text ]; then sh tools/actions/run.sh "$@" || status=$?; else sh tools/actions/run.sh "$@" >&2 || status=$?; fi
cat "$report"
if [ -s "$report.kept" ]; then
  [ -n "${KERNEL:-}" ] || cp "$report.kept" "$last" 2>/dev/null || true # where nothing can be written, there is no BASE=last
  [ -z "${OUT:-}" ] || cp "$report.kept" "$OUT"
fi
exit "$status"
