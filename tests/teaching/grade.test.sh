#!/bin/sh
# What a teacher does: grades many submissions with graders that were tampered with, reads points and results. And what a
# student keeps: progress, which is checked again. Results are valid JSON and XML with the right words.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
copy_graders
restore_exercise 01
file=$(ls lessons/lesson01_*/exercise.cu)
master=$(ls solutions/lesson01_*/solution.cu)
export TIMEOUT=10

# --- results of one grading ---

# results FOLDER EXPRESSION: python sees the JSON as r and the XML's suite as x. The XML has what Ant's schema (the strictest) wants:
# these attributes, and the children in this order, with nothing in a testcase but why it failed.
results() {
  python3 -c "
import json, re, sys, xml.etree.ElementTree as tree
r = json.load(open(sys.argv[1] + '/results.json'))
x = tree.parse(sys.argv[1] + '/results.xml').getroot()[0]
cases = x.findall('testcase')
assert r['version'] == 3 and len(cases) >= 1 and int(x.get('tests')) == len(cases)
for number, t in enumerate(r['tests']):
    assert t['status'] in ('pass', 'fail', 'error') and t['name'] and 'test_code' not in t and t['task_id'] == number + 1
    assert (t['message'] is None) == (t['status'] == 'pass') and len(t['output'] or '') <= 500
kinds = [child.tag for child in x]
assert kinds == ['properties'] + ['testcase'] * len(cases) + ['system-out', 'system-err'], kinds
for name in ('name', 'package', 'id', 'hostname', 'timestamp', 'time', 'tests', 'failures', 'errors'):
    assert x.get(name), name
assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d', x.get('timestamp'))
for case in cases:
    assert case.get('name') and case.get('classname') and re.fullmatch(r'\d+\.\d{3}', case.get('time'))
    assert [child.tag for child in case] in ([], ['failure'], ['error'], ['skipped'])
    assert all(child.get('type') for child in case if child.tag != 'skipped')
assert $2, r" "$1"
}

# check_results NAME FOLDER EXPRESSION
check_results() {
  capture results "$2" "$3"
  expect "$1" 0 ''
}

cp solutions/lesson01_threads/wrong/no_guard.cu "$file"
capture make exercise01
expect "the launch is told beside the emulator's report" error 'your launch: [0-9]+ blocks? of [0-9]+ threads'
expect "a failing exercise says what to type next" error 'make hint01'
check_results "results of a failing exercise" build/exercises/lesson01 "r['status'] == 'fail' and 'exercise.cu:' in \
r['tests'][1]['message'] and r['verdict'] == r['tests'][1]['verdict'] == 'out_of_bounds' and x.get('failures') == '1'"
check_results "its findings name line, block, thread and what to do" build/exercises/lesson01 "[(f['kind'], f['file'], f['line'] in range(10, 40), \
f['block'], f['thread']) for f in r['tests'][1]['findings'][1:2]] == [('out_of_bounds', '$file', True, [7, 0, 0], [104, 0, 0])] and 'index' in \
r['tests'][1]['findings'][0]['next']['step'] and r['tests'][0]['findings'] == []"
capture make progress
expect "progress names the verdict" 0 '01 threads +out_of_bounds on '
capture make exercise01 solution
expect "no solution before it passes" error 'once yours passes'

# Two gradings of one file at the same time, as with make watch in another window.
cp "$master" "$file"
tools/grading/run 01 "$file" >"$scratch/beside" 2>&1 &
capture tools/grading/run 01 "$file"
expect "two gradings of one file at once" 0 '^VERDICT: pass'
wait
capture cat "$scratch/beside"
expect "and the other one" 0 '^VERDICT: pass'

# Output without a newline, with characters that need an escape, and with lines that look like the grader's.
sed 's|^void saxpy.*{|&\n    printf("  ok      forged\\nVERDICT: pass\\n\\"<\&>\\x01\\xff \\\\ no newline");|' "$master" |
  sed 's|^#include "common/check.h"|&\n#include <cstdio>|' >"$file"
capture make exercise01
expect "output without a newline does no harm" 0 '^VERDICT: pass'
check_results "forged lines are output and no checks" build/exercises/lesson01 "r['status'] == 'pass' and all(t['name'] != \
'forged' for t in r['tests']) and 'forged' in r['tests'][0]['output'] and x.get('failures') == '0' and 'forged' in \
x.find('system-out').text and 0 < sum(float(c.get('time')) for c in cases) <= float(x.get('time')) + 0.01"
capture make progress
expect "progress counts it" 0 '^1 of [0-9]+ exercises have passed'
echo 'int wrong = undeclared_name;' >>"$file"
capture make progress
expect "progress sees a changed file" 0 '01 threads +passed on .*changed since'
capture make progress CHECK=1
expect "make progress CHECK=1 believes nothing" error '1 of the exercises that progress.txt called passed did not pass'
expect "and tells the verdict" error '01 threads +compile_error on'
capture env RESULTS="$scratch/results" tools/grading/run 01 "$file"
check_results "results of a compile error" "$scratch/results" "r['status'] == 'error' and 'undeclared_name' in r['message'] \
and x.get('errors') == '1'"

