#!/bin/sh
# student_copy.sh: `make student-copy OUT=folder` writes a copy of the workbook for students there: without solutions, right or
# wrong, and without history. tools/teaching/for_students.txt says what it has. Exercises are in it as they were given, whatever somebody has
# made of them here.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

[ -n "${OUT:-}" ] || fail "where to? make student-copy OUT=folder"
case $OUT in /*) out=$OUT ;; *) out=$PWD/$OUT ;; esac
[ ! -e "$out" ] || [ -z "$(ls -A "$out" 2>/dev/null)" ] || fail "OUT=$OUT is not empty. The copy is made anew: name another folder, or remove that one."
[ -f "$(exercise_master 01)" ] || fail "there are no solutions here, so this is a student's copy already: cp -R does it."

# The files that git keeps or would keep; where this is no checkout, all but what was built.
list_files() {
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
    git ls-files --cached --others --exclude-standard
  else
    find . \( -type f -o -type l \) ! -path './build/*' ! -path './.venv/*' ! -path './.toolchain/*' ! -path './work/*' ! -path '*/__pycache__/*' | sed 's|^\./||'
  fi
}

# Of these, the ones that the list names, and does not take away again.
choose_files() {
  list_files | awk '
    NR == FNR {
      if (/^(#|$)/) next
      pattern = $0; refused = sub(/^-/, "", pattern)
      gsub(/[.+]/, "\\\\&", pattern); gsub(/\*/, "[^/]*", pattern)
      pattern = "^" pattern "(/|$)"
      if (refused) not_wanted[pattern]; else wanted[pattern]
      next
    }
    {
      take = 0
      for (pattern in wanted) if ($0 ~ pattern) take = 1
      for (pattern in not_wanted) if ($0 ~ pattern) take = 0
      if (take) print
    }' tools/teaching/for_students.txt -
}

mkdir -p "$out" || fail "OUT=$OUT cannot be made."
choose_files | while IFS= read -r file; do
  [ -f "$file" ] || continue # removed here, though git still has it
  mkdir -p "$out/$(dirname "$file")"
  cp -pP "$file" "$out/$file"
done
mkdir -p "$out/tools/given"
for number in $(exercise_numbers); do
  folder=$(exercise_folder "$number")
  given=tools/given/$(basename "$folder").$(exercise_suffix "$number")
  exercise_as_given "$number" >"$out/$given"
  cp "$out/$given" "$out/$(exercise_file "$number")"
done
# Links of the page for everybody that lead to what students do not have.
sed -e 's/\[\(TEACHING\.md\|CONTRIBUTING\.md\)\]([^)]*)/\1/g' README.md >"$out/README.md"
say "a copy for students is in $OUT: $(find "$out" -type f | wc -l) files, without solutions"
