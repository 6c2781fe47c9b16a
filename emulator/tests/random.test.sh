#!/bin/sh
# Random programs (tests/fuzz/make_kernel.c) whose result does not depend on how they are executed: the release build on
# one and on two host threads, and the debug build, must print the same. SEEDS="101 102" tries others; TIERS="0 2" executes each
# with these tiers of the emulator (EMULATOR_TIER), which must agree, too.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh

folder=$build_root/tests/random
mkdir -p "$folder"

# random.test.sh --build MODE SEEDS...: all in one compilation.
build_random() {
  case $1 in O3) mode='-O3 -lineinfo' ;; G) mode=-G ;; esac
  joined=$folder/joined-$1
  made=$folder/$1
  shift
  unset NVCC_APPEND_FLAGS
  mkdir -p "$made"
  sh tests/join.sh "$joined.cu" $(printf "$folder/%s.cu " "$@")
  "$NVCC" $mode -w -std=c++17 -cudart shared -I. $GENCODE -o "$joined" "$joined.cu" >"$joined.log" 2>&1 || return 0
  for seed; do ln "$joined" "$made/$seed"; done
}
if [ "${1:-}" = --build ]; then
  shift
  build_random "$@"
  exit
fi

# What a program prints on so many threads with a tier of the emulator.
result() { # PROGRAM THREADS TIER
  EMULATOR_THREADS=$2 EMULATOR_TIER=$3 EMULATOR_TIMEOUT=30 LD_LIBRARY_PATH=$build_root/emulator timeout 60 "$1" 2>&1 </dev/null ||
    echo "status $?"
}

run_seed() { # SEED
  for mode in O3 G; do
    if [ ! -x "$folder/$mode/$1" ]; then
      no "random $1" "the $mode build does not compile"
      head -n 5 "$folder/joined-$mode.log" | sed 's/^/    | /'
      return
    fi
  done
  first=''
  for how in O3,1 O3,2 G,1 G,2; do
    for tier in ${TIERS:-0}; do
      found=$(result "$folder/${how%,*}/$1" "${how#*,}" "$tier")
      [ -n "$first" ] || first=$found
      if [ "$found" = "$first" ] && [ "${found%% *}" = 0 ]; then
        continue
      fi
      no "random $1" "${how%,*} on ${how#*,} threads, tier $tier: '$(echo "$found" | head -n 1)', first '$first'"
      return
    done
  done
  pass "random $1"
}

rm -rf "${folder:?}"/*
"${CC:-gcc}" -std=c11 -O1 -Wall -Wextra -Werror -o "$folder/make_kernel" tests/fuzz/make_kernel.c
seeds=${SEEDS:-1 2 3 4 5 6}
for seed in $seeds; do
  "$folder/make_kernel" "$seed" >"$folder/$seed.cu"
done
printf '%s\n' "O3 $seeds" "G $seeds" | xargs -P "$(nproc 2>/dev/null || echo 2)" -L 1 sh tests/random.test.sh --build
for seed in $seeds; do
  run_seed "$seed"
done
