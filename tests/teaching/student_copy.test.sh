#!/bin/sh
# make student-copy: what it must not have, and that a student can work in it. Also a workbook that belongs to somebody else.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
project=$PWD
export TIMEOUT=10 CUDA_VISIBLE_DEVICES=-1

capture make student-copy
expect "make student-copy asks where to" error 'OUT=folder'
capture make student-copy OUT="$scratch/a copy"
expect "make student-copy" 0 'without solutions'
cd "$scratch/a copy"

# Nothing in it is a solution, right or wrong, under whatever name, and no notebook holds one.
(cd "$project" && find solutions \( -name '*.cu' -o -name '*.cpp' -o -name '*.py' \) -exec cksum {} +) |
  awk '{ print $1 "-" $2 }' | sort >"$scratch/secrets"
find . -type f -exec cksum {} + | awk '{ print $1 "-" $2 }' | sort >"$scratch/files"
found=$(comm -12 "$scratch/secrets" "$scratch/files" | wc -l)
if [ -s "$scratch/secrets" ] && [ "$found" = 0 ]; then pass "no solution is in it"; else no "no solution is in it" "$found files"; fi
found=$(grep -rlE '^(//|#) expect: |^ *(//|#)[>|] ' . --include='*.cu' --include='*.cpp' --include='*.py' --include='*.ipynb' || true)
if [ -z "$found" ]; then pass "no master and no wrong solution is in it"; else no "no master and no wrong solution is in it" "$found"; fi
found=$(ls -d .git solutions tests emulator/tests TEACHING.md 2>/dev/null || true)
if [ -z "$found" ]; then pass "no history, no tests, no teacher's page"; else no "no history, no tests, no teacher's page" "$found"; fi
broken=$(for page in README.md lessons/*/README.md notebooks/nvcc_magic/README.md; do
  sed '/^```/,/^```/d' "$page" | grep -o '](\([^)#: ]*\))' | sed 's/](\(.*\))/\1/' | while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
  done
done)
case $broken in '') pass "its pages' links lead somewhere" ;; *) no "its pages' links lead somewhere" "$broken" ;; esac

mkdir build
cp -Rp "$project/build/emulator" build/
capture make exercise01
expect "the exercise fails as it was given" error '^VERDICT: stale_output'
capture make hint01 N=1
expect "hints are there" 0 '^## 1'
capture make exercise01 solution
expect "there is no solution, and it says so" error 'this copy of the workbook has no solutions'
cp "$project"/solutions/lesson01_*/solution.cu lessons/lesson01_threads/exercise.cu
capture make exercise01
expect "a right solution passes" 0 '^VERDICT: pass'
case $output in *'exercise01 solution'*) no "nobody is sent to a solution that is not there" "$output" ;; *) pass "nobody is sent to a solution that is not there" ;; esac
capture make exercise01 reset
expect "reset works without the master" 0 'is reset to its original version'
if cmp -s lessons/lesson01_*/exercise.cu tools/given/lesson01_*.cu; then pass "and gives the exercise back"; else no "and gives the exercise back" "it differs"; fi
mv lessons/lesson03b_operators/exercise.cu "$scratch/given.cu"
capture make exercise03b reset
expect "so it does for a further exercise" 0 'is reset to its original version'
if cmp -s lessons/lesson03b_operators/exercise.cu "$scratch/given.cu"; then pass "which is the same again"; else no "which is the same again" "it differs"; fi
rm lessons/lesson27_ctypes/exercise.py
capture make exercise27 reset
expect "and for an exercise in Python" 0 'is reset to its original version'
if cmp -s lessons/lesson27_ctypes/exercise.py tools/given/lesson27_ctypes.py; then pass "which is there again"; else no "which is there again" "it differs"; fi
capture make test
expect "make test says that there is none" error 'has no tests'
capture make grade STUDENT=me
expect "make grade says what is missing" error 'grading needs the solutions'
capture make student-copy OUT="$scratch/another"
expect "make student-copy in a student's copy" error "student's copy already"

# --- a workbook that can be read and not written ---

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
  skip "a workbook of somebody else's" "this needs root and setpriv"
  exit 0
fi
chmod 755 "$scratch"
reader() { capture setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
reader make hint01 N=2
expect "hints in a workbook that cannot be written" 0 '^## 2'
reader make lesson01 run SIZE=100
expect "a build in it says why not" error 'cannot be written: it belongs to another user'
case $output in *'Permission denied'*) no "without the shell's words" "$output" ;; *) pass "without the shell's words" ;; esac
reader make exercise01
expect "a grading in it says why not" error 'cannot be written: it belongs to another user'
rm -rf build
reader sh tools/toolchain/configure.sh
expect "what a notebook's first cell asks for says why not" error 'cannot be written: it belongs to another user'
case $output in *'ermission denied'*) no "that without the shell's words, too" "$output" ;; *) pass "that without the shell's words, too" ;; esac
mkdir build
reader make clean
expect "make clean in it is one line" error '^error: build/ cannot be removed'
if [ "$(printf '%s\n' "$output" | wc -l)" -le 3 ]; then pass "one line"; else no "one line" "$(printf '%s\n' "$output" | wc -l)"; fi
