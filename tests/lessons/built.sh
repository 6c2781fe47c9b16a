#!/bin/sh
# built.sh LESSON [PROGRAM]: builds a lesson's program with all that it has and with warnings as errors, build/tests/lessons/lessonNN, once for all
# suites that run it as it is, and prints its path; PROGRAM is to become a copy of it. What is newer than its sources stays as it is.
set -eu
cd "$(dirname "$0")/../.."

lesson=lesson$1
source=$(ls lessons/"$lesson"_*/"$lesson".cu)
program=build/tests/lessons/$lesson
mkdir -p build/tests/lessons
if command -v flock >/dev/null; then
  exec 9>"$program.lock"
  flock 9
fi

is_current() {
  [ -x "$program" ] && [ -f "$program.d" ] || return 1
  for file in $(sed 's/^[^:]*://; s/\\$//' "$program.d") build/configuration tools/compile/*.sh; do
    [ -f "$file" ] && [ "$program" -nt "$file" ] || return 1
  done
}

is_current || {
  rm -f "$program" "$program.d"
  QUIET=1 WARNINGS=error sh tools/compile/build.sh "$source" "$program"
}
[ -z "${2:-}" ] || cp "$program" "$2"
echo "$program"
