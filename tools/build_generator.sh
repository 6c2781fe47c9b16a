#!/bin/sh
# Builds build/tools/make_exercise, unless it is up to date.
set -eu
cd "$(dirname "$0")/.."
program=build/tools/make_exercise
if [ ! -x "$program" ] || [ tools/make_exercise.c -nt "$program" ]; then
  mkdir -p build/tools
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra tools/make_exercise.c -o "$program.$$"
  mv "$program.$$" "$program"
fi
