#!/bin/sh
# Which of PTX's instructions the emulator has (tests/coverage/README.md): all that ptxas takes for sm_90a, but for
# what is left out on purpose; and the table in README.md says so.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh
. tests/coverage/measure.sh

make_scratch
capture build_emulator "$plain_emulator"
[ "$status" != 0 ] || capture build_coverage
if [ "$status" != 0 ]; then
  no "coverage" "it does not compile"
  show_output
  exit 0
fi
capture ask_ptxas "$scratch"
if [ "$status" != 0 ]; then
  no "coverage: ptxas judges the forms" "it did not come to an end"
  show_output
  exit 0
fi
pass "coverage: ptxas judges the forms"
status=0
coverage_table "$scratch" >"$scratch/table" || status=$?
if [ "$status" = 0 ]; then
  pass "coverage: every legal form is decoded and executed as on an H200, or left out on purpose"
else
  no "coverage: every legal form is decoded and executed as on an H200, or left out on purpose" \
    "$(wc -l <"$scratch/complaints") are not"
  head -n 30 "$scratch/complaints" | sed 's/^/    | /'
fi
committed_table >"$scratch/committed"
if cmp -s "$scratch/table" "$scratch/committed"; then
  pass "coverage: the table in emulator/README.md is current"
else
  no "coverage: the table in emulator/README.md is current" "run tests/coverage/update.sh"
  diff "$scratch/committed" "$scratch/table" | grep '^[<>]' | head -n 20 | sed 's/^/    | /'
fi
