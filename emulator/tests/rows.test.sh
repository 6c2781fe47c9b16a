#!/bin/sh
# One row per instruction (isa/): each form that the emulator decodes has a row, the row says what decode made of it, and
# no pass knows an instruction by itself. tests/rows/README.md
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

folder=tests/rows forms=tests/coverage/forms.txt
statements=tests/coverage/statement.c patterns=tests/coverage/grammar.c
make_scratch
capture build_emulator "$plain_emulator"
[ "$status" != 0 ] || capture link_test "$plain_emulator" "$plain_emulator/rows" "$folder/rows.c" "$folder/judge.c" \
  "$folder/evidence.c" "$patterns" "$statements"
[ "$status" != 0 ] || capture link_test "$plain_emulator" "$plain_emulator/sources" "$folder/sources.c" "$patterns"
if [ "$status" != 0 ]; then
  no "rows" "they do not compile"
  show_output
  exit 0
fi

# A complaint's first word says whose it is.
"$plain_emulator/rows" judge "$forms" >"$scratch/judged" 2>&1 || true
without() { # WORD NAME
  if ! grep -Eq '^[1-9][0-9]{5,} instructions, ' "$scratch/judged"; then
    no "$2" "the judgement did not come to its end"
    tail -n 5 "$scratch/judged" | sed 's/^/    | /'
  elif grep -q "^$1 " "$scratch/judged"; then
    no "$2" "$(grep -c "^$1 " "$scratch/judged") complaints"
    grep "^$1 " "$scratch/judged" | head -n 30 | sed 's/^/    | /'
  else
    pass "$2"
  fi
}
without row "rows: each form that is decoded has a row, and that says what decode made of it"
without mutant "rows: a row with one column changed is found out"

search() { "$plain_emulator/sources" "$forms" "$folder/exceptions.txt" "$@"; }
capture search $(find . -mindepth 1 -maxdepth 2 -name '*.[ch]' ! -path './isa/*' ! -path './ops/*' ! -path './ptx/*' | sed 's|^\./||')
expect "rows: no pass knows an instruction by itself" 0 '^[1-9][0-9]{2} files, 0 complaints'
capture search "$folder/asks.c"
expect "rows: a pass that asks is let alone" 0 '^1 files, 0 complaints'
capture search "$folder/knows.c"
expect "rows: a pass that knows is found" 1 '^1 files, 6 complaints'
