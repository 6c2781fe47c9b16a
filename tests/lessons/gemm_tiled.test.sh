#!/bin/sh
# What lesson 15's page says of the emulator is what the emulator says: the counts of its table, and what comes of the changes that it
# proposes under `Change it`.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson15_*)
source=$folder/lesson15.cu

# changed NAME SED-SCRIPT: a program of its own, which must be another text than the lesson's
changed() {
  sed "$2" "$source" >"$scratch/$1.cu"
  ! cmp -s "$source" "$scratch/$1.cu" || no "lesson15 is changed: $1" "the text to replace was not found"
  sh tools/build.sh "$scratch/$1.cu" "$scratch/$1"
}
last_column() { # of version 5 of program NAME
  V=5 sh tools/run.sh "$scratch/$1" | awk '/^sgemm_kernel3<32>/ { print $NF }'
}

sh tools/build.sh "$source" "$scratch/lesson15"
capture sh tools/run.sh "$scratch/lesson15"
rows=$(printf '%s\n' "$output" | awk '/^sgemm_kernel/ { printf "| %s | | %s | | %s | | %s |\n", $1, $3, $5, $7 }')
missing=$(printf '%s\n' "$rows" | grep -vxF -f "$folder/README.md" || true)
if [ "$(printf '%s\n' "$rows" | wc -l)" = 5 ] && [ -z "$missing" ]; then
  pass "lesson15's page has the counts of its program"
else
  no "lesson15's page has the counts of its program" "missing: $missing"
fi

changed no_barrier '/everyone has read them/d'
capture env V=4 SIZE=40 sh tools/sanitize.sh "$scratch/no_barrier"
expect "lesson15 without its second barrier: both lines are reported" error 'no __syncthreads\(\) between'

changed leaves 's/^    float sum = 0.0f;$/    float sum = 0.0f; if (row >= M || col >= N) { return; }/'
capture env V=4 SIZE=33 sh tools/run.sh "$scratch/leaves"
expect "lesson15 with threads that leave early fails" error '^FAIL'
capture env V=4 SIZE=33 sh tools/sanitize.sh "$scratch/leaves"
expect "and what they should have loaded is reported" error 'Uninitialized __shared__ memory read'

turned='s/tile_B\[y\]\[x\] =/tile_B[x][y] =/; s/tile_B\[k\]\[x\]/tile_B[x][k]/'
changed turned "$turned"
changed padded "$turned; s/tile_B\[TILE\]\[TILE\]/tile_B[TILE][TILE + 1]/"
found="$(last_column turned) $(last_column padded)"
if [ "$found" = "34.03 2.06" ] && grep -q '^3\. 34 wavefronts per 32 FMA .* 2\.06, as before' "$folder/README.md"; then
  pass "lesson15 with the tile of B turned, and padded: the wavefronts that its page tells"
else
  no "lesson15 with the tile of B turned, and padded: the wavefronts that its page tells" "they are $found"
fi
