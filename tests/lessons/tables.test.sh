#!/bin/sh
# A page's tables of a GPU are made from the record that lies beside it: every row that measured/tables.sh prints is there, and the words
# of a row that begins with "~ " are somewhere in its text. So is the ladder of its versions, figures/ladder.svg, from what
# measured/ladder.sh prints, and figures/roofline.svg from measured/roofline.sh, and the phrase in README.md's table of lessons from
# measured/headline.sh. What measured/NAME_rows.sh prints, of a record that needs no GPU, is in the page, too.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

for script in lessons/*/measured/tables.sh lessons/*/measured/*_rows.sh; do
  [ -f "$script" ] || continue
  page=${script%measured/*}README.md record=h200.txt
  case $script in *_rows.sh) record=$(basename "$script" _rows.sh).txt ;; esac
  name="$page has the rows of its record"
  [ "$record" = h200.txt ] || name="$name, $record"
  if ! [ -f "${script%/*}/$record" ]; then
    skip "$name" "nothing is recorded yet, see measured/record.sh"
    continue
  fi
  rows=0 missing='' text=''
  [ ! -f "$page" ] || text=$(tr -s ' \n' ' ' <"$page")
  while IFS= read -r row; do
    rows=$((rows + 1))
    case $row in
    '~ '*) case $text in *"${row#??}"*) continue ;; esac ;;
    *) if grep -qxF -e "$row" "$page"; then continue; fi ;;
    esac
    missing="$missing
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

for script in lessons/*/measured/headline.sh; do
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

for script in lessons/*/measured/ladder.sh lessons/*/measured/roofline.sh; do
  [ -f "$script" ] || continue
  kind=$(basename "$script" .sh)
  figure=${script%measured/*}figures/$kind.svg
  if sh "$script" | sh "tools/authoring/${kind}_figure.sh" | cmp -s - "$figure"; then
    pass "$figure is that of its record"
  else
    no "$figure is that of its record" "run: sh $script | sh tools/authoring/${kind}_figure.sh > $figure"
  fi
done

capture sh -c 'printf "title: t\npeer: p\nnote: n\na | nan | 2 | GB/s\n" | sh tools/authoring/ladder_figure.sh'
expect "a rung without a number is refused" error 'line 4: not a positive number'
capture sh -c 'printf "title: t\nnote: n\nmemory: 4000 | m\npeak: 60 | p\na | 1 | inf | 2 | left\n" | sh tools/authoring/roofline_figure.sh'
expect "a point without a number is refused" error 'line 5: not a positive number'
