#!/bin/sh
# watching.sh: what counters, profiles and checks cost, as multiples of a run that nobody watches (bench/watching.cu).
# Each kind of run has its turn several times, and the best of its times counts.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

program=build/bench/watching
QUIET=1 sh tools/compile/build.sh bench/watching.cu "$program"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
take() { # NAME VARIABLES...: the seconds of each kernel, behind those in the file of that name
  name=$1
  shift
  env "$@" BACKEND=cpu EMULATOR_TIMEOUT=0 sh tools/actions/run.sh "$program" >>"$folder/$name" 2>"$folder/said" || {
    cat "$folder/said" >&2
    exit 1
  }
}
for round in 1 2 3; do
  take interpreted EMULATOR_TIER=0
  take compiled EMULATOR_TIER=2
  take counters EMULATOR_TIER=2 COUNTERS=1
  take profile EMULATOR_TIER=2 EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE=/dev/null
  take checks EMULATOR_TIER=2 EMULATOR_CHECK=all
done
cat <<'TEXT'

What watching costs. Milliseconds that this machine's cores have worked: a plain run with interpreter alone and with the second tier
(what runs by default), with counters, with a whole profile, with all checks. Then the multiples of both plain runs.

TEXT
cd "$folder"
awk -F '\t' '
  BEGIN { runs = split("interpreted compiled counters profile checks", name, " ") }
  !($1 in known) { known[$1]; kernel[++kernels] = $1 }
  { if (!((FILENAME, $1) in best) || $2 < best[FILENAME, $1]) best[FILENAME, $1] = $2 }
  function time(n, k) { return best[name[n], kernel[k]] }
  END {
    printf "%-22s %8s %8s %8s %8s %8s   %-23s  %s\n", "", "plain", "plain", "with", "with", "with", "of the interpreter alone", "of the second tier"
    printf "%-22s %8s %8s %8s %8s %8s   %7s %7s %7s   %7s %7s %7s\n", "kernel, ms", "interpr.", "default", "counters", "profile", "checks",
      "count.", "profile", "checks", "count.", "profile", "checks"
    for (k = 1; k <= kernels; k++) {
      printf "%-22s", kernel[k]
      for (n = 1; n <= runs; n++) printf " %8.2f", 1000 * time(n, k)
      for (plain = 1; plain <= 2; plain++) {
        printf "  "
        for (n = 3; n <= runs; n++) printf " %7.1f", time(n, k) / time(plain, k)
      }
      printf "\n"
    }
  }' interpreted compiled counters profile checks
