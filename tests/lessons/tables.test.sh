#!/bin/sh
# A page's numbers of a GPU are those that its formulas give (python3 tools/workbook fill). Pages without formulas, so far: they
# have every row that measured/tables.sh prints from the record that lies beside it, and the words
# of a row that begins with "~ " are somewhere in its text. So is the phrase in README.md's table of lessons from
# measured/headline.sh. What measured/NAME_rows.sh prints, of a record NAME.txt that needs no GPU, is in the page, too.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

python3 tools/workbook fill --check || true # it prints the checks

# compare_rows NAME PAGE SCRIPT: the page has every row that the script prints.
compare_rows() {
  rows=0 missing='' text=''
  [ ! -f "$2" ] || text=$(tr -s ' \n' ' ' <"$2")
  while IFS= read -r row; do
    rows=$((rows + 1))
    case $row in
    '~ '*) case $text in *"${row#??}"*) continue ;; esac ;;
    *) if grep -qxF -e "$row" "$2"; then continue; fi ;;
    esac
    missing="$missing
    | $row"
  done <<END_OF_ROWS
$(sh "$3")
END_OF_ROWS
  if [ "$rows" -lt 2 ]; then
    no "$1" "$3 prints no rows"
  elif [ -n "$missing" ]; then
    no "$1" "these are missing:"
    printf '%s\n' "$missing"
  else
    pass "$1"
  fi
}

for script in lessons/*/measured/tables.sh lessons/*/measured/*_rows.sh; do
  [ -f "$script" ] || continue
  page=${script%measured/*}README.md record=h200.txt
  case $script in *_rows.sh) record=$(basename "$script" _rows.sh).txt ;; esac
  name="$page has the rows of its record"
  [ "$record" = h200.txt ] || name="$name, $record"
  if [ -f "${script%/*}/$record" ]; then
    compare_rows "$name" "$page" "$script"
  else
    skip "$name" "nothing is recorded yet, see measured/record.sh"
  fi
done

for script in lessons/*/measured/headline.sh; do
  [ -f "$script" ] || continue
  number=${script#lessons/lesson}
  number=${number%%_*}
  name="README.md's row of lesson $number says what was measured"
  if ! [ -f "${script%headline.sh}h200.txt" ]; then
    skip "$name" "nothing is recorded yet"
    continue
  fi
  words=$(sh "$script")
  case $(grep "^| \\[$number " README.md) in
  *"| $words |"*) pass "$name" ;;
  *) no "$name" "it should say: $words" ;;
  esac
done
