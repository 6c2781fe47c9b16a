#!/bin/sh
# What lesson 10's page says of the emulator is what the emulator says: the counts of its table.
# starts: 1
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
folder=lessons/lesson10_reduction

sh tools/build.sh "$folder/lesson10.cu" "$scratch/lesson10"
capture env SIZE=1048576 sh tools/run.sh "$scratch/lesson10"
expect "lesson10 runs at the size of its page's table" 0 '^PASS'
# Two tables: launches, barriers, atomics; then instructions, sectors per load and store, wavefronts, branches.
printf '%s\n' "$output" | awk '
  $1 ~ /^sum_kernel/ && NF == 4 && $2 ~ /^[1-9]$/ { launches[$1] = $2; barriers[$1] = $3 }
  $1 ~ /^sum_kernel/ && NF == 6 {
    printf "| %s | | %s | | %s | %s | %s | %s |\n", $1, barriers[$1], $5, $2, launches[$1], $3
  }' >"$scratch/rows"
missing=$(grep -vxF -f "$folder/README.md" "$scratch/rows" || true)
if [ "$(grep -c . "$scratch/rows")" = 10 ] && [ -z "$missing" ]; then
  pass "lesson10's page has the emulator's counts"
else
  no "lesson10's page has the emulator's counts" "these are missing:"
  printf '%s\n' "$missing" | sed 's/^/    | /'
fi
