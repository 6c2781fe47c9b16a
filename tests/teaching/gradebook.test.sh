#!/bin/sh
# make grade for a whole class: several at once, a roster, a row for each student, STRICT, what is said of odd submissions. The verdicts
# come from a stand-in for tools/grading/run that reads them from the file (`// VERDICT PASSED OF`); grade.test.sh has the real one.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
rm -rf lessons/lesson0[4-9]_* lessons/lesson[1-9]* lessons/lesson03*
unset GITHUB_ACTIONS ROSTER JOBS STRICT OUT STUDENT

cat >tools/grading/run <<'END'
#!/bin/sh
cd "$(dirname "$0")/../.."
read -r _ verdict passed all <"$2"
case $2 in solutions/*) verdict=pass passed=4 all=4 ;; esac
echo "graded ${SHOWN:-$2}"
echo "$2" >>"$LOG"
[ "$verdict" != timeout ] || [ -e "$2.again" ] || { : >"$2.again"; passed=0; }
[ "$verdict" = timeout ] && [ -s "$2.again" ] && verdict=pass passed=4
[ ! -e "$2.again" ] || echo second >"$2.again"
[ "$verdict" = none ] || python3 - "$verdict" "$passed" "$all" >"$RESULTS/results.json" <<'PYTHON'
import json, sys
verdict, passed, all = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(json.dumps({"verdict": verdict, "tests": [{"status": "pass" if n < passed else "fail"} for n in range(all)]}))
PYTHON
END
export LOG="$scratch/log"
git init -q . 2>/dev/null
printf 'build/\n' >.gitignore
git add -A . && git -c user.name=t -c user.email=t@localhost commit -q -m start

hand_in() { # STUDENT FILE VERDICT PASSED OF
  mkdir -p "$scratch/all/$1/$(dirname "$2")"
  echo "// $3 $4 $5" >"$scratch/all/$1/$2"
}
all=$scratch/all out=$scratch/out
hand_in ada exercise01.cu pass 4 4
hand_in ada exercise02.cu pass 4 4
hand_in "Öznur Ö" exercise01.cu wrong_result 2 4
hand_in "Öznur Ö" exercise02.cu pass 4 4
hand_in bob exercise01.cu pass 0 4
hand_in carla exercise01.cu timeout 0 4
hand_in task-dan lesson01_threads/exercise.cu pass 4 4
hand_in task-dan exercise01.cu wrong_result 1 4
ln -s "$all/ada/exercise02.cu" "$all/task-dan/exercise02.cu"
hand_in 'Eve Example_4711_assignsubmission_file_' exercise01.cu pass 4 4
cat >"$scratch/roster.csv" <<'END'
Name,ID number,Email address,github_username
"Lovelace, Ada",17,ada@example.org,ada
Öznur Ö,18,oeznur@example.org,
Dan,19,dan@example.org,dan
Eve Example,20,eve@example.org,
Frank,21,frank@example.org,frankie
END

mkfifo "$all/bob/exercise02.cu" "$all/bob/lesson02_pipe.ipynb" # nobody writes into it, so nobody may wait for it

# A name that is none for a folder or a cell; a command, had anything read it as one.
hand_in '=1+1' exercise01.cu pass 4 4
hand_in '$(touch pwned)' exercise01.cu pass 4 4

capture make grade FILE="$all" OUT="$out" ROSTER="$scratch/roster.csv" JOBS=4
expect "a folder with an odd name is reported" 0 "'=1.1' is not a valid student name.*not graded"
expect "and no command" 0 "'.[(]touch pwned[)]' is not a valid student name"
expect "a class is graded, several at once" 0 'ada +exercise 01  10 of 10 points  pass'
graded=$output
row() { # NAME PATTERN [FILE]: a line of the gradebook
  capture cat "$out/${3:-gradebook.csv}"
  expect "$1" 0 "$2"
}
row "a row for each student, with name, number and address" '^ada,"Lovelace, Ada",17,ada@example\.org,10,10,20,20,$'
row "part of the points" '^Öznur Ö,Öznur Ö,18,oeznur@example\.org,5,10,15,20,$'
row "a pass without all checks is none" '^bob,,,,0,0,0,20,not in the roster; 02 not_submitted; 01 .*0 of 4 checks'
row "points.csv has the verdict that counts" '^bob,01,incomplete,0,10,0,4,' points.csv
row "who took too long beside others is graded again, alone" '^carla,01,pass,10,10,4,4,' points.csv
row "who handed in nothing has 0 points" '^frankie,Frank,21,frank@example\.org,0,0,0,20,not_submitted$'
row "a repository's name ends with the account" '^task-dan,Dan,19,dan@example\.org,'
row "a folder as Moodle names it" '^Eve Example_4711_assignsubmission_file_,Eve Example,20,eve@example\.org,10,0,10,20,'
row "two files of one exercise are said" '^task-dan,.*01 several files: exercise01\.cu was graded, not lesson01_threads/exercise\.cu'
row "a symbolic link is said, and not followed" '^task-dan,.*,20,"?02 not_submitted.*02 exercise02\.cu is a symbolic link'
row "Moodle's shape" '^frankie,21,frank@example\.org,0,0,0$' moodle.csv
row "Canvas's shape" '^ +Points Possible,,,,,10,10$' canvas.csv
capture sed -n 1p "$out/canvas.csv"
expect "Canvas's columns" 0 '^Student,ID,SIS User ID,SIS Login ID,Section,Exercise 01,Exercise 02$'
output=$graded
expect "names are aligned by characters" 0 '^Öznur Ö              exercise 01   5 of 10'
capture cat "$out/Öznur Ö/feedback.txt"
expect "a file for the student" 0 '^exercise 01: 5 of 10 points, wrong_result \(2 of 4 checks passed\)'
expect "with what was said, without the teacher's folders" 0 '^graded exercise01\.cu$'
capture grep -rlF "$scratch" "$out"
expect "no file names the teacher's folders" 1 ''

capture cat "$out/frankie/feedback.txt"
expect "a student without a folder gets feedback, too" 0 'nothing was handed in: 0 points'
capture make exercise01 grade FILE="$all" OUT="$out" ROSTER="$scratch/roster.csv"
row "and keeps 0 points in what is not graded this time" '^frankie,Frank,21,frank@example\.org,0,0,0,20,not_submitted$'

capture make grade FILE="$all" OUT="$out" STRICT=1
expect "STRICT=1 fails when somebody has less than all points" error 'STRICT=1: 5 of the students'
capture make grade FILE="$all/ada" STUDENT=ada OUT="$scratch/one" STRICT=1 JOBS=1
expect "and does not when nobody has" 0 'ada +exercise 02  10 of 10'
capture env GITHUB_ACTIONS=true make grade FILE="$all/Öznur Ö" STUDENT=oeznur OUT="$scratch/one"
expect "GitHub Classroom's line of points" 0 '^::notice title=Autograding complete::Points 15/20$'
expect "and its report" 0 '^::notice title=Autograding report::\{"totalPoints":15,"maxPoints":20\}$'
mkdir -p "$scratch/broken"
cp -R "$all/ada" "$all/bob" "$scratch/broken/"
echo '// none 0 4' >"$scratch/broken/bob/exercise01.cu"
capture make grade FILE="$scratch/broken" OUT="$scratch/broken.out"
expect "a grader that breaks is told" error 'bob, exercise 01: the grader ended without a verdict'
capture cat "$scratch/broken.out/gradebook.csv"
expect "and the others are graded all the same" 0 '^ada,,,,10,10,20,20,$'
capture make grade FILE="$all" JOBS=many
expect "JOBS=many" error 'JOBS=many: it is a number'
capture make grade FILE="$all" ROSTER="$scratch/nowhere.csv"
expect "a roster that is not there" error 'there is no ROSTER='
printf '\357\273\277Vorname;Firstname;Surname;E-Mail\r\n;Ada;Lovelace;ada@example.org\r\n;"Grace\r\nM.";Hopper;grace@example.org\r\n' >"$scratch/excel.csv"
capture make exercise01 grade FILE="$all" OUT="$scratch/excel" ROSTER="$scratch/excel.csv"
capture cat "$scratch/excel/gradebook.csv"
expect "a roster from a spreadsheet: semicolons, a mark at the start, line ends of two characters" 0 '^ada,Ada Lovelace,,ada@example\.org,10,10,10,$'
expect "a cell of it may have two lines" 0 '^M\. Hopper",,grace@example\.org,0,'
