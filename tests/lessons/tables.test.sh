#!/bin/sh
# A page's tables of a GPU are made from the record that lies beside it: every row that measured/tables.sh prints is there.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

for script in lessons/*/measured/tables.sh; do
  [ -f "$script" ] || continue
  page=${script%measured/tables.sh}README.md
  name="$page has the rows of its record"
  rows=0 missing=''
  while IFS= read -r row; do
    rows=$((rows + 1))
    grep -qxF -e "$row" "$page" || missing="$missing
    | $row"
  done <<END_OF_ROWS
$(sh "$script")
END_OF_ROWS
  if [ "$rows" -lt 2 ]; then
    no "$name" "$script prints no rows"
  elif [ -n "$missing" ]; then
    no "$name" "these are missing:"
    printf '%s\n' "$missing"
  else
    pass "$name"
  fi
done
