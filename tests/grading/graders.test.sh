#!/bin/sh
# The graders judge rightly: the exercise as given fails for its declared reason, the solution passes, and every file
# in solutions/lessonNN_name/wrong/ gets the verdict that its first line declares (`// expect: out_of_bounds`), and
# what is printed has the text of its second line, if that is `// says: text`. Correct solutions that are written
# differently, in solutions/lessonNN_name/other/, pass. On the emulator, whose checks the verdicts come from.
# runs for each lesson
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

number=$1
folder=$(ls -d "lessons/lesson${number}"_*)
answers=solutions/$(basename "$folder")
master=$answers/solution.cu
given=build/tests/grading/lesson$number/exercise.cu
export BACKEND=cpu TIMEOUT=10
if ! [ -f "$master" ]; then
  no "lesson$number exercise" "there is no $master"
  exit 1
fi

mkdir -p "$(dirname "$given")"
sh tools/compile/build_tool.sh make_exercise
capture build/tools/make_exercise "$master"
expect "lesson$number exercise is generated" 0 'TODO 1'
[ "$status" = 0 ] || exit 1
build/tools/make_exercise "$master" >"$given"

# Somebody who works on the exercise has another file there; then the committed one counts.
if cmp -s "$given" "$folder/exercise.cu" || git show "HEAD:$folder/exercise.cu" 2>/dev/null | cmp -s "$given" -; then
  pass "lesson$number exercise has not drifted from its master"
else
  no "lesson$number exercise has not drifted from its master" \
    "run: sh tools/authoring/generate.sh $number"
fi

# check_verdict NAME FILE VERDICT
check_verdict() {
  capture tools/grading/run "$number" "$2"
  found=$(printf '%s\n' "$output" | sed -n '$s/^VERDICT: //p')
  said=$(sed -n '2s|^// says: ||p' "$2")
  if [ "$found" = "$3" ] && printf '%s\n' "$output" | grep -qF -e "$said"; then
    pass "$1: $3"
  elif [ "$found" = "$3" ]; then
    no "$1" "it does not say: $said"
    show_output
  else
    no "$1" "the verdict is '$found', expected $3"
    show_output
  fi
}

declared() { sed -n '1s|^// expect: *\([a-z_]*\).*|\1|p' "$1"; }

# The exercise declares its reason in its header: `fails as given: not_implemented`.
expected=$(sed -n '1,40s|.*fails as given: *\([a-z_]*\).*|\1|p' "$given" | head -n 1)
[ -n "$expected" ] || no "lesson$number exercise declares its verdict" "its header does not say 'fails as given: verdict'"
check_verdict "lesson$number exercise as given" "$given" "$expected"
check_verdict "lesson$number solution" "$master" pass

mutants=0
for file in "$answers"/wrong/*.cu; do
  [ -f "$file" ] || continue
  mutants=$((mutants + 1))
  name="lesson$number mutant $(basename "$file" .cu)"
  expected=$(declared "$file")
  if [ -z "$expected" ] || [ "$expected" = pass ]; then
    no "$name" "its first line does not say '// expect: verdict'"
  else
    check_verdict "$name" "$file" "$expected"
  fi
done
if [ "$mutants" -ge 5 ]; then
  pass "lesson$number has 5 mutants or more"
else
  no "lesson$number has 5 mutants or more" "it has $mutants in $answers/wrong/"
fi

alternatives=0
for file in "$answers"/other/*.cu; do
  [ -f "$file" ] || continue
  alternatives=$((alternatives + 1))
  check_verdict "lesson$number alternative $(basename "$file" .cu)" "$file" pass
done
if [ "$alternatives" -ge 1 ]; then
  pass "lesson$number has a second correct solution"
else
  no "lesson$number has a second correct solution" "there is none in $answers/other/"
fi
