#!/bin/sh
# device_code.sh FILE.py FOLDER: builds the libraries that a Python program of a lesson, or a grader, names in a line of its own,
#     # library: gelu.cu
# from the sources beside it (or, of a changed copy, in the lesson's folder, LESSON_FOLDER), as FOLDER/libgelu.so, and prints their paths.
# What is newer than its sources stays as it is. WARNINGS=error makes warnings errors and builds anew.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

program=$1 output=$2
sources=${LESSON_FOLDER:-$(dirname "$program")}
names=$(sed -n 's/^# library: *\([a-z0-9_./ ]*[a-z0-9]\) *$/\1/p' "$program" | head -n 1)

is_current() { # LIBRARY
  [ -f "$1" ] && [ "${WARNINGS:-}" != error ] || return 1
  for source in "$sources/$name" "$sources"/*.cu "$sources"/*.h "$sources"/*.cuh common/*.h build/configuration tools/compile/build.sh; do
    [ ! -f "$source" ] || [ "$1" -nt "$source" ] || return 1
  done
}

require_writable "$output"
if command -v flock >/dev/null; then
  exec 9>"$output/.lock"
  flock 9
fi
for name in $names; do
  library=$output/lib$(basename "$name" .cu).so
  if ! is_current "$library"; then
    sh tools/compile/build.sh "$sources/$name" "$library.new" --shared -Xcompiler -fPIC
    mv "$library.new" "$library" # a program that has loaded the old one keeps it
    rm -f "$library.new.d"
  fi
  case $library in /*) echo "$library" ;; *) echo "$PWD/$library" ;; esac
done
