#!/bin/sh
# new_lesson.sh 11_scan: makes a lesson that builds, runs and passes its tests, to be filled in (make new LESSON=11_scan).
# new_lesson.sh 36_name.py: one in Python.
#
# It is tools/authoring/skeleton/ (or skeleton_python/) with another number and name: what a student meets, what a
# teacher keeps, and the test of the page's answers. The page is then named where lessons are named: in the syllabus,
# in TEACHING.md, in the page before it.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/folders.sh

skeleton=tools/authoring/skeleton
asked=${1:-}
jobs='Its program is y = 2 * x, its exercise y = 3 * x'
case $asked in
*.py)
  skeleton=${skeleton}_python asked=${asked%.py}
  jobs='Its library is y = 2 * x, its exercise a binding of y = factor * x'
  ;;
esac
number=${asked%%_*} name=${asked#*_}
folder=lesson$asked
page=lessons/$folder/README.md

check_name() {
  case $asked in
  '') fail "which lesson? make new LESSON=11_scan" ;;
  [0-9][0-9]_[a-z]*) ;;
  *) fail "LESSON=$asked: two digits, a line and a name, as in LESSON=11_scan, or LESSON=36_name.py for one in Python" ;;
  esac
  case $name in *[!a-z0-9_]*) fail "LESSON=$asked: a name has small letters, digits and lines, as functions are named after it." ;; esac
  [ -d "$skeleton" ] || fail "this copy of the workbook is for students: it has no $skeleton."
  for there in lessons/lesson"$number"_* solutions/lesson"$number"_*; do
    [ ! -e "$there" ] || fail "there is a lesson $number: $there."
  done
}

# The skeleton's words with this lesson's number and name: lesson00_skeleton, lesson00.cu, skeleton_kernel1, Lesson
# 00, "00".
named() {
  sed "s/lesson00_skeleton/$folder/g; s/skeleton/$name/g
    s/\([a-z]\)00\b/\1$number/g; s/\([Ll]esson\|[Ee]xercise\) 00\b/\1 $number/g; s/\"00\"/\"$number\"/g"
}

copy_skeleton() {
  (cd "$skeleton" && find . -type f) | sed 's|^\./||' | while IFS= read -r file; do
    new=$(echo "$file" | named)
    mkdir -p "$(dirname "$new")"
    cp -p "$skeleton/$file" "$new" # for its mode
    named <"$skeleton/$file" >"$new"
  done
}

# Where this lesson's line belongs in a table of lessons: behind the last row with a smaller number.
add_row() { # FILE ROW
  awk -v number="$number" -v row="$2" '
    { line[NR] = $0 }
    /^\| \[[0-9][0-9] / && substr($0, 4, 2) + 0 < number + 0 && !over { behind = NR }
    /^\| \[[0-9][0-9] / { seen = 1 }
    seen && !/^\|/ { over = 1 }
    END { for (k = 1; k <= NR; k++) { print line[k]; if (k == behind) print row } }' "$1" >"$1.$$"
  cat "$1.$$" >"$1"
  rm "$1.$$"
}

# The first point under a page's "Read next".
add_next() { # PAGE, FOLDER it leads to
  next=${2#lesson}
  awk -v point="- [Lesson ${next%%_*}](../$2/README.md), FILL IN: what comes next." '
    { print }
    /^## Read next/ { getline; print; print point }' "$1" >"$1.$$"
  cat "$1.$$" >"$1"
  rm "$1.$$"
}

register() {
  add_row README.md "| [$number $name]($page) | 90 | FILL IN: about | FILL IN: measured/headline.sh | FILL IN: exercise |"
  add_row TEACHING.md "| [$number $name]($page) | 90 | FILL IN: in class | FILL IN: at home |"
  # It is planned no longer.
  sed -i "/^Planned, [^·]*: $number [a-z0-9_]*\.\$/,/^\$/d" README.md
  sed -i "/^Planned, /,/^\$/{
    s/\(^\| \)$number [a-z0-9_]* ·\( \|\$\)/\1/
    s/ · $number [a-z0-9_]*\([;.]\)/\1/
    s/ *\$//
  }" README.md
  before=$(lesson_folders | sed -n "\|^lessons/$folder\$|q; p" | tail -n 1)
  after=$(lesson_folders | sed "1,\|^lessons/$folder\$|d" | head -n 1)
  [ -z "$after" ] || add_next "$page" "$(basename "$after")"
  for earlier in "$before"/README.md "${before%%_*}"[a-z]_*/README.md; do
    [ ! -f "$earlier" ] || add_next "$earlier" "$folder"
  done
}

make_the_rest() {
  if ! find "lessons/$folder" "solutions/$folder" -name '*.c[up]*' -exec sh tools/authoring/format.sh {} + 2>/dev/null; then
    warn "clang-format 14 is not installed, so the new files may not be laid out as make format does."
  fi
  sh tools/authoring/map.sh
  python3 tools/workbook generate "$number"
}

say_what_is_next() {
  say "lesson $number is there. It does what a skeleton can: make lesson$number run, make exercise$number, make lesson$number test"
  say "$jobs: replace them. What else is to be written says FILL IN:"
  say "  grep -rn 'FILL IN' lessons solutions README.md TEACHING.md"
  say "CONTRIBUTING.md says what a lesson has, and in which order to write it."
  calling=$(grep -rnE "[Ll]esson $number\b" --include='*.md' --include='*.cu' lessons solutions GLOSSARY.md TEACHING.md |
    grep planned | grep -v "^lessons/$folder/" || true)
  [ -z "$calling" ] || say "These still call it planned:
$calling"
}

check_name
copy_skeleton
register
make_the_rest
say_what_is_next
