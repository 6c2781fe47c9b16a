#!/bin/sh
# Builds each tests/unit/*_test.c with the emulator's objects, plain and with ASan and UBSan, and runs it.
# A test prints its own lines; here each gets the build's name.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

for build in plain sanitized; do
  if [ "$build" = plain ]; then
    folder=$plain_emulator suffix=''
    capture build_emulator "$folder"
  else
    folder=$sanitized_emulator suffix=' (sanitized)'
    capture build_emulator "$folder" SANITIZE=1
  fi
  if [ "$status" != 0 ]; then
    no "emulator builds$suffix" "its compiler reports errors"
    show_output
    continue
  fi
  pass "emulator builds$suffix"
  run_units "$folder" "$suffix"
done
