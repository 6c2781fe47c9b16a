#!/bin/sh
# make new: the lesson that it makes builds, runs, is graded rightly and passes every test of a lesson, and is named
# where lessons are named. What is left to be written is found.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
need_markdown "make new makes a lesson"
copy_project
copy_graders
# What pip has installed for the project serves the copy as well.
(cd "$project" && sh tools/notebooks/environment.sh && sh tools/python/environment.sh 27) >/dev/null 2>&1 || true # who needs it says why it is missing
for installed in .venv build/python; do [ ! -d "$project/$installed" ] || ln -s "$project/$installed" "$installed"; done
for item in bench notebooks SECURITY.md TEACHING.md GLOSSARY.md MAP.md CONTRIBUTING.md CHANGELOG.md LICENSE .clang-format .devcontainer; do cp -Rp "$project/$item" "$copy/"; done

# The first lesson that is planned; when all are there, another one.
planned=$(sed -n '/^Planned, /,/^$/p' README.md | grep -oE '(^| )[0-9]{2} [a-z0-9_]+' | head -n 1 | sed 's/^ //; s/ /_/')
asked=${planned:-36_another}
number=${asked%%_*}

capture make new
expect "make new asks which" error 'make new LESSON=11_scan'
capture make record
expect "make record asks which" error 'make record LESSON=10'
capture make new LESSON=scan
expect "a lesson without a number" error 'two digits, a line and a name'
capture make new LESSON=11_so-long
expect "a name that is no name in C" error 'small letters, digits and lines'
capture make new LESSON=03_again
expect "a lesson that is there" error 'there is a lesson 03: lessons/lesson03_relu'
if diff -r "$project/lessons" lessons >/dev/null && cmp -s "$project/README.md" README.md; then
  pass "and nothing is made"
else
  no "and nothing is made" "files differ"
fi

# check_new LESSON WHAT VERDICT PART...: makes that lesson, looks at it, and runs its tests.
check_new() {
  asked=${1%.py} what=$2 verdict=$3
  number=${asked%%_*} folder=lesson$asked
  capture make new LESSON="$1"
  shift 3
  expect "make new makes $what" 0 "lesson $number is created.*make lesson$number run"
  found=$(grep -rnliE 'skeleton|lesson.?00|workbook [a-z]+ 00' "lessons/$folder" "solutions/$folder" "notebooks/$folder.ipynb" | tr '\n' ' ' || true)
  if [ -z "$found" ]; then pass "nothing in $what is named after the skeleton"; else no "nothing in $what is named after the skeleton" "$found"; fi
  missing=''
  for part in "$@" README.md hints.md measured/record.list; do
    [ -s "lessons/$folder/$part" ] || [ -s "solutions/$folder/$part" ] || missing="$missing $part"
  done
  [ -s "notebooks/$folder.ipynb" ] || missing="$missing notebook"
  if [ -z "$missing" ]; then pass "$what has all that a lesson has"; else no "$what has all that a lesson has" "missing:$missing"; fi
  capture make "lesson$number" run
  expect "$what runs" 0 '^PASS'
  capture make "exercise$number"
  expect "$what: its exercise fails as it was given" error "^VERDICT: $verdict"
  capture env -u SUITE make "lesson$number" test
  expect "$what: its tests pass" 0 '^[0-9]* passed, 0 failed, 0 skipped'
}

last=$(sed -n '/^Planned, /,/^$/p' README.md | grep -oE '(^| )[0-9]{2} [a-z0-9_]+' | tail -n 1 | sed 's/^ //; s/ /_/')
check_new "$asked" "a lesson" stale_output "lesson$number.cu" exercise.cu grader.cpp solution.cu wrong/no_guard.cu other/grid_stride.cu
c_folder=$folder
capture sh tools/python/environment.sh 27
if [ "$status" != 0 ]; then
  skip "make new makes a lesson in Python" "there is no Python with NumPy for it"
else
  [ -n "$last" ] && [ "lesson$last" != "$c_folder" ] || last=37_more
  check_new "$last.py" "a lesson in Python" not_implemented "lesson${last%%_*}.py" "${last#*_}.cu" exercise.py grader.py calls.py requirements.txt \
    solution.py wrong/numpy_only.py other/ndpointer.py
fi
capture python3 tools/workbook format --check
case $output in
*'clang-format 14 is not installed'*) skip "it is laid out as make format does" "clang-format 14 is not installed" ;;
*) expect "it is laid out as make format does" 0 '' ;;
esac
capture sh tests/texts.test.sh
found=$(printf '%s\n' "$output" | grep '^not ok ' | sed 's/:.*//')
if [ "$found" = "not ok what make new has left to be written is written" ]; then
  pass "the texts hold together, but for what is left to be written"
else
  no "the texts hold together, but for what is left to be written" "$found" && show_output
fi
capture sh tests/lessons/tables.test.sh
expect "its numbers wait for a record" 0 "^skip .*$c_folder/README.md has the numbers of its record"
case $output in *'not ok '*) no "and no other table suffers" "$output" ;; *) pass "and no other table suffers" ;; esac

# The way from a record to the page, on a card that nobody has: the emulator behind a name that hides it, with tools that say what a GPU's would.
mkdir "$scratch/bin" "$scratch/runtime"
cp -P build/emulator/*.so* "$scratch/runtime/"
cat >"$scratch/hide.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlsym(void *restrict handle, const char *restrict name) {
    void *(*real)(void *, const char *) = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return strcmp(name, "emulatorName") == 0 ? 0 : real(handle, name);
}
END
gcc -w -shared -fPIC "$scratch/hide.c" -o "$scratch/hide.so" -ldl
cat >"$scratch/bin/nvidia-smi" <<'END'
#!/bin/sh
case $1 in *=name) echo "NVIDIA GeForce RTX 4090" ;; *compute_cap) echo 8.9 ;; *) echo 1980 ;; esac
END
cat >"$scratch/bin/compute-sanitizer" <<'END'
#!/bin/sh
echo "PASS: it is"
echo "========= ERROR SUMMARY: 0 errors"
END
chmod +x "$scratch/bin"/*
c_number=${c_folder#lesson}
c_number=${c_number%%_*}
capture env PATH="$scratch/bin:$PATH" LD_LIBRARY_PATH="$scratch/runtime" LD_PRELOAD="$scratch/hide.so" SIZE=4096 make record LESSON="$c_number"
expect "make record measures it on another card" 0 "lessons/$c_folder/measured/rtx4090.csv has the record"
capture python3 tools/workbook fill "$c_number"
expect "its numbers are brought into the page" 0 ''
if grep -q '^| .*_kernel2 | | 0\.' "lessons/$c_folder/README.md" && grep -q "^| \[$c_number .*2^12.*% of a copy kernel" README.md; then
  pass "the page and the syllabus show them"
else
  no "the page and the syllabus show them" "$(grep -n "_kernel2 | |\|^| \[$c_number" "lessons/$c_folder/README.md" README.md)"
fi
capture python3 tools/workbook fill --check "$c_number"
expect "and they are those of its record" 0 "^ok lessons/$c_folder/README.md has the numbers of its record"
sed -i 's/\(_kernel2 | | [^|]*\)[0-9] |/\1x |/' "lessons/$c_folder/README.md"
capture python3 tools/workbook fill --check "$c_number"
expect "another number is found, with its line" 1 "lessons/$c_folder/README.md:[0-9]*: table v in rows.main.: expected .*found"
