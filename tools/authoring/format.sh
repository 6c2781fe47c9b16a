#!/bin/sh
# format.sh            lays out every C and CUDA file by .clang-format
# format.sh --check    lists those that differ
# format.sh FILE...    lays out these
# The layout depends on the version of clang-format, so it is version 14 that counts.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

formatter=''
for candidate in clang-format-14 clang-format; do
  case $("$candidate" --version 2>/dev/null || true) in *"version 14."*) formatter=$candidate && break ;; esac
done
[ -n "$formatter" ] || fail "clang-format 14 is not installed." "sudo apt-get install clang-format-14"

list_files() {
  find bench common emulator lessons notebooks solutions tests tools -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \) ! -name 'exercise.backup*' | sort
}

if [ "${1:-}" = --check ]; then
  differing=$(list_files | xargs "$formatter" --dry-run -Werror 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/\1/p' | sort -u)
  [ -z "$differing" ] || { echo "$differing" && exit 1; }
elif [ $# -gt 0 ]; then
  "$formatter" -i "$@"
else
  list_files | xargs "$formatter" -i
fi
