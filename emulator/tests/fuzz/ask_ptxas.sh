#!/bin/sh
# ask_ptxas.sh VARIANTS SEED FOLDER [FILES...]: makes so many variants of each file of PTX (corpus/ptx/), asks ptxas whether they
# are legal and the emulator whether it takes them, and prints where they disagree:
#   refused NAME: why    legal, and not on the list of what is known to be missing: a mistake of the emulator's
#   known NAME: why      legal, and on that list
#   lax NAME: why        illegal, but taken: harmless, as nobody's compiler writes it
# and in the end the numbers of each. Needs FOLDER/vary_ptx and FOLDER/accepts, see fuzz.test.sh.
set -eu
variants=$1 seed=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
[ $# != 0 ] || set -- "$here"/corpus/ptx/*.ptx

# What is missing on purpose, by the emulator's words: see README.md.
known='^instruction .* is not supported|reaches beyond parameter|thread block clusters of more than one block|special register .* is not supported'
known="$known|a parameter in a register|is not a .param variable|sparse|is not defined in any PTX"

rm -rf "$folder/variants"
mkdir -p "$folder/variants"
for file; do
  # Linked files stand in one text here; debugging sections have been cut away.
  ! grep -q "$(printf '\f')" "$file" || continue
  sed 's/^\(\.target .*\), *debug/\1/; s/, *function_name [^,]*,/,/' "$file" >"$folder/original.ptx"
  "$folder/vary_ptx" "$folder/original.ptx" "$variants" "$seed" "$folder/variants"
  seed=$((seed + 1))
done
cd "$folder/variants"
ls | grep 'ptx$' | ../accepts >../ours
ls | grep 'ptx$' | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 8 sh -c '
  for file; do
    if ptxas -O0 -c -arch=sm_90a "$file" -o /dev/null >"$file.log" 2>&1; then
      echo "legal $file"
    else
      echo "illegal $file $(sed -n "s/.*\(error\|fatal\) *: *//p" "$file.log" | head -n 1)"
    fi
  done' ask >../theirs
awk -v known="$known" '
  FNR == NR { legal[$2] = $1; why[$2] = $0; sub(/^[^ ]* [^ ]* ?/, "", why[$2]); next }
  { name = $2; sub(/:$/, "", name); reason = $0; sub(/^[^:]*: /, "", reason) }
  $1 == "refused" && legal[name] == "legal" { kind = reason ~ known ? "known" : "refused"; print kind " " name ": " reason; n[kind]++ }
  $1 == "accepted" && legal[name] == "illegal" { print "lax " name ": " why[name]; n["lax"]++ }
  legal[name] == "legal" { n["legal"]++ }
  END { printf "%d variants, %d of them legal: %d refused, %d known, %d lax\n", FNR, n["legal"], n["refused"], n["known"], n["lax"] }
' ../theirs ../ours
