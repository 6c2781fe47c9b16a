#!/bin/sh
# The checks agree with compute-sanitizer: tests/check/agreement/*.cu are small programs with one planted mistake or
# none; the first line says which verdict is right. Each gets that verdict here, all checks on, and the table in that folder's
# README.md is what make_table.sh makes of ours and of what an H200 said (h200.csv, by record.sh).
# KEEP=file: the table as it would be.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh
folder=tests/check/agreement

sh "$folder/make_all.sh" "$scratch/all.cu"
# Without a GPU the PTX is enough; bulk copies need sm_90.
if ! "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -gencode arch=compute_90,code=compute_90 -o "$scratch/all" "$scratch/all.cu" \
  -ldl -lpthread >"$scratch/log" 2>&1; then
  no "agreement" "does not compile: $(grep -m 1 error "$scratch/log")"
  exit 0
fi

# verdict_of NAME: the kinds of errors that are reported; warning when there are only those; none.
verdict_of() {
  rm -f "$scratch/json"
  checks=$(sed -n '2s|^// checks: ||p' "$folder/$1.cu")
  EMULATOR_CHECK=${checks:-all} EMULATOR_CHECK_JSON=$scratch/json EMULATOR_TIMEOUT=20 timeout 60 "$scratch/all" "$1" \
    >"$scratch/out" 2>&1 || true
  [ -s "$scratch/json" ] || { echo none && return; }
  kinds=$(sed -n 's/^{"severity": "error", "finding": "\([a-z_]*\)".*/\1/p' "$scratch/json" | sort -u | tr '\n' ' ')
  echo "${kinds:-warning}"
}

for source in "$folder"/*.cu; do
  name=$(basename "$source" .cu)
  expected=$(sed -n '1s|^// expect: ||p' "$source")
  found=$(verdict_of "$name" | sed 's/ $//')
  echo "$name,$found" >>"$scratch/ours"
  if [ "$found" = "$expected" ]; then
    pass "agreement $name: $expected"
  else
    no "agreement $name" "expected $expected, found $found"
    head -n 20 "$scratch/out" | sed 's/^/    | /'
  fi
done

sh "$folder/make_table.sh" "$scratch/ours" >"$scratch/table"
[ -z "${KEEP:-}" ] || cp "$scratch/table" "$KEEP"
sed -n '/^| program/,/^$/p' "$folder/README.md" | sed '/^$/d' >"$scratch/committed"
if cmp -s "$scratch/table" "$scratch/committed"; then
  pass "agreement table is the committed one"
else
  no "agreement table is the committed one" "make_table.sh makes another"
  diff "$scratch/committed" "$scratch/table" | head -n 10 | sed 's/^/    | /'
fi
if [ "$(wc -l <"$scratch/ours")" -ge 60 ]; then pass "agreement has 60 programs or more"; else no "agreement has 60 programs or more" "it has not"; fi