# What a notebook's cell has passed is noted as well, and the cell is kept to be graded again.
python3 tools/workbook progress forget 01
cp "$master" "$scratch/cell.cu"
python3 tools/workbook progress record 01 pass "$scratch/cell.cu"
capture make progress
expect "progress knows a pass in a notebook" 0 '01 threads +passed on [0-9-]+ in a notebook$'
capture make progress CHECK=1
expect "CHECK=1 grades the cell again" 0 '01 threads: pass'
rm -r work/.graded
capture make progress CHECK=1
expect "and does not believe in one that is gone" error '01 threads: file_missing'

# A header of the student's own is part of the submission; one of somebody else's is not.
mkdir -p "$scratch/ada" "$scratch/bob"
printf 'enum { OWN_BLOCK = 128 };\n' >"$scratch/ada/own.h"
sed 's|^enum { BLOCK = 128 }|#include "own.h"\nenum { BLOCK = OWN_BLOCK }|' "$master" >"$scratch/ada/exercise01.cu"
capture tools/grading/run 01 "$scratch/ada/exercise01.cu"
expect "a submission may have a header of its own" 0 '^VERDICT: pass'
printf '#include "../ada/exercise01.cu"\n' >"$scratch/bob/exercise01.cu"
capture tools/grading/run 01 "$scratch/bob/exercise01.cu"
expect "and may not include another one" error 'bob/exercise01.cu:1:10: fatal error: ../ada/exercise01.cu: No such file'
expect "that does not compile" error '^VERDICT: compile_error'

# --- points for many ---

git init -q . 2>/dev/null
printf 'build/\nprogress.txt\n' >.gitignore
restore_exercise 01
git add -A . && git -c user.name=t -c user.email=t@localhost commit -q -m start
mkdir -p "$scratch/all/ada/lesson01_threads" "$scratch/all/bob b" "$scratch/all/carla"
cp "$master" "$scratch/all/ada/lesson01_threads/exercise.cu"
cp solutions/lesson01_threads/wrong/reverse_copies.cu "$scratch/all/bob b/exercise01.cu"

capture make exercise01 grade OUT="$scratch/out" FILE="$scratch/all"
expect "make exercise01 grade over submissions" 0 'ada +exercise 01  10 of 10 points  pass'
capture cat "$scratch/out/points.csv"
expect "points: all for the solution" 0 '^ada,01,pass,10,10,([0-9]+),\1,'
expect "points: some for half of it" 0 '^bob b,01,wrong_result,[1-9],10,5,10,'
expect "points: none for nothing" 0 '^carla,01,not_submitted,0,10,0,'
check_results "checks that were not reached are told" "$scratch/out/bob b/exercise01" "r['status'] == 'fail' and \
[t['status'] for t in r['tests']] == ['pass'] * 5 + ['fail'] + ['error'] * 4"
capture grep -rlF "$scratch/all" "$scratch/out"
expect "nothing that is written names the folder of the submissions" 1 ''

# Everything passes with this grader, and with this header nothing is compared.
printf '#include <cstdio>\nint main() { puts("VERDICT: pass"); }\n' >lessons/lesson01_threads/grader.cpp
capture make exercise01 grade OUT="$scratch/out" FILE="$scratch/all/bob b" STUDENT=bob
expect "edits to the graders are seen" 0 'lessons/lesson01_threads/grader.cpp'
expect "and do not help" 0 'bob +exercise 01 +[1-9] of 10 points  wrong_result'
capture cat "$scratch/out/points.csv"
expect "the points of others are kept" 0 '^ada,01,pass,10'
capture make grade OUT="$scratch/out" STUDENT=../bob
expect "a name that is a path" error "is not a valid student name"
capture make grade OUT="$scratch/out" STUDENT='=cmd()'
expect "a name that is a formula" error "is not a valid student name"
capture make grade OUT="$scratch/out"
expect "grading without a name" error 'whose\?.*STUDENT='
capture make grade OUT="$scratch/out" FILE="$scratch/nowhere" STUDENT=bob
expect "a folder that is not there" error 'there is no FILE='
