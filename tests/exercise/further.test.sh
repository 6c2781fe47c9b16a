#!/bin/sh
# A further exercise of a lesson, 03b: a folder without a program. All that works for exercise 03 works for it, and the two are kept apart.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
copy_graders
cp -Rp "$project/notebooks" .
restore_exercise 03
restore_exercise 03b
folder=lessons/lesson03b_operators
master=solutions/lesson03b_operators/solution.cu
cp "$folder/exercise.cu" "$scratch/given.cu"

capture make help
expect "the help names it" 0 'exercises 03b 20b 20c 23b '
capture make lesson03b
expect "it is no lesson, and make says what it is" error "'lesson03b' is no word.*Did you mean exercise03b\?"
capture make operators
expect "it is found by its name" error 'Did you mean exercise03b\?'
capture make hint3b
expect "a hint that lacks its zero" error 'Did you mean hint03b\?'
capture make exercise03c
expect "one that is not there" error 'There are exercises 01 .*03 03b 04'
capture make exercise03b test
expect "a lesson's action on it" error "exercise03b has no action 'test'"
capture make exercise03b run V=2
expect "it is called, one function alone" 0 '^philox_words\('
case $output in *bias_gelu*) no "and no other" "$output" ;; *) pass "and no other" ;; esac

capture make exercise03b
expect "it is graded" error '^VERDICT: stale_output'
expect "and says what to do" error 'make hint03b'
capture make -C "$folder"
expect "so it is in its folder, where there is no program" error 'grading lessons/lesson03b_operators/exercise.cu'
capture make -C "$folder" hint TODO=2
expect "its hints" 0 'four equations'
capture make hint03b TODO=9
expect "its TODOs" error 'exercise 03b has TODO 1 to 7'
capture make exercise03b solution
expect "no solution before it passes" error 'make exercise03b solution FORCE=1'

capture python3 tools/workbook progress record 03 pass
capture make progress
expect "03 is not 03b: progress" 0 '03 relu +passed on'
expect "and 03b is not 03" 0 '03b operators +stale_output on'
for number in 01 02; do python3 tools/workbook progress record $number pass; done
capture python3 tools/workbook progress next
expect "03b comes behind 03" 0 '^03b$'
cp "$master" "$folder/exercise.cu"
capture make exercise03b
expect "its solution passes" 0 '^VERDICT: pass'
expect "and the next is 04" 0 'Next: make exercise04'
capture cat build/exercises/lesson03b/results.xml
expect "its results bear its number" 0 'testcase classname="exercise03b" name="philox_words'
capture sh -c 'cat progress.txt | grep -v "^#" | cut -d" " -f1 | tr "\n" " "'
expect "progress.txt is in order" 0 '^01 02 03 03b $'
capture make exercise03b reset
expect "reset" 0 'exercise\.backup1\.cu'
if cmp -s "$folder/exercise.cu" "$scratch/given.cu"; then pass "gives it back"; else no "gives it back" "it differs"; fi

# --- a class ---

mkdir -p "$scratch/all/ada/lesson03b_operators" "$scratch/all/ada/lesson03_relu" "$scratch/all/bob" "$scratch/all/carla"
cp "$master" "$scratch/all/ada/lesson03b_operators/exercise.cu"
cp solutions/lesson03_relu/wrong/empty_grid.cu "$scratch/all/ada/lesson03_relu/exercise.cu"
cp solutions/lesson03b_operators/wrong/not_scaled.cu "$scratch/all/bob/exercise03b.cu"
python3 -c 'import json, sys
print(json.dumps({"cells": [{"cell_type": "code", "source": "%%nvcc --grade 03b\n" + open(sys.argv[1]).read()}]}))' "$master" >"$scratch/all/carla/lesson03b_operators.ipynb"
export JOBS=1 TIMEOUT=10
capture make exercise03b grade OUT="$scratch/out" FILE="$scratch/all"
expect "make exercise03b grade" 0 'ada +exercise 03b +10 of 10 points  pass'
expect "also of a file by that name" 0 'bob +exercise 03b +[1-9] of 10 points  wrong_result'
expect "also of a notebook" 0 'carla +exercise 03b +10 of 10 points  pass'
capture make exercise03 grade OUT="$scratch/out" FILE="$scratch/all"
expect "of exercise 03 there is another file" 0 'ada +exercise 03 .*launch_error'
expect "and 03b counts for nobody there" 0 'carla +exercise 03 +0 of 10 points  not_submitted'
capture cat "$scratch/out/gradebook.csv"
expect "the gradebook has a column for each" 0 '^student,name,id,email,exercise 03,exercise 03b,total'
capture cat "$scratch/out/ada/feedback.txt"
expect "and the feedback a part" 0 '^--- exercise 03b ---'
