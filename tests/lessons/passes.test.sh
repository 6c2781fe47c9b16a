#!/bin/sh
# The program behind exercise 03b's table: its kernels are right, and the page has the bytes that they move.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
page=lessons/lesson03b_operators/README.md

WARNINGS=error sh tools/compile/build.sh lessons/lesson03b_operators/passes.cu "$scratch/passes"
capture sh tools/actions/run.sh "$scratch/passes"
expect "exercise 03b's kernels are right, fused and apart" 0 '^PASS: passes: 4 '
rows=$(printf '%s\n' "$output" | awk '/ [0-9]+\.[0-9][0-9] +[0-9]+\.[0-9][0-9]$/ {
  stored = $NF; loaded = $(NF - 1)
  sub(/ +[0-9.]+ +[0-9.]+$/, "")
  print "| " $0 " | | " loaded " | | " stored " |"
}')
unmarked "$page" >"$scratch/page"
missing=$(printf '%s\n' "$rows" | grep -vxF -f "$scratch/page" || true)
if [ "$(printf '%s\n' "$rows" | wc -l)" = 8 ] && [ -z "$missing" ]; then
  pass "$page has the bytes that they move"
else
  no "$page has the bytes that they move" "of 8 rows these are missing:"
  printf '%s\n' "$missing" | sed 's/^/    | /'
fi
printed=$(printf '%s\n' "$output" | sed -n 's/^\(n = .*\)$/\1:/p')
if grep -qxF "$printed" "$page"; then pass "and their number of elements"; else no "and their number of elements" "$printed"; fi
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/passes"
expect "they are right for other sizes" 0 '^PASS: passes: 4 '

sed 's|keeps(i) ? v|!keeps(i) ? v|' lessons/lesson03b_operators/passes.cu | sed 's|return (!keeps|return (keeps|' >"$scratch/wrong.cu"
sh tools/compile/build.sh "$scratch/wrong.cu" "$scratch/wrong" -Ilessons/lesson03b_operators
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/wrong"
expect "a kernel that drops other elements is noticed" error '^FAIL'
