#!/bin/sh
# exercise.sh 03 grade|hint|solution|reset|watch: what `make exercise03 ...` does.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

number=$1
folder=$(exercise_folder "$number")
file=$(exercise_file "$number")
suffix=${file##*.}
master=$(exercise_master "$number")
state=build/exercises/lesson$number

# The results for other programs: $state/results.json and $state/results.xml.
grade() {
  require_exercise_file "$number"
  require_writable "$state"
  rm -f "$state/results.json"
  status=0
  RESULTS=$state tools/grading/run "$number" "$file" 2>&1 || status=$?
  verdict=$(python3 tools/workbook verdict "$state/results.json" || true)
  [ -z "$verdict" ] || sh tools/exercise/progress.sh record "$number" "${verdict%% *}"
  if [ "$status" = 0 ]; then
    say "${green}exercise $number passes.${plain}$([ ! -f "$master" ] || echo " Compare: make exercise$number solution")"
    next=$(sh tools/exercise/progress.sh next)
    [ "$next" = "$number" ] || say "Next: make exercise$next"
    return
  fi
  if exercise_as_given "$number" | cmp -s - "$file"; then
    say "Open $file, do the TODOs, then: make exercise$number"
  fi
  say "Stuck? make hint$number"
  exit "$status"
}

# N=2 shows that tier; without N each call shows the next one. TODO=4 shows the part about that TODO alone.
hint() {
  hints=$folder/hints.md
  [ -f "$hints" ] || fail "exercise $number has no hints."
  count=$(grep -c '^## ' "$hints")
  seen=$state/hint${TODO:+.todo$TODO} # each TODO has tiers of its own
  tier=${N:-$(($(cat "$seen" 2>/dev/null || echo 0) + 1))}
  case $tier in '' | *[!0-9]*) fail "N=$tier: the hints are numbered from 1 to $count." ;; esac
  [ -n "${N:-}" ] || [ "$tier" -le "$count" ] || tier=$count
  [ "$tier" -ge 1 ] && [ "$tier" -le "$count" ] || fail "N=$tier: the hints are numbered from 1 to $count."
  check_todo
  awk -v tier="$tier" -v todo="${TODO:-}" -f tools/exercise/hint.awk "$hints" || say "(this hint says nothing about TODO $TODO)"
  { mkdir -p "$state" && echo "$tier" >"$seen"; } 2>/dev/null || true # where nothing can be written, N= shows the others
  [ "$tier" = "$count" ] || say "(hint $tier of $count; the next one: make hint$number${TODO:+ TODO=$TODO})"
}

check_todo() {
  [ -n "${TODO:-}" ] || return 0
  todos=$(exercise_as_given "$number" | grep -Ec '(//|#) TODO [0-9]' || true)
  case $TODO in *[!0-9]* | 0*) ;; *) [ "$TODO" -gt "$todos" ] || return 0 ;; esac
  fail "TODO=$TODO: exercise $number has TODO 1 to $todos."
}

# Shown, not copied over the student's file, and without the generator's markers.
solution() {
  [ -f "$master" ] || fail "this copy of the workbook has no solutions. Whoever gave it to you has them."
  if ! sh tools/exercise/progress.sh passed "$number" && [ "${FORCE:-}" != 1 ]; then
    fail "the solution is shown once yours passes: comparing the two is worth more then." \
      "make hint$number                       helps without giving it away" \
      "make exercise$number solution FORCE=1  shows it all the same"
  fi
  mark=//
  [ "$suffix" != py ] || mark='#'
  sed -e "s,^\\( *\\)$mark> ,\\1$mark ," -e "\\,^ *$mark|,d" -e "\\,^ *$mark< *\$,d" "$master"
  say "(this is $master; yours in $file is untouched)"
}

reset() {
  require_writable "$state"
  exercise_as_given "$number" >"$state/exercise.$suffix"
  if cmp -s "$state/exercise.$suffix" "$file"; then
    say "$file is as it was given: nothing to do."
    return
  fi
  kept=''
  [ ! -f "$file" ] || keep_backup
  cp "$state/exercise.$suffix" "$file"
  rm -f "$state"/hint*
  sh tools/exercise/progress.sh forget "$number"
  say "$file is as it was given again.$kept"
}

# The student's work is safe before anything is put in its place.
keep_backup() {
  n=1
  while [ -e "$folder/exercise.backup$n.$suffix" ]; do n=$((n + 1)); done
  if ! cp "$file" "$folder/exercise.backup$n.$suffix"; then
    rm -f "$folder/exercise.backup$n.$suffix"
    fail "$folder/exercise.backup$n.$suffix cannot be written, so $file stays as it is."
  fi
  kept=" Yours is kept in $folder/exercise.backup$n.$suffix"
}

case $2 in
grade) grade ;;
watch) exec sh tools/exercise/watch.sh "$number" ;;
hint | solution | reset) "$2" ;;
*) fail "exercise.sh: unknown action $2" ;;
esac
