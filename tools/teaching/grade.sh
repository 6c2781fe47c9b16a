#!/bin/sh
# grade.sh [03]: grades submissions, and writes points. What `make grade` and `make exercise03 grade` do.
#
#   make grade OUT=grades STUDENT=ada                       the exercises of this checkout
#   make grade OUT=grades STUDENT=ada FILE=submissions/ada  those in that folder (or that one file, for one exercise)
#   make grade OUT=grades FILE=submissions                  a student for each folder in it
#
# ROSTER=class.csv names all who take part: who handed in nothing gets 0 points. JOBS=4 grades so many files at once (as many as there are
# cores). STRICT=1 ends with status 1 when anybody has less than all points.
#
# OUT/points.csv has a line for each student and exercise, OUT/gradebook.csv one for each student; OUT/STUDENT/feedback.txt is for the
# student, and OUT/STUDENT/exercise03/ has results.json, results.xml, what was printed and the file that was graded. Only the exercise, or
# the notebook's cell, comes from the student. Everything that judges it is the version that git has (BASE=commit, HEAD otherwise): where
# a file of it was changed, the grading takes place in a restored copy.
set -eu
invoked_in=$PWD
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

points=10 # of an exercise that passes
judges='Makefile common emulator solutions tests tools :(glob)lessons/*/grader.* :(glob)lessons/*/calls.py :(glob)lessons/*/layer* :(glob)lessons/*/requirements.txt'

