#!/bin/sh
# Every lesson on several sizes and seeds: it must end with PASS, and with FAIL when a kernel is wrong. What it counts on the emulator
# is what its page says: counted.awk beside the page makes the table's rows of what the program prints.
# runs for each lesson
# quick: 01 03 05
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch

number=$1
lesson=lesson$number
source=$(ls "lessons/$lesson"_*/"$lesson".cu "lessons/$lesson"_*/"$lesson".py 2>/dev/null || true)
program=build/tests/lessons/$lesson

case $source in
*.py)
  need_python "$lesson" "$number"
  capture env QUIET=1 WARNINGS=error sh tools/compile/build.sh "$source" "$program"
  ;;
*) capture sh tests/lessons/built.sh "$number" ;;
esac
expect "$lesson builds without warnings" 0 ''
[ "$status" = 0 ] || exit 1

# check_run NAME BACKEND VARIABLE=VALUE...
check_run() {
  name=$1 backend=$2
  shift 2
  capture env BACKEND="$backend" TIMEOUT=120 "$@" sh tools/actions/run.sh "$program"
  last=$(printf '%s\n' "$output" | tail -n 1)
  case $status-$output-$last in
  *'Warning: The program exited before kernel'*) no "$name" "it does not wait for its kernels" && show_output ;;
  0-*-PASS*) pass "$name" ;;
  *) no "$name" "status $status, last line: $last" && show_output ;;
  esac
}

# Other compilers' PTX, and that for other GPUs, has other numbers of instructions.
check_page() {
  name="the page of $lesson has the counts that it prints"
  rules=$(dirname "$source")/counted.awk
  [ -f "$rules" ] || return 0
  if [ "$CUDA_VERSION" != 13.0 ] || [ "$GENCODE" != '-gencode arch=compute_75,code=compute_75' ]; then
    skip "$name" "they are those of CUDA 13.0's PTX for compute capability 7.5"
    return 0
  fi
  rows=$(printf '%s\n' "$output" | awk -f "$rules")
  unmarked "$(dirname "$source")/README.md" >"$scratch/page"
  missing=$(printf '%s\n' "$rows" | grep -vxF -f "$scratch/page" || true)
  if [ -n "$rows" ] && [ -z "$missing" ]; then
    pass "$name"
  else
    no "$name" "these rows are missing:"
    printf '%s\n' "$missing" | sed 's/^/    | /'
  fi
}

backends=cpu
[ -z "$GPU_NAME" ] || backends='cpu gpu'
for backend in $backends; do
  check_run "$lesson on $backend" "$backend"
  [ "$backend" != cpu ] || check_page
  for size in $(sh tests/lessons/sizes.sh "$number"); do
    check_run "$lesson on $backend, SIZE=$size" "$backend" "SIZE=$size"
  done
  size=$(sh tests/lessons/sizes.sh "$number" counted)
  check_run "$lesson on $backend, SIZE=$size SEED=12345" "$backend" "SIZE=$size" SEED=12345
done

capture env BACKEND=cpu SIZE=-3 sh tools/actions/run.sh "$program"
expect "$lesson refuses SIZE=-3" error 'SIZE'
