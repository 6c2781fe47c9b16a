#!/bin/sh
# The emulator as other machines would build it: by gcc for AVX2, which most laptops have, and by clang for any x86-64 (no AVX, no fused multiply-add).
# Every instruction form must give the same bits there, and so must kernels that are compiled for that machine (a sample). The unit tests, too, are
# compiled and run as there: without AVX-512, gcc warns of vectors that are one register with it.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/conformance
make_scratch
gzip -dc "$here/vectors.bin.gz" >"$scratch/vectors.bin"

check_machine() { # MARCH COMPILER SETTINGS OF THE EMULATOR'S MAKEFILE...
  machine="$1, $2" march=$1 compiler=$2
  folder=$build_root/emulator-$1-$2
  shift 2
  # What can differ from machine to machine are the operations: they are compiled as the machine's user would.
  capture build_emulator "$folder" MARCH="$march" CC="$compiler" EXTRA_CFLAGS=-O1 CFLAGS_ops=-O3 "$@"
  if [ "$status" != 0 ]; then
    no "$machine" "the emulator does not build"
    show_output
    return 0
  fi
  pass "$machine: the emulator builds without a warning"
  capture link_test "$folder" "$folder/conformance_check" "$here/check.c" "$here/tolerance.c" "$here/plan.c" "$here/kernel.c" \
    "$here/values.c" "$here/vectors.c" "$here/emulated.c"
  [ "$status" != 0 ] || capture "$folder/conformance_check" "$here/forms.txt" "$scratch/vectors.bin"
  if [ "$status" = 0 ] && ! printf '%s\n' "$output" | grep -q '^not ok'; then
    pass "$machine: all forms agree with the GPU"
  else
    no "$machine: all forms agree with the GPU" "some do not, or the check ended early (status $status)"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20
  fi
  check_compiled "$folder"
  run_units "$folder" " ($machine)"
}

check_compiled() { # FOLDER
  tier=tests/tier
  capture link_test "$1" "$1/check_forms" -I"$here" "$tier/check_forms.c" "$tier/batch.c" "$here/tolerance.c" "$here/plan.c" \
    "$here/kernel.c" "$here/values.c" "$here/vectors.c" "$here/emulated.c"
  [ "$status" != 0 ] || capture "$1/check_forms" "$here/forms.txt" "$scratch/vectors.bin" "$scratch" 100
  if [ "$status" = 0 ] && ! printf '%s\n' "$output" | grep -q '^not ok'; then
    pass "$machine: compiled kernels agree with it"
  else
    no "$machine: compiled kernels agree with it" "some do not, or the check ended early (status $status)"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20
  fi
}

# The tests' own programs, whose users have that compiler, too. What is in rows/ is parts of a program that its suite puts together.
check_programs() { # COMPILER
  for source in tests/*/*.c; do
    case $source in */rows/*) continue ;; esac
    "$1" -std=c11 -D_GNU_SOURCE= -fsyntax-only -Wall -Wextra -Werror -Wno-psabi -I. -I"$here" \
      -isystem "$(dirname "$TOOLKIT_LIB")/include" "$source" || echo "$source"
  done >"$scratch/programs" 2>&1
  status=0 output=$(cat "$scratch/programs")
  [ -z "$output" ] || status=1
  expect "the programs of emulator/tests compile with $1" 0 ''
}

# Where the widest vectors are AVX2's, gcc's build for this machine is that one: the same forms, kernels and units, in their own suites.
if ! grep -q avx2 /proc/cpuinfo; then
  skip "haswell, gcc" "this machine has no AVX2"
elif ! grep -q avx512f /proc/cpuinfo && [ "${CC:-gcc}" = gcc ]; then
  skip "haswell, gcc" "this machine is one, and conformance, tier and unit test its build"
else
  check_machine haswell gcc
fi
if command -v clang-14 >/dev/null; then
  # Nothing of these is called here, and clang warns of the same whether it optimizes or not.
  check_programs clang-14
  check_machine x86-64 clang-14 CFLAGS_api=-O0 CFLAGS_check=-O0 CFLAGS_driver=-O0 CFLAGS_profile=-O0
else
  skip "x86-64, clang-14" "clang-14 is not installed"
fi
