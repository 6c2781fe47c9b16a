#!/bin/sh
# Lesson 07's missing barrier: the race is reported with both lines, word for word as the page quotes it, and is gone when the barrier
# stands where the file says that it is missing.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson07_*)
source=$folder/missing_barrier.cu
page=$folder/README.md

line_of() { grep -n "$1" "$source" | head -n 1 | cut -d: -f1; }
write=$(line_of 'tile\[t\] = ') read=$(line_of 'sum += tile')

sh tools/compile/build.sh "$source" "$scratch/racy"
capture sh tools/actions/sanitize.sh "$scratch/racy"
expect "the read of lesson07's missing barrier is reported" error "Race reported between Read access .*missing_barrier\.cu:$read\$"
expect "so is the write" error "and Write access .*missing_barrier\.cu:$write "

# The first finding ends where the second begins.
report=$(printf '%s\n' "$output" | sed 's/ *$//' | awk '/Race reported/ { if (++findings > 1) exit } findings { print }' | sed '$d')
missing=$(printf '%s\n' "$report" | grep -vxF -f "$page" || true)
if [ -n "$report" ] && [ -z "$missing" ]; then
  pass "$page quotes that report"
else
  no "$page quotes that report" "these lines are not in it:"
  printf '%s\n' "$missing" | sed 's/^/    | /'
fi
values=$(printf '%s\n' "$output" | sed -n 's/.*y\[16\] = \([^,]*\), y\[32\] = \([^;]*\);.*/| the emulator | \1 | \2 |/p')
if [ -n "$values" ] && grep -qxF -e "$values" "$page"; then
  pass "$page tells what the emulator computes there"
else
  no "$page tells what the emulator computes there" "it lacks the row '$values'"
fi

sed 's|// here it is missing|__syncthreads();|' "$source" >"$scratch/repaired.cu"
sh tools/compile/build.sh "$scratch/repaired.cu" "$scratch/repaired" -I"$folder"
capture sh tools/actions/sanitize.sh "$scratch/repaired"
expect "with its barrier lesson07's program is right and nothing is reported" 0 '^no error\. y\[16\] = 33, y\[32\] = 33;'
