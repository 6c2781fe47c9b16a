#!/bin/sh
# Every lesson on several sizes and seeds: it must end with PASS, and with FAIL when a kernel is wrong.
# runs for each lesson
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration

number=$1
lesson=lesson$number
source=$(ls "lessons/$lesson"_*/"$lesson.cu")
program=build/tests/lessons/$lesson

capture env QUIET=1 WARNINGS=error sh tools/build.sh "$source" "$program"
expect "$lesson builds without warnings" 0 ''
[ "$status" = 0 ] || exit 1

# check_run NAME BACKEND VARIABLE=VALUE...
check_run() {
  name=$1 backend=$2
  shift 2
  capture env BACKEND="$backend" TIMEOUT=120 "$@" sh tools/run.sh "$program"
  last=$(printf '%s\n' "$output" | tail -n 1)
  case $status-$last in
  0-PASS*) pass "$name" ;;
  *) no "$name" "status $status, last line: $last" && show_output ;;
  esac
}

backends=cpu
[ -z "$GPU_NAME" ] || backends='cpu gpu'
for backend in $backends; do
  check_run "$lesson on $backend" "$backend"
  for size in $(sh tests/lessons/sizes.sh "$number"); do
    check_run "$lesson on $backend, SIZE=$size" "$backend" "SIZE=$size"
  done
  size=$(sh tests/lessons/sizes.sh "$number" counted)
  check_run "$lesson on $backend, SIZE=$size SEED=12345" "$backend" "SIZE=$size" SEED=12345
done

capture env BACKEND=cpu SIZE=-3 sh tools/run.sh "$program"
expect "$lesson refuses SIZE=-3" error 'SIZE'
