#!/bin/sh
# grade_one.sh STUDENT 03 FOLDER: grades one exercise of one student, for grade.sh, which may run several of these at once. FOLDER is where
# the student's files are, or the file itself. Writes GRADE_OUT/STUDENT/exercise03/ and the line of GRADE_OUT/points.csv.
# A grading that took too long is noted in GRADE_AGAIN, if that is set, instead.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

student=$1 number=$2 source=$3
points=$GRADE_POINTS
folder=$GRADE_OUT/$student/exercise$number
suffix=$(exercise_suffix "$number")
remarks=''

remark() { remarks="$remarks${remarks:+; }$*"; }

# --- the student's file ---

# name_of PATH: as the student knows it, inside of the submission.
name_of() { printf '%s' "${1#"$source/"}"; }

# candidates TYPE: files (f) or symbolic links (l) of that exercise, the one with the shortest path first.
candidates() {
  find "$source" -maxdepth 5 -type "$1" \( -path "*/lesson${number}_*/exercise.$suffix" -o -name "exercise$number.$suffix" \) \
    ! -path '*/build/*' ! -path "$source/solutions/*" ! -path "$source/tools/given/*" | sort_by_length
}

sort_by_length() { awk '{ print length($0), $0 }' | LC_ALL=C sort -n | sed 's/^[0-9]* //'; }

# lesson03_relu/exercise.cu or exercise03.cu, anywhere not too deep in the folder. A link could lead to anybody's file.
find_exercise() {
  if ! [ -d "$source" ]; then
    file=$source
    return
  fi
  candidates f >"$folder/found"
  file=$(sed -n 1p "$folder/found")
  if [ "$(wc -l <"$folder/found")" -gt 1 ]; then
    others=$(sed 1d "$folder/found" | while IFS= read -r other; do cmp -s "$other" "$file" || name_of "$other, "; done)
    [ -z "$others" ] || remark "several files: $(name_of "$file") was graded, not ${others%, }"
  fi
  link=$(candidates l | sed -n 1p)
  [ -z "$link" ] || remark "$(name_of "$link") is a symbolic link and was not looked at: hand in the file itself"
  rm -f "$folder/found"
}

is_as_given() { # FILE, or - for what comes in
  [ -f "$folder/given" ] || exercise_as_given "$number" >"$folder/given"
  cmp -s "$folder/given" "$1"
}

# The lesson's notebook counts when there is no file, or when the file is still as it was given.
find_notebook() {
  [ -d "$source" ] || return 0
  [ -z "$file" ] || is_as_given "$file" || return 0
  notebooks=$(find "$source" -maxdepth 5 -type f -name "lesson${number}_*.ipynb" ! -path '*/build/*' ! -path '*/.ipynb_checkpoints/*' |
    sort_by_length)
  [ -n "$notebooks" ] || return 0
  take_solved_notebook "$notebooks"
}

# The first notebook whose exercise somebody has worked on; else the first that holds the exercise at all.
take_solved_notebook() { # NOTEBOOKS
  while IFS= read -r notebook; do
    if ! python3 tools/notebooks/exercise_of.py "$notebook" "$number" >"$folder/cell.$suffix" 2>/dev/null; then
      remark "$(name_of "$notebook") has no cell with exercise $number"
    elif ! sed 1d "$folder/cell.$suffix" | is_as_given -; then
      mv "$folder/cell.$suffix" "$folder/exercise.$suffix"
      break
    elif ! [ -f "$folder/exercise.$suffix" ]; then
      mv "$folder/cell.$suffix" "$folder/exercise.$suffix"
    fi
  done <<END
$1
END
  rm -f "$folder/cell.$suffix"
  [ ! -f "$folder/exercise.$suffix" ] || file=$folder/exercise.$suffix
}

# --- its grading ---

# What is graded is a copy, and messages name it as the file inside of the submission.
judge() {
  shown=$(name_of "$file")
  case $shown in /*) shown=exercise.$suffix ;; esac
  [ "$file" = "$folder/exercise.$suffix" ] || head -c 1000000 "$file" >"$folder/exercise.$suffix"
  OTHERS=1 SHOWN=$shown RESULTS=$folder
  export OTHERS SHOWN RESULTS
  tools/grading/run "$number" "$file" >"$folder/output.txt" 2>&1 </dev/null || true
  found=$(python3 tools/workbook verdict "$folder/results.json") ||
    fail "$student, exercise $number: the grader ended without a verdict; see $folder/output.txt."
  read -r verdict passed counted <<END
$found
END
}

# A pass without all of the solution's checks is none, whatever the program said.
count_points() {
  all=$(python3 tools/workbook verdict "build/graded/lesson$number/results.json")
  all=${all##* }
  [ "${counted:-0}" -le "$all" ] || all=$counted
  earned=$((points * passed / all))
  if [ "$verdict" = pass ] && [ "$passed" -lt "$all" ]; then
    verdict=incomplete
    remark "the grading ended as passed after $passed of $all checks: look at what this program does"
  fi
}

# --- what is told ---

cell() { # TEXT, in quotes where CSV needs them
  case $1 in *,*) printf '"%s"' "$1" ;; *) printf '%s' "$1" ;; esac
}

# Replaces the line that there was. Several gradings may end at once.
add_points() {
  exec 8>"$GRADE_OUT/.points.lock"
  flock 8
  csv=$GRADE_OUT/points.csv who=$(cell "$student")
  {
    echo "student,exercise,verdict,points,of,checks passed,checks,graded"
    {
      [ ! -f "$csv" ] || sed 1d "$csv" | awk -v start="$who,$number," 'index($0, start) != 1'
      echo "$who,$number,$verdict,$earned,$points,$passed,$all,$(date +%Y-%m-%dT%H:%M:%S)"
    } | LC_ALL=C sort
  } >"$csv.$$"
  mv "$csv.$$" "$csv"
  exec 8>&-
}

# The name's characters are counted, not its bytes.
tell() {
  width=$(printf '%s' "$student" | LC_ALL=C.UTF-8 wc -m)
  printf '%s%*s exercise %s  %2d of %d points  %s%s\n' "$student" "$((width < 20 ? 20 - width : 0))" '' "$number" "$earned" "$points" \
    "$verdict" "${remarks:+ ($remarks)}"
}

ask_again() {
  printf '%s\0%s\0%s\0' "$student" "$number" "$source" >>"$GRADE_AGAIN"
  exit
}

rm -rf "$folder"
mkdir -p "$folder"
passed=0 counted=0 verdict=not_submitted
find_exercise
find_notebook
rm -f "$folder/given"
[ -z "$file" ] || judge
count_points
[ "$verdict" != timeout ] || [ -z "${GRADE_AGAIN:-}" ] || ask_again
printf '%s\n' "$remarks" >"$folder/remarks.txt"
[ -n "$remarks" ] || rm "$folder/remarks.txt"
add_points
tell
