#!/bin/sh
# watching.sh: what counters, profiles and checks cost, as multiples of a run that nobody watches (bench/watching.cu).
set -eu
cd "$(dirname "$0")/.."
. tools/messages.sh
. build/configuration

program=build/bench/watching
QUIET=1 sh tools/build.sh bench/watching.cu "$program"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
take() { # NAME VARIABLES...: the seconds of each kernel in a file of that name
  name=$1
  shift
  env "$@" BACKEND=cpu EMULATOR_TIER=0 EMULATOR_TIMEOUT=0 sh tools/run.sh "$program" >"$folder/$name" 2>"$folder/said" || {
    cat "$folder/said" >&2
    exit 1
  }
}
take plain NOTHING=1
take counters COUNTERS=1
take profile EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE=/dev/null
take checks EMULATOR_CHECK=all
echo
echo "What watching costs: the time of this machine's CPU as a multiple of an interpreted run without it."
echo
paste "$folder/plain" "$folder/counters" "$folder/profile" "$folder/checks" | awk '
  BEGIN { printf "%-16s %10s %10s %10s %10s\n", "kernel", "plain, ms", "counters", "profile", "all checks" }
  { printf "%-16s %10.2f %10.2f %10.2f %10.2f\n", $1, 1000 * $2, $4 / $2, $6 / $2, $8 / $2 }'
