#!/bin/sh
# Blocks that take turns in any order (tests/mixed/mixed.cu, which prints its own lines): interpreted and compiled, with one host
# thread and with several, with checks and without.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

if ! sh tests/compile.sh tests/mixed/mixed.cu "$scratch/mixed" >"$scratch/build" 2>&1; then
  no mixed "does not compile: $(grep -m 1 error "$scratch/build")"
  exit
fi
for way in '1 0' '1 2' '3 0' '3 2' '1 0 racecheck'; do
  set -- $way
  status=0
  EMULATOR_THREADS=$1 EMULATOR_TIER=$2 EMULATOR_CHECK=${3:-} timeout 120 "$scratch/mixed" >"$scratch/out" 2>"$scratch/err" || status=$?
  sed "s/^\(ok\|not ok\) /&$1 host thread(s), tier $2, ${3:-no checks}: /" "$scratch/out"
  if [ "$status" -gt 1 ]; then
    no "$way" "ended with status $status"
    head -n 20 "$scratch/err" | sed 's/^/    | /'
  fi
done
