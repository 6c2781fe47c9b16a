#!/bin/sh
# view.sh PROGRAM: draws what its kernels do: LINE=31 that line's accesses alone, KERNEL=part of a name, OUT=folder for the SVG files.
# index.html in that folder shows them all. The same pictures as text, and the names of the files, go to stdout; of many kernels, without LINE and KERNEL, only the names.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

program=$1
case ${LINE:-0} in *[!0-9]*) fail "LINE=$LINE: it is the number of a line, as in LINE=31." ;; esac
if [ "${BACKEND:-auto}" = gpu ]; then
  fail "make ... view watches the emulator; a GPU does not tell which thread goes where. BACKEND=cpu, or leave it out."
fi
BACKEND=cpu
export BACKEND
folder=${OUT:-$program.view}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
mkdir -p "$folder" || fail "OUT=$folder cannot be made."
[ -n "${OUT:-}" ] || rm -f "$folder"/*.svg "$folder/index.html"
[ -n "${KERNEL:-}" ] || export EMULATOR_PROFILE_BRIEF=KERNEL=name
export EMULATOR_VIEW="$folder" EMULATOR_VIEW_LINE="${LINE:-}" EMULATOR_PROFILE_FILE="$report" EMULATOR_PROFILE_KERNEL="${KERNEL:-}"
status=0
sh tools/actions/run.sh "$@" >&2 || status=$?
cat "$report"
if grep -q '\.svg$' "$report"; then
  awk -v title="$program" -f tools/actions/pictures_page.awk "$report" >"$folder/index.html"
  say "All of them on one page: $folder/index.html"
fi
exit "$status"
