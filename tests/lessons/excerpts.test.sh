#!/bin/sh
# Where lesson 05's page shows lines of `view` and of `profile`, their numbers are those that are printed. (The page leaves columns out, and adds
# words at the end.)
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1 V=1
folder=$(ls -d lessons/lesson05_*)

if [ "$CUDA_VERSION" != 13.0 ] || [ "$GENCODE" != '-gencode arch=compute_75,code=compute_75' ]; then
  skip "lesson05's page quotes view and profile" "it quotes those of CUDA 13.0's PTX for compute capability 7.5"
  exit
fi

# The lines of the page that begin like LINE INSTRUCTIONS ACTIVE, without what follows column $1.
quoted() {
  awk '/^```/ { open = !open; plain = open && $0 == "```"; next } plain' "$folder/README.md" | awk -v last="$1" '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9,]+$/ && $3 ~ '"$2"' { words(last) }
    function words(last, k, text) { for (k = 1; k <= last; k++) text = text (k > 1 ? " " : "") $k; print text }'
}
# quotes NAME: each line of $scratch/quoted begins a line that was printed.
quotes() {
  missing=$(printf '%s\n' "$output" | awk '{ $1 = $1 } 1' | awk -v quoted="$scratch/quoted" '
    { printed[NR] = $0 " " }
    END {
      while ((getline line <quoted) > 0) {
        lines++
        for (k = 1; k <= NR && index(printed[k], line " ") != 1;) k++
        if (k > NR) print line
      }
      if (lines < 2) print "no lines to look for"
    }')
  if [ -z "$missing" ]; then pass "$1"; else no "$1" "not printed: $missing"; fi
}

sh tests/lessons/built.sh 05 "$scratch/lesson05" >"$scratch/log"
quoted 4 '/^(32|16)$/' >"$scratch/quoted"
capture env KERNEL=shape_kernel1 sh tools/actions/view.sh "$scratch/lesson05"
quotes "lesson05's page quotes what view draws"
quoted 3 '/^[0-9]+\.[0-9]$/' >"$scratch/quoted"
capture sh tools/actions/profile.sh "$scratch/lesson05"
quotes "lesson05's page quotes what profile counts"
