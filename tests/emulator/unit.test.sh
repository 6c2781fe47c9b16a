#!/bin/sh
# Builds each tests/emulator/unit/*_test.c with the emulator's objects, plain and with ASan and UBSan, and runs it.
# A test prints its own lines; here each gets the build's name.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tests/emulator/build_emulator.sh

run_unit() { # SOURCE FOLDER SUFFIX
  name=$(basename "$1" .c)
  program=$2/unit/$name
  capture link_test "$2" "$program" "$1"
  if [ "$status" != 0 ]; then
    no "$name$3" "does not compile"
    show_output
    return 0
  fi
  capture timeout 120 "$program"
  printf '%s\n' "$output" | sed "s/^\(ok\|not ok\|skip\) [^:]*/&$3/"
  failed=$(printf '%s\n' "$output" | grep -c '^not ok ' || true)
  if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
    no "$name$3" "ended with status $status"
  fi
}

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
  for source in tests/emulator/unit/*_test.c; do
    run_unit "$source" "$folder" "$suffix"
  done
done
