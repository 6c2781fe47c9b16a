#!/bin/sh
# What the emulator counts against what ncu counted on an H200 (tests/counters/record.sh): single accesses and whole
# kernels. The table of differences and of instructions per SASS instruction is left in build/counters.txt.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

here=tests/counters
table=$build_root/counters.txt
. tests/build_emulator.sh
ready_emulator
library=$PWD/$build_root/emulator
unset NVCC_APPEND_FLAGS
: >"$table"

# Registers are ptxas's decision, and another version's may be another.
ptxas=$(dirname "$(readlink -f "$NVCC")")/ptxas
[ "$CUDA_VERSION" = 13.0 ] && [ -x "$ptxas" ] || ptxas=/nowhere/ptxas

count() { # PROGRAM [ARGUMENTS]: its profile in $scratch/counted.csv
  capture env LD_LIBRARY_PATH="$library" EMULATOR_PTXAS="$ptxas" EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE="$scratch/counted.csv" timeout 300 "$@"
}
compare() { # NAME RECORD
  awk -f "$here/compare.awk" "$here/differences.txt" "$2" "$scratch/counted.csv" >"$scratch/said"
  { echo "$1"; cat "$scratch/said"; echo; } >>"$table"
  verdict=$(tail -n 1 "$scratch/said")
  case $verdict in
  'equal '[1-9]*' wrong 0') pass "counters/$1: $verdict, as on an H200" ;;
  *)
    no "counters/$1" "$verdict"
    grep WRONG "$scratch/said" | head -n 20 | sed 's/^/    | /'
    ;;
  esac
}

# Wavefronts of cp.async, of which copies.csv has two counts for each of patterns.cu's: by instruction, and the hardware's, which is more where
# data has to be waited for. A copy past L1 has the latter; of the former ncu makes sectors there.
compare_copies() {
  awk -F, 'FILENAME ~ /copies.csv/ { if (FNR > 1 && $1 !~ /bypass_some/) wanted[$1] = $1 ~ /bypass/ ? $3 : $2; next }
    FILENAME ~ /patterns.csv/ { name[FNR - 2] = $1; next }
    { split($0, f, "\",\""); id = substr(f[1], 2) }
    f[6] == "" && f[8] ~ /wavefronts_mem_shared_op_ldgsts/ && name[id] in wanted {
      seen++; value = f[10]; gsub(/"/, "", value)
      if (value != wanted[name[id]]) { print name[id] ": " value ", not " wanted[name[id]]; wrong++ }
    }
    END { print "equal " seen - wrong " wrong " wrong + 0 }' "$here/copies.csv" "$here/patterns.csv" "$scratch/counted.csv" >"$scratch/said"
  case $(tail -n 1 "$scratch/said") in
  'equal 60 wrong 0') pass "counters/copies: their wavefronts, as on an H200" ;;
  *) no "counters/copies" "$(tail -n 3 "$scratch/said")" ;;
  esac
}

for program in tensor patterns textures idioms; do
  if [ "$program" = tensor ]; then architecture=90a; else architecture=90; fi
  capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode "arch=compute_$architecture,code=compute_$architecture" \
    "$here/$program.cu" -o "$scratch/$program" -ldl -lpthread
  if [ "$status" = 0 ]; then count "$scratch/$program"; fi
  if [ "$status" = 0 ]; then compare "$program" "$here/$program.csv"
    [ "$program" != patterns ] || compare_copies; else
    no "counters/$program" "status $status"
    show_output
  fi
done
# Sums alone are counted in a quicker way.
awk -F'","' 'FNR > 1 && $6 == "" { gsub(/"/, "", $10); sum[$8] += $10 } END { for (m in sum) printf "SUM %s %d\n", m, sum[m] }' \
  "$scratch/counted.csv" | sort >"$scratch/of_profile"
capture env LD_LIBRARY_PATH="$library" "$scratch/idioms" sums
printf '%s\n' "$output" | grep '^SUM' | sort >"$scratch/sums"
missing=$(comm -23 "$scratch/sums" "$scratch/of_profile")
if [ "$(wc -l <"$scratch/sums")" = 16 ] && [ -z "$missing" ]; then pass "counters/sums are those of the profile"; else
  no "counters/sums are those of the profile" "$(echo "$missing" | head -n 3)"
fi
# What is not counted right must be seen.
sed '2s/,512,2048,/,512,2049,/' "$here/idioms.csv" >"$scratch/false.csv"
awk -f "$here/compare.awk" "$here/differences.txt" "$scratch/false.csv" "$scratch/counted.csv" >"$scratch/said"
case $(tail -n 1 "$scratch/said") in
*' wrong 1') pass "counters/a wrong number is seen" ;;
*) no "counters/a wrong number is seen" "$(tail -n 1 "$scratch/said")" ;;
esac

# The sums of all are in the README beside the records.
thousands() { echo "$1" | sed 's/\([0-9]\)\([0-9][0-9][0-9]\)$/\1,\2/'; }
name="counters/README.md tells how many numbers are equal"
if [ "$ptxas" = /nowhere/ptxas ]; then
  skip "$name" "with another ptxas than that of CUDA 13.0 there are fewer"
else
  all=0 equal=0
  while read -r _ same _ different _; do
    equal=$((equal + same)) all=$((all + same + different))
  done <<END_OF_TOTALS
$(grep '^equal [0-9]' "$table")
END_OF_TOTALS
  words="Of $(thousands $all) numbers, $(thousands $equal) are equal"
  if grep -qF "$words" "$here/README.md"; then pass "$name"; else no "$name" "it does not say: $words"; fi
fi
