#!/bin/sh
# grade.sh [03]: grades submissions, and writes points. What `make grade` and `make exercise03 grade` do.
#
#   make grade OUT=grades STUDENT=ada                       the exercises of this checkout
#   make grade OUT=grades STUDENT=ada FILE=submissions/ada  those in that folder (or that one file, for one exercise)
#   make grade OUT=grades FILE=submissions                  a student for each folder in it
#
# OUT/points.csv has a line for each student and exercise; OUT/STUDENT/exercise03/ has results.json, results.xml, what was
# printed and the file that was graded. Only exercise.cu, or the notebook's cell, comes from the student. Everything that judges it is the version
# that git has (BASE=commit, HEAD otherwise): where a file of it was changed, the grading takes place in a restored copy.
set -eu
invoked_in=$PWD
cd "$(dirname "$0")/.."
. tools/messages.sh

points=10 # of an exercise that passes
judges='Makefile common emulator solutions tests tools'

case ${OUT:-} in '') out=build/grades ;; *) out=$OUT ;; esac
case $out in /*) ;; *) out=$invoked_in/$out ;; esac
source=${FILE:-.}
case $source in /*) ;; *) source=$invoked_in/$source ;; esac
source=${source%/.}
[ -e "$source" ] || fail "there is no FILE=$FILE."

if [ -n "${1:-}" ]; then
  numbers=$1
else
  numbers=$(ls -d lessons/lesson[0-9][0-9]_*/exercise.cu | sed 's|lessons/lesson\([0-9]*\).*|\1|')
fi
[ -d "$source" ] || [ -n "${1:-}" ] || fail "FILE=$FILE is one file: of which exercise? make exercise03 grade FILE=$FILE"

# A name becomes a folder, and a cell of a table that a spreadsheet must not take for a formula.
check_name() {
  case $1 in
  '' | [-.=+@]* | */* | *[[:cntrl:]]* | *\"*) fail "'$1' is no name for a student here: letters, digits, spaces, . - _" ;;
  esac
}

# --- what judges is restored ---

changed_judges() {
  git diff --name-only "${BASE:-HEAD}" -- $judges
  git ls-files --others --exclude-standard -- $judges
}

restore_judges() {
  [ -z "${GRADE_RESTORED:-}" ] || return 0
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
  # The emulator takes a while to build; one made from the same sources is as good. Its sources are dated back, so that
  # make sees it that way; a build from other sources goes.
  find "$copy/emulator" -type f -exec touch -d 2000-01-01T00:00:00 {} +
  tree=$(git rev-parse "$commit:emulator")
  if [ "$(cat "$copy/build/emulator_tree" 2>/dev/null)" != "$tree" ]; then
    rm -rf "$copy/build/emulator"
    mkdir -p "$copy/build"
    echo "$tree" >"$copy/build/emulator_tree"
  fi
  if ! [ -d "$copy/build/emulator" ] && [ -d build/emulator ] && ! printf '%s\n' "$changed" | grep -q '^emulator/'; then
    cp -Rp build/emulator "$copy/build/"
  fi
  GRADE_RESTORED=1 OUT=$out FILE=$source
  export GRADE_RESTORED OUT FILE
  cd "$copy"
  unset EMULATOR_READY
  sh tools/configure.sh
  exec sh tools/grade.sh "$@"
}

# --- how many checks there are: the solution passes them all ---

require_solution() { # NUMBER
  work=build/graded/lesson$1
  key=$(cat "tests/graders/lesson$1.cu" tests/graders/grader.h tests/graders/run solutions/lesson"$1"_*/exercise.cu build/configuration | cksum)
  [ "$(cat "$work/key" 2>/dev/null)" = "$key ${BACKEND:-auto}" ] && return
  mkdir -p "$work"
  say "exercise $1: the solution first, so that the number of checks is known"
  if ! RESULTS=$work tests/graders/run "$1" solutions/lesson"$1"_*/exercise.cu >"$work/output.txt" 2>&1; then
    cat "$work/output.txt" >&2
    fail "the solution of exercise $1 does not pass on this machine, so nobody is graded: see above, and make doctor."
  fi
  echo "$key ${BACKEND:-auto}" >"$work/key"
}

# --- one submission ---

