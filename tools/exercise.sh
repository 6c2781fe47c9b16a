#!/bin/sh
# exercise.sh 03 grade|run|hint|solution|reset|watch: what `make exercise03 ...` does.
set -eu
cd "$(dirname "$0")/.."
. tools/messages.sh

number=$1
folder=$(ls -d "lessons/lesson${number}"_*)
file=$folder/exercise.cu
master=solutions/$(basename "$folder")/exercise.cu
state=build/exercises/lesson$number
mkdir -p "$state"

# The results for other programs: $state/results.json and $state/results.xml.
grade() {
  {
    status=0
    RESULTS=$state tests/graders/run "$number" "$file" 2>&1 || status=$?
    echo "$status" >"$state/status"
  } | tee "$state/output"
  status=$(cat "$state/status")
  verdict=$(sed -n '$s/^VERDICT: //p' "$state/output")
  [ -z "$verdict" ] || sh tools/progress.sh record "$number" "$verdict"
  if [ "$status" = 0 ]; then
    say "${green}exercise $number passes.${plain} Compare: make exercise$number solution"
    next=$(sh tools/progress.sh next)
    [ "$next" = "$number" ] || say "Next: make exercise$next"
    return
  fi
  if grep -q 'TODO 1' "$file"; then
    say "Open $file, do the TODOs, then: make exercise$number"
  fi
  say "Stuck? make hint$number"
  exit "$status"
}

# N=2 shows that tier; without N each call shows the next one.
hint() {
  hints=$folder/hints.md
  [ -f "$hints" ] || fail "exercise $number has no hints."
  count=$(grep -c '^## ' "$hints")
  tier=${N:-$(($(cat "$state/hint" 2>/dev/null || echo 0) + 1))}
  case $tier in '' | *[!0-9]*) fail "N=$tier: the hints are numbered from 1 to $count." ;; esac
  [ -n "${N:-}" ] || [ "$tier" -le "$count" ] || tier=$count
  [ "$tier" -ge 1 ] && [ "$tier" -le "$count" ] || fail "N=$tier: the hints are numbered from 1 to $count."
  echo "$tier" >"$state/hint"
  awk -v tier="$tier" '/^## / { n++ } n == tier' "$hints"
  [ "$tier" = "$count" ] || say "(hint $tier of $count; the next one: make hint$number)"
}

# Shown, not copied over the student's file, and without the generator's markers.
solution() {
  if ! sh tools/progress.sh passed "$number" && [ "${FORCE:-}" != 1 ]; then
    fail "the solution is shown once yours passes: comparing the two is worth more then." \
      "make hint$number                       helps without giving it away" \
      "make exercise$number solution FORCE=1  shows it all the same"
  fi
  sed -e 's|^\( *\)//> |\1// |' -e '/^ *\/\/|/d' -e '/^ *\/\/< *$/d' "$master"
  say "(this is $master; yours in $file is untouched)"
}

reset() {
  build_generator
  build/tools/make_exercise "$master" >"$state/exercise.cu"
  if cmp -s "$state/exercise.cu" "$file"; then
    say "$file is as it was given: nothing to do."
    return
  fi
  n=1
  while [ -e "$folder/exercise.backup$n.cu" ]; do n=$((n + 1)); done
  cp "$file" "$folder/exercise.backup$n.cu"
  cp "$state/exercise.cu" "$file"
  rm -f "$state/hint"
  sh tools/progress.sh forget "$number"
  say "$file is as it was given again. Yours is kept in $folder/exercise.backup$n.cu"
}

build_generator() {
  sh tools/build_generator.sh
}

case $2 in
grade | run) grade ;;
watch) exec sh tools/watch.sh "$number" ;;
hint | solution | reset) "$2" ;;
*) fail "exercise.sh: unknown action $2" ;;
esac
