#!/bin/sh
# What the emulator counts of the lessons' kernels against what ncu counted on an H200 (tests/lessons/counters/record.sh), with the reasons for
# differences in differences.txt there; and compiled kernels count as interpreted ones do: of lesson 15, of all lessons with TIER_EVERY=1.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch

here=tests/lessons/counters
emulated=emulator/tests/counters
sh tools/compile/emulator.sh
export LD_LIBRARY_PATH="$PWD/build/emulator"
unset NVCC_APPEND_FLAGS

# Registers are ptxas's decision, and another version's may be another.
ptxas=$(dirname "$(readlink -f "$NVCC")")/ptxas
[ "$CUDA_VERSION" = 13.0 ] && [ -x "$ptxas" ] || ptxas=/nowhere/ptxas

count() { # LESSON: its profile in $scratch/counted.csv
  capture env SIZE="$(sh tests/lessons/sizes.sh "${1#lesson}" counted)" EMULATOR_PTXAS="$ptxas" EMULATOR_PROFILE=csv \
    EMULATOR_PROFILE_FILE="$scratch/counted.csv" timeout 300 "$scratch/$1"
}
all=0 equal=0
compare() { # LESSON
  awk -v program="$1" -f "$emulated/compare.awk" "$here/differences.txt" "$here/lessons.csv" "$scratch/counted.csv" >"$scratch/said"
  verdict=$(tail -n 1 "$scratch/said")
  case $verdict in
  'equal '[1-9]*' wrong 0') pass "counters/$1: $verdict, as on an H200" ;;
  *)
    no "counters/$1" "$verdict"
    grep WRONG "$scratch/said" | head -n 20 | sed 's/^/    | /'
    ;;
  esac
  read -r _ same _ different _ <<END
$verdict
END
  equal=$((equal + same)) all=$((all + same + different))
}

lessons=$(sed -n 's/^"\(lesson[0-9]*[a-z]*\)".*/\1/p' "$here/lessons.csv" | sort -u)
for lesson in $lessons; do
  capture sh tests/lessons/built.sh "${lesson#lesson}" "$scratch/$lesson"
  if [ "$status" = 0 ]; then count "$lesson"; fi
  if [ "$status" = 0 ]; then compare "$lesson"; else
    no "counters/$lesson" "status $status"
    show_output
  fi
done
# What is not counted right must be seen.
sed 's/^\("lesson02".*)",\)[0-9]*,/\1123456,/' "$here/lessons.csv" >"$scratch/false.csv"
count lesson02
awk -v program=lesson02 -f "$emulated/compare.awk" "$here/differences.txt" "$scratch/false.csv" "$scratch/counted.csv" >"$scratch/said"
case $(tail -n 1 "$scratch/said") in
*' wrong '[1-9]*) pass "counters/a wrong number of a lesson is seen" ;;
*) no "counters/a wrong number of a lesson is seen" "$(tail -n 1 "$scratch/said")" ;;
esac

# The sums of all are in the README beside the record.
thousands() { echo "$1" | sed 's/\([0-9]\)\([0-9][0-9][0-9]\)$/\1,\2/'; }
name="counters/README.md has the number of equal counts"
words="Of $(thousands $all) numbers, $(thousands $equal) are equal"
if [ "$ptxas" = /nowhere/ptxas ]; then
  skip "$name" "with another ptxas than that of CUDA 13.0 there are fewer"
elif grep -qF "$words" "$here/README.md"; then pass "$name"; else no "$name" "it does not say: $words"; fi

# The same profile from both tiers, number by number, with examples of accesses; several threads would share the blocks otherwise each time.
profile_of() { # TIER LESSON
  EMULATOR_THREADS=1 EMULATOR_TIER=$1 EMULATOR_CACHE="$scratch/cache" EMULATOR_PTXAS=/nowhere/ptxas EMULATOR_PROFILE=json \
    EMULATOR_PROFILE_FILE="$scratch/profile.$1" SIZE=$(sh tests/lessons/sizes.sh "${2#lesson}" counted) timeout 300 "$scratch/$2" >"$scratch/out" 2>&1 </dev/null
}
tiered=lesson15
[ "${TIER_EVERY:-}" != 1 ] || tiered=$lessons
for lesson in $tiered; do
  if profile_of 0 "$lesson" && profile_of 2 "$lesson" && [ "$(wc -c <"$scratch/profile.2")" -gt 5000 ] &&
    cmp -s "$scratch/profile.0" "$scratch/profile.2"; then
    pass "tier: $lesson is counted as by the interpreter"
  else
    no "tier: $lesson is counted as by the interpreter" "it is not, or ended with an error"
    diff "$scratch/profile.0" "$scratch/profile.2" | cut -c 1-200 | head -n 10 | sed 's/^/    | /'
  fi
done
