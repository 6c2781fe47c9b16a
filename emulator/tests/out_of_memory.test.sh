#!/bin/sh
# What the runtime API does when the host has no memory left: each allocation of the emulator fails once, in turn
# (tests/out_of_memory/). With all checks, and with every kernel compiled, there are others to fail.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

here=tests/out_of_memory
"${CC:-gcc}" -O2 -Wall -Wextra -Werror -fno-builtin -c $here/failing_malloc.c -o "$scratch/failing_malloc.o"
if ! sh tests/compile.sh $here/out_of_memory.cu "$scratch/out_of_memory" "$scratch/failing_malloc.o" \
  -Xlinker -export-dynamic >"$scratch/build" 2>&1; then
  no "the program is built" "$(head -n 3 "$scratch/build")"
  exit
fi

# survive NAME SETTINGS...
survive() {
  name=$1
  shift
  status=0
  env "$@" timeout 300 "$scratch/out_of_memory" >"$scratch/out" 2>/dev/null || status=$?
  titled "out of memory, $name" "$scratch/out"
  case $status in 0 | 1) ;; *) no "out of memory, $name" "it ends with status $status" ;; esac
}
survive 'interpreted' EMULATOR_TIER=0
survive 'all checks' EMULATOR_TIER=0 EMULATOR_CHECK=all
survive 'counted' EMULATOR_TIER=0 EMULATOR_PROFILE=text EMULATOR_PROFILE_FILE=/dev/null
survive 'compiled' EMULATOR_TIER=2 EMULATOR_CACHE="$scratch/cache"
