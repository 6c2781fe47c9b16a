#!/bin/sh
# progress.sh                      what `make progress` shows; CHECK=1 grades again what the file says has been graded
# progress.sh record 03 VERDICT    after a grading; with a third word it was that file, a notebook's cell, which is kept for CHECK=1
# progress.sh forget 03            after a reset
# progress.sh passed 03            status 0 when that exercise has passed
# progress.sh next                 the number of the first exercise that has not passed, or of the last
#
# progress.txt in the project's root has a line for each exercise that was graded:
#     NUMBER  DAY IT PASSED or -  LAST VERDICT  DAY OF THAT  CHECKSUM OF THE FILE THEN, or "cell"
# PROGRESS_FILE names another file, for gradings that are not the student's own. It is only a note to oneself: whoever edits it
# fools nobody, since CHECK=1 and make grade look at the exercises.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh
file=${PROGRESS_FILE:-progress.txt}
cells=${PROGRESS_FILE:+$PROGRESS_FILE.cells} # what notebooks' cells held when they were graded

exercise_of() { exercise_file "$1"; }
sum_of() { if [ -f "$(exercise_of "$1")" ]; then cksum <"$(exercise_of "$1")" | cut -d' ' -f1; else echo -; fi; }
cell_of() { echo "${cells:-work/.graded}/lesson$1.$(exercise_suffix "$1")"; }
name_of() { exercise_folder "$1" | sed 's|lessons/lesson[^_]*_||'; }

# entry NUMBER: sets passed_on, verdict, day, sum; verdict is empty without an entry.
entry() {
  passed_on=- verdict='' day='' sum=''
  [ -f "$file" ] || return 0
  found=$(awk -v n="$1" '$1 == n && NF == 5 { line = $2 " " $3 " " $4 " " $5 } END { print line }' "$file")
  [ -z "$found" ] || read -r passed_on verdict day sum <<END
$found
END
}

# replace NUMBER [LINE]: that exercise's line, or none. One at a time, also with make -j. The old file stays until the new one is whole.
replace() {
  if ! can_write . || ! can_write build; then
    warn "$file cannot be written (is the disk full?): this is not noted."
    return
  fi
  if command -v flock >/dev/null; then
    exec 8>build/progress.lock
    flock 8
  fi
  {
    echo "# What has been graded here. make progress shows it, make progress CHECK=1 checks it."
    echo "# exercise, passed on, last verdict, when, checksum of the exercise then"
    {
      [ ! -f "$file" ] || awk -v n="$1" '!/^#/ && $1 != n' "$file"
      [ -z "${2:-}" ] || echo "$2"
    } | sort -n
  } >"$file.$$"
  mv "$file.$$" "$file"
}

record() { # NUMBER VERDICT [CELL]
  entry "$1"
  today=$(date +%Y-%m-%d)
  [ "$2" != pass ] || [ "$passed_on" != - ] || passed_on=$today
  if [ -n "${3:-}" ]; then
    mkdir -p "$(dirname "$(cell_of "$1")")"
    [ "$3" = "$(cell_of "$1")" ] || cp "$3" "$(cell_of "$1")"
    sum=cell
  else
    sum=$(sum_of "$1")
  fi
  replace "$1" "$1 $passed_on $2 $today $sum"
}

has_passed() {
  entry "$1"
  [ "$passed_on" != - ]
}

next() {
  number=''
  for number in $(exercise_numbers); do
    has_passed "$number" || break
  done
  echo "$number"
}

describe() { # of the entry that was read
  where=''
  [ "$sum" != cell ] || where=' in a notebook'
  if [ -z "$verdict" ]; then
    echo "not graded yet"
  elif [ "$verdict" = pass ]; then
    echo "${green}passed${plain} on $passed_on$where"
  elif [ "$passed_on" != - ]; then
    echo "${yellow}passed on $passed_on, but $verdict on $day$where${plain}"
  else
    echo "${yellow}$verdict${plain} on $day$where"
  fi
}

show() {
  passed=0 all=0
  for number in $(exercise_numbers); do
    entry "$number"
    all=$((all + 1))
    [ "$passed_on" = - ] || passed=$((passed + 1))
    changed=''
    [ -z "$verdict" ] || [ "$sum" = cell ] || [ "$sum" = "$(sum_of "$number")" ] || changed=', and the file has changed since'
    printf '  %-21s %s%s\n' "$number $(name_of "$number")" "$(describe)" "$changed"
  done
  if [ "$passed" = "$all" ]; then
    echo "All $all exercises have passed."
  else
    number=$(next)
    echo "$passed of $all exercises have passed. Next: make exercise$number"
  fi
}

# What is said to have passed and does not any more loses its date.
check() {
  lost=0 checked=0
  for number in $(exercise_numbers); do
    entry "$number"
    [ -n "$verdict" ] || continue
    checked=$((checked + 1))
    said=$passed_on graded='' exercise=$(exercise_of "$number")
    [ "$sum" != cell ] || graded=$(cell_of "$number") exercise=$(cell_of "$number")
    grade_again
    say "  $number $(name_of "$number"): $verdict"
    if [ "$verdict" != pass ] && [ "$said" != - ]; then
      lost=$((lost + 1))
      replace "$number" "$number - $verdict $(date +%Y-%m-%d) $(if [ -n "$graded" ]; then echo cell; else sum_of "$number"; fi)"
    else
      record "$number" "$verdict" $graded
    fi
  done
  say "$checked graded again."
  show
  [ "$lost" = 0 ] || fail "$lost of the exercises that $file called passed did not pass."
}

grade_again() { # of the exercise in check
  checked_to=build/exercises/lesson$number/check verdict=file_missing
  [ -f "$exercise" ] || return 0
  mkdir -p "$checked_to"
  rm -f "$checked_to/results.json"
  RESULTS=$checked_to tools/grading/run "$number" "$exercise" >"$checked_to/output" 2>&1 || true
  verdict=$(python3 tools/workbook verdict "$checked_to/results.json" || echo crash)
  verdict=${verdict%% *}
}

if ! [ -t 1 ]; then green='' yellow='' red='' plain=''; fi
case ${1:-show} in
show)
  if [ "${CHECK:-}" = 1 ]; then
    check
  else
    told=$(show)
    printf '%s\n' "$told" # in one piece: make progress | head would end a script that goes on writing
  fi
  ;;
record) record "$2" "$3" "${4:-}" ;;
forget) [ ! -f "$file" ] || replace "$2" ;;
passed) has_passed "$2" ;;
next) next ;;
*) fail "progress.sh: unknown action $1" ;;
esac
