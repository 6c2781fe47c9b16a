#!/bin/sh
# The words of the command line: help, mistakes, and that a mistake or -n builds nothing.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
rm -rf build

nothing_built() { # NAME
  if [ -e build ]; then no "$1" "build/ has appeared: $(ls build | head -n 5)"; else pass "$1"; fi
}

capture make
expect "make prints the help" 0 'make lesson03 run'
lines=$(printf '%s\n' "$output" | wc -l)
columns=$(printf '%s\n' "$output" | wc -L)
if [ "$lines" -le 24 ] && [ "$columns" -le 80 ]; then
  pass "help fits 80 x 24"
else
  no "help fits 80 x 24" "it has $lines lines of up to $columns columns"
fi
for word in doctor student-copy lab notebooks bench test clean new record format hint03 watch progress grade solution reset ptx sass BACKEND TIMEOUT SIZE; do
  printf '%s\n' "$output" | grep -q "$word" || no "help names $word" "it does not"
done

capture make lesson1 run
expect "a lesson that is not there" error "'lesson1' is no word.*Did you mean lesson01\?"
capture make hint1
expect "a hint that lacks its zero" error "'hint1' is no word.*Did you mean hint01\?"
capture make lesson99
expect "a lesson that is not there" error "There are lessons 01 02 03 .* so far; README.md says what is planned"
capture make exercise01 TIMEOUT=abc
expect "TIMEOUT=abc" error 'TIMEOUT=abc: it is a number of seconds'
capture make lesson01 rum
expect "a typo in an action" error "'rum' is no word.*Did you mean run\?"
capture make rnu lesson01
expect "two letters exchanged" error "'rnu' is no word.*Did you mean run\?"
capture make ptx03
expect "an action and a number in one word" error "Did you mean lesson03 ptx\?"
capture make profile03b
expect "of an exercise without a program" error "Did you mean exercise03b profile\?"
capture make lesson01 FOO=1
expect "a variable that is near to none" error "'FOO' is no variable.*It is one of ARCH BACKEND .*"
capture make clena
expect "a typo in a command" error "Did you mean clean\?"
capture make threads
expect "a lesson by its name" error "Did you mean lesson01\?"
capture make xyzzy
expect "a word far from all" error "'xyzzy' is no word"
case $output in *Did*) no "no far-fetched suggestion" "$output" ;; *) pass "no far-fetched suggestion" ;; esac
capture make "it's \$(touch evil) \`touch evil\`"
expect "a word with quotes" error "is no word"
if [ -e evil ]; then no "a word is not executed" "it was"; else pass "a word is not executed"; fi
capture make lesson01 run SIZ=100
expect "a typo in a variable" error "'SIZ' is no variable.*Did you mean SIZE\?"
capture make lesson01 run "NVCCFLAGS=-G -O0" -n
expect "a variable with a space" 0 ''
capture make run
expect "an action without a lesson" error 'run what\?.*make lesson03 run'
capture make hnit03
expect "a typo in a hint" error "Did you mean hint03\?"
capture make hint
expect "an exercise's action without one" error 'hint what\?.*make exercise03 hint'
capture make lesson01 hint
expect "an exercise's action on a lesson" error "lesson01 has no action 'hint'"
capture make exercise01 test
expect "a lesson's action on an exercise" error "exercise01 has no action 'test'"
capture make lesson01 BACKEND=tpu
expect "BACKEND=tpu" error 'BACKEND=tpu.*auto, gpu or cpu'
nothing_built "a mistake builds nothing"

for goals in 'lesson01 run' 'run lesson01' 'lesson01 test' 'exercise01' 'exercise01 reset' hint01 watch progress 'exercise01 watch' 'exercise01 grade' grade doctor lab notebooks test bench clean format; do
  capture make -n $goals
  expect "make -n $goals" 0 ''
done
nothing_built "make -n builds nothing"

# --- from elsewhere ---

mkdir "$scratch/elsewhere"
capture sh -c 'cd "$1" && make -f "$2/Makefile" -n lesson01 run SIZE=10' sh "$scratch/elsewhere" "$copy"
expect "make -f from elsewhere" 0 'sh tools/actions/run\.sh build/lessons/lesson01'
capture sh -c 'cd "$1" && make -f "$2/Makefile" lesson01 rum' sh "$scratch/elsewhere" "$copy"
expect "a typo from elsewhere" error "Did you mean run\?"
nothing_built "make -f builds nothing by itself"
for folder in lessons/*/; do
  [ -f "$folder/Makefile" ] || no "make works in $folder" "it has no Makefile"
done
cd lessons/lesson03_relu
for words in 'run:sh tools/actions/run\.sh build/lessons/lesson03' 'exercise:python3 tools/workbook exercise 03 grade' 'hint N=1:python3 tools/workbook exercise 03 hint' \
  'lesson01 run:sh tools/actions/run\.sh build/lessons/lesson01' ':python3 tools/workbook next_steps lesson03'; do
  capture make -n ${words%%:*}
  expect "make ${words%%:*} in a lesson's folder" 0 "${words#*:}"
done
cd "$copy"
nothing_built "make in a lesson's folder builds nothing by itself"

capture make lesson01 run BACKEND=gpu
expect "BACKEND=gpu without a GPU" error 'BACKEND=gpu, but no GPU can be used: .+'
if [ -e build/lessons ]; then no "BACKEND=gpu without a GPU builds nothing" "it did"; else pass "BACKEND=gpu without a GPU builds nothing"; fi
capture make lesson01 ARCH=x86
expect "ARCH=x86" error 'ARCH=x86: an architecture is sm_90'
capture make lesson01 ARCH=sm_20
expect "ARCH=sm_20" error 'sm_20: this toolkit knows'
capture make lesson01 NVCC=/nowhere/nvcc
expect "NVCC that is not there" error 'NVCC=/nowhere/nvcc is not an nvcc'
