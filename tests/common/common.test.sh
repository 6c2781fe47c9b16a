#!/bin/sh
# The headers that every lesson shares: comparison, poison, canaries, options, what a failed call prints.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

program=build/tests/common/headers_test
export BACKEND=cpu
capture env QUIET=1 WARNINGS=error sh tools/compile/build.sh tests/common/headers_test.cu "$program"
expect "common/*.h build without warnings" 0 ''
[ "$status" = 0 ] || exit 1

run() { capture sh tools/actions/run.sh "$program" "$@"; }

run
expect "headers_test ends well" 0 '^backend: '
printf '%s\n' "$output" | grep -E '^(not )?ok ' || true

run fail-call
expect "a failed call shows its text and place" 1 'headers_test.cu:[0-9]+: cudaSetDevice\(4711\) failed'
expect "a failed call names the error" 1 'error: +cudaErrorInvalidDevice \(101\)'
expect "a failed call says what to try" 1 'try: +devices are numbered from 0'
expect "a failed call ends with FAIL" 1 '^FAIL: .*headers_test.cu:[0-9]+: cudaErrorInvalidDevice'
run fail-launch
expect "a failed launch is reported at once" 1 'the kernel launch above this line failed'
run fail-kernel
expect "on the emulator nobody is sent to the emulator" 1 'a stack that was too small\.$'
run nothing
expect "comparing nothing is no PASS" 1 '^FAIL: nothing: 0 of 0'

run options
expect "no options" 0 '^size -1 seed 1 version 0$'
run options --size 0 --seed 7 --version 3
expect "options as words" 0 '^size 0 seed 7 version 3$'
capture env SIZE=33 SEED= V=2 sh tools/actions/run.sh "$program" options --version 1
expect "options as variables; words win" 0 '^size 33 seed 1 version 1$'
for words in '--version 4' '--version 0' '--size -1' '--size 1e3' '--size 2147483648' '--seed x' '--size' 'size 3' '-h'; do
  run options $words
  expect "refused: $words" 2 '^usage: '
done
