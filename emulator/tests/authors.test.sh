#!/bin/sh
# What graders ask of the emulator: who wrote each byte, and what was launched (tests/authors/authors.cu, which prints its own
# lines). All ways of storing have to tell: those of the interpreter and of compiled kernels, with checks and without.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

if ! sh tests/compile.sh tests/authors/authors.cu "$scratch/authors" >"$scratch/build" 2>&1; then
  no authors "does not compile: $(grep -m 1 error "$scratch/build")"
  exit
fi
for way in interpreted compiled checked 'checked, compiled' careful; do
  case $way in
  *compiled) tier=2 ;;
  *) tier=0 ;;
  esac
  case $way in
  checked*) checks=all ;;
  careful) checks=all,careful ;; # a second name of `slow`
  *) checks= ;;
  esac
  status=0
  EMULATOR_TIER=$tier EMULATOR_CHECK=$checks timeout 120 "$scratch/authors" >"$scratch/out" 2>"$scratch/err" || status=$?
  sed "s/^\(ok\|not ok\) /&authors, $way: /" "$scratch/out"
  if [ "$status" -gt 1 ]; then
    no "authors, $way" "ended with status $status"
    head -n 20 "$scratch/err" | sed 's/^/    | /'
  fi
done