# The student's file for an exercise: lesson03_relu/exercise.cu or exercise03.cu, anywhere not too deep in the folder.
find_exercise() { # NUMBER FOLDER
  [ -d "$2" ] || { echo "$2" && return; }
  find "$2" -maxdepth 5 -type f \( -path "*/lesson${1}_*/exercise.cu" -o -name "exercise$1.cu" \) \
    ! -path '*/build/*' ! -path "$2/solutions/*" | awk '{ print length($0), $0 }' | sort -n | sed -n '1s/^[0-9]* //p'
}

# The lesson's notebook, when there is no file, or when the file is still as it was given.
find_notebook() { # NUMBER FOLDER FILE
  [ -d "$2" ] || return 0
  if [ -n "$3" ]; then
    sh tools/build_generator.sh
    build/tools/make_exercise solutions/lesson"$1"_*/exercise.cu | cmp -s - "$3" || return 0
  fi
  find "$2" -maxdepth 5 -type f -name "lesson${1}_*.ipynb" ! -path '*/build/*' ! -path '*/.ipynb_checkpoints/*' |
    awk '{ print length($0), $0 }' | sort -n | sed -n '1s/^[0-9]* //p'
}

cell() { # TEXT, in quotes where CSV needs them
  case $1 in *,*) printf '"%s"' "$1" ;; *) printf '%s' "$1" ;; esac
}

# add_points STUDENT NUMBER VERDICT POINTS PASSED CHECKS: replaces the line that there was.
add_points() {
  if command -v flock >/dev/null; then
    exec 8>"$out/.points.lock"
    flock 8
  fi
  csv=$out/points.csv who=$(cell "$1")
  {
    echo "student,exercise,verdict,points,of,checks passed,checks,graded"
    {
      [ ! -f "$csv" ] || sed 1d "$csv" | awk -v start="$who,$2," 'index($0, start) != 1'
      echo "$who,$2,$3,$4,$points,$5,$6,$(date +%Y-%m-%dT%H:%M:%S)"
    } | LC_ALL=C sort
  } >"$csv.$$"
  mv "$csv.$$" "$csv"
  exec 8>&-
}

grade() { # STUDENT NUMBER FOLDER
  folder=$out/$1/exercise$2
  rm -rf "$folder"
  mkdir -p "$folder"
  file=$(find_exercise "$2" "$3")
  notebook=$(find_notebook "$2" "$3" "$file")
  if [ -n "$notebook" ]; then
    if python3 tools/notebooks/exercise_of.py "$notebook" "$2" >"$folder/exercise.cu"; then
      file=$folder/exercise.cu
    else
      rm "$folder/exercise.cu"
    fi
  fi
  all=$(sed 's/.* //' "build/graded/lesson$2/count")
  passed=0
  if [ -z "$file" ]; then
    verdict=not_submitted
  else
    [ "$file" = "$folder/exercise.cu" ] || cp "$file" "$folder/exercise.cu"
    RESULTS=$folder NAMES=build/graded/lesson$2/checks tests/graders/run "$2" "$file" >"$folder/output.txt" 2>&1 || true
    verdict=$(sed -n '$s/^VERDICT: //p' "$folder/output.txt")
    [ -n "$verdict" ] || fail "$1, exercise $2: the grader ended without a verdict; see $folder/output.txt."
    read -r passed counted <"$folder/count"
    [ "$counted" -le "$all" ] || all=$counted
    rm -f "$folder/count" "$folder/checks"
  fi
  earned=$((points * passed / all))
  [ "$verdict" != pass ] || earned=$points
  add_points "$1" "$2" "$verdict" "$earned" "$passed" "$all"
  printf '%-20s exercise %s  %2d of %d points  %s\n' "$1" "$2" "$earned" "$points" "$verdict"
}

grade_student() { # NAME FOLDER
  for number in $numbers; do grade "$1" "$number" "$2"; done
}

if [ -n "${STUDENT:-}" ]; then
  check_name "$STUDENT"
elif [ -z "${FILE:-}" ] || ! [ -d "$source" ]; then
  fail "whose? make grade STUDENT=name, or FILE=folder with a folder for each student"
fi
restore_judges "$@"
for number in $numbers; do require_solution "$number"; done
mkdir -p "$out"
if [ -n "${STUDENT:-}" ]; then
  grade_student "$STUDENT" "$source"
else
  found=''
  for folder in "$source"/*/; do
    [ -d "$folder" ] || continue
    name=$(basename "$folder")
    check_name "$name"
    found=1
    grade_student "$name" "${folder%/}"
  done
  [ -n "$found" ] || fail "there are no folders in FILE=$FILE: one for each student is expected."
fi
say "points: $out/points.csv"
