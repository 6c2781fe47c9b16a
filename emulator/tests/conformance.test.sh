#!/bin/sh
# Every instruction form against what a GPU answered (tests/conformance/README.md), and written in other ways, in
# the plain build and in the one with ASan and UBSan.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/conformance
common="$here/plan.c $here/kernel.c $here/values.c $here/vectors.c $here/emulated.c"
make_scratch
gzip -dc "$here/vectors.bin.gz" >"$scratch/vectors.bin"

run_check() { # FOLDER SUFFIX PROGRAM ARGUMENTS...
  folder=$1 suffix=$2 program=$3
  shift 3
  status=0
  "$folder/conformance/$program" "$here/forms.txt" "$@" >"$scratch/lines" 2>"$scratch/details" || status=$?
  sed "s/^\(ok\|not ok\) [a-z]* [^:(]*[^:( ]/&$suffix/" "$scratch/lines"
  grep '^#' "$scratch/details" | head -n 60 || true
  if [ "$status" != 0 ] && ! grep -q '^not ok' "$scratch/lines"; then
    no "$program$suffix" "it ended with status $status"
    tail -n 20 "$scratch/details"
  fi
}

check_build() { # FOLDER SUFFIX
  capture link_test "$1" "$1/conformance/check" "$here/check.c" "$here/tolerance.c" $common
  [ "$status" != 0 ] || capture link_test "$1" "$1/conformance/check_variants" "$here/check_variants.c" $common
  if [ "$status" != 0 ]; then
    no "conformance$2" "the checkers do not compile"
    show_output
    return 0
  fi
  run_check "$1" "$2" check "$scratch/vectors.bin"
  run_check "$1" "$2" check_variants
}

# The list of forms is the emulator's own.
capture build_emulator "$plain_emulator"
if [ "$status" != 0 ]; then
  no "conformance" "the emulator does not build"
  show_output
  exit 0
fi
link_test "$plain_emulator" "$plain_emulator/conformance/list_forms" "$here/list_forms.c"
"$plain_emulator/conformance/list_forms" | sort -u >"$scratch/emulator"
grep -v '^#' "$here/forms.txt" | sort -u >"$scratch/recorded"
if cmp -s "$scratch/emulator" "$scratch/recorded"; then
  pass "forms.txt lists the emulator's forms"
else
  no "forms.txt lists the emulator's forms" "it differs; see $here/README.md"
  diff "$scratch/recorded" "$scratch/emulator" | grep '^[<>]' | head -n 20
fi

check_build "$plain_emulator" ''
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" = 0 ]; then
  check_build "$sanitized_emulator" ' (sanitized)'
else
  no "conformance (sanitized)" "the emulator does not build"
  show_output
fi
