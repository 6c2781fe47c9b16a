#!/bin/sh
# A page's tables of a GPU are made from the record that lies beside it: every row that measured/tables.sh prints is there, and the words
# of a row that begins with "~ " are somewhere in its text. So is the ladder of its versions, figures/ladder.svg, from what
# measured/ladder.sh prints, and figures/roofline.svg from measured/roofline.sh, and the phrase in README.md's table of lessons from
# measured/headline.sh. What is the CPU's is made from the record of all bindings: rows of README.md's table (bench/bindings/table.sh), and of pages
# (measured/host_tables.sh). What measured/NAME_rows.sh prints, of a record NAME.txt that needs no GPU, is in the page, too.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

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
for script in lessons/*/measured/host_tables.sh; do
  page=${script%measured/host_tables.sh}README.md
  compare_rows "$page has the rows of the record of all bindings" "$page" "$script"
done
compare_rows "README.md's table of all bindings is that of its record" README.md bench/bindings/table.sh

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