absolute() { case $1 in /*) echo "$1" ;; *) echo "$invoked_in/$1" ;; esac }

out=$(absolute "${OUT:-build/grades}")
source=$(absolute "${FILE:-.}")
source=${source%/.}
roster=${ROSTER:+$(absolute "$ROSTER")}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
[ -e "$source" ] || fail "there is no FILE=$FILE."
[ -z "$roster" ] || [ -f "$roster" ] || fail "there is no ROSTER=$ROSTER."
case $jobs in '' | *[!0-9]* | 0*) fail "JOBS=$jobs: it is a number of gradings at once, from 1 on." ;; esac
numbers=${1:-$(exercise_numbers)}
[ -d "$source" ] || [ -n "${1:-}" ] || fail "FILE=$FILE is one file: of which exercise? make exercise03 grade FILE=$FILE"

# A name becomes a folder, the beginning of a line, and a cell of a table that a spreadsheet must not take for a formula.
is_name() {
  case $1 in
  _*) ;;
  '' | [[:punct:][:space:]]*) return 1 ;;
  esac
  case $1 in
  */* | *[[:cntrl:]]* | *[\"\`\$\\]*) return 1 ;;
  esac
}

odd_name() { printf "'%s' is no name for a student here: it begins with a letter or a digit, and has none of / \" \$ \` \\\\\n" "$(printf '%s' "$1" | tr '[:cntrl:]' '?')"; }

# --- what judges is restored ---

changed_judges() {
  git -c core.fsmonitor= diff --no-ext-diff --no-textconv --name-only "${BASE:-HEAD}" -- $judges
  git -c core.fsmonitor= ls-files --others --exclude-standard -- $judges
}

# The emulator takes a while to build; one made from the same sources is as good. Its sources are dated back, so that
# make sees it that way; a build from other sources goes.
keep_emulator() { # COPY COMMIT CHANGED
  find "$1/emulator" -type f -exec touch -d 2000-01-01T00:00:00 {} +
  tree=$(git rev-parse "$2:emulator")
  if [ "$(cat "$1/build/emulator_tree" 2>/dev/null)" != "$tree" ]; then
    rm -rf "$1/build/emulator"
    mkdir -p "$1/build"
    echo "$tree" >"$1/build/emulator_tree"
  fi
  if ! [ -d "$1/build/emulator" ] && [ -d build/emulator ] && ! printf '%s\n' "$3" | grep -q '^emulator/'; then
    cp -Rp build/emulator "$1/build/"
  fi
}

restore_judges() {
  [ -z "${GRADE_RESTORED:-}" ] || return 0
  # Of a checkout that a student may have configured, nothing is started: no monitor of files, no filter, no hook.
  export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=false GIT_CONFIG_KEY_1=core.hooksPath \
    GIT_CONFIG_VALUE_1=/dev/null GIT_CONFIG_KEY_2=diff.external GIT_CONFIG_VALUE_2=
  top=$(git rev-parse --show-toplevel 2>/dev/null || true)
  if [ "$top" != "$(pwd -P)" ]; then
    warn "this is not a checkout of git: the graders are taken as they are here, nothing can be restored."
    return
  fi
  git rev-parse -q --verify "${BASE:-HEAD}^{commit}" >/dev/null || fail "BASE=${BASE:-HEAD} is no commit of this checkout."
  changed=$(changed_judges)
  [ -n "$changed" ] || return 0
  commit=$(git rev-parse "${BASE:-HEAD}^{commit}")
  say "These files differ from ${BASE:-HEAD}; their versions of then are used:"
  printf '%s\n' "$changed" | sed -n -e '1,10s/^/  /p' -e '11s/.*/  .../p' >&2
  copy=build/restored
  mkdir -p "$copy"
  find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  git archive "$commit" | tar -xf - -C "$copy"
  keep_emulator "$copy" "$commit" "$changed"
  GRADE_RESTORED=1 OUT=$out FILE=$source ROSTER=$roster
  export GRADE_RESTORED OUT FILE ROSTER
  cd "$copy"
  unset EMULATOR_READY
  sh tools/toolchain/configure.sh
  exec sh tools/teaching/grade.sh "$@"
}

# --- how many checks there are: the solution passes them all ---

require_solution() { # NUMBER
  work=build/graded/lesson$1 master=$(exercise_master "$1")
  [ -f "$master" ] || fail "$master is not here: grading needs the solutions. A student's copy of the workbook has none."
  key=$(find tools/grading tools/python common lessons/*/grader.* lessons/*/calls.py lessons/*/layer* -type f -exec cat {} + | cat - "$master" build/configuration | cksum)
  [ "$(cat "$work/key" 2>/dev/null)" = "$key ${BACKEND:-auto}" ] && return
  mkdir -p "$work"
  say "exercise $1: the solution first, so that the number of checks is known"
  if ! RESULTS=$work tools/grading/run "$1" "$master" >"$work/output.txt" 2>&1; then
    cat "$work/output.txt" >&2
    fail "the solution of exercise $1 does not pass on this machine, so nobody is graded: see above, and make doctor."
  fi
  echo "$key ${BACKEND:-auto}" >"$work/key"
}

# --- all of them, several at once ---

# For each file to grade: the student, the exercise and the folder, each ended by a zero byte.
list_jobs() {
  while IFS= read -r name; do
    folder=$source
    [ -n "${STUDENT:-}" ] || folder=$source/$name
    for number in $numbers; do printf '%s\0%s\0%s\0' "$name" "$number" "$folder"; done
  done <"$scratch/students"
}

list_students() {
  if [ -n "${STUDENT:-}" ]; then
    echo "$STUDENT"
    return
  fi
  for folder in "$source"/*/; do
    [ -d "$folder" ] || continue
    name=$(basename "$folder")
    if is_name "$name"; then echo "$name"; else warn "$(odd_name "$name"); that folder is not graded."; fi
  done
}

# A kernel that took too long beside others has a second chance with the machine to itself.
grade_all() {
  GRADE_OUT=$out GRADE_POINTS=$points GRADE_AGAIN=$scratch/again
  export GRADE_OUT GRADE_POINTS GRADE_AGAIN
  [ "$jobs" -gt 1 ] || GRADE_AGAIN=''
  failed=0
  list_jobs | xargs -0 -r -n 3 -P "$jobs" sh tools/teaching/grade_one.sh || failed=1
  GRADE_AGAIN=''
  if [ -s "$scratch/again" ]; then
    say "$(tr -cd '\0' <"$scratch/again" | wc -c | awk '{ print $1 / 3 }') took too long while others ran beside; once more, alone:"
    xargs -0 -r -n 3 sh tools/teaching/grade_one.sh <"$scratch/again" || failed=1
  fi
}

# GitHub Classroom takes a student's points from two notices of this form in the log of a workflow.
tell_github() {
  [ -n "${GITHUB_ACTIONS:-}" ] && [ -n "${STUDENT:-}" ] || return 0
  echo "::notice title=Autograding complete::Points $earned/$all"
  echo "::notice title=Autograding report::{\"totalPoints\":$earned,\"maxPoints\":$all}"
}

write_gradebook() {
  sh tools/teaching/gradebook.sh "$out" "$roster" "$scratch/students" "$numbers" >"$scratch/summary"
  read -r earned all below <"$scratch/summary"
  tell_github
  say "points: $out/points.csv, a row for each student: $out/gradebook.csv (moodle.csv, canvas.csv)"
  [ "${STRICT:-}" != 1 ] || [ "$below" = 0 ] || fail "STRICT=1: $below of the students have less than all points."
}

[ -n "${STUDENT:-}" ] || { [ -n "${FILE:-}" ] && [ -d "$source" ]; } ||
  fail "whose? make grade STUDENT=name, or FILE=folder with a folder for each student"
[ -z "${STUDENT:-}" ] || is_name "$STUDENT" || fail "$(odd_name "$STUDENT")."
restore_judges "$@"
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
list_students >"$scratch/students"
[ -s "$scratch/students" ] || [ -n "$roster" ] || fail "there are no folders in FILE=$FILE: one for each student is expected."
for number in $numbers; do require_solution "$number"; done
export EMULATOR_READY=1 # the solutions have built it
grade_all
write_gradebook
[ "$failed" = 0 ] || fail "not everything could be graded; see above."
