#!/bin/sh
# make watch on a pseudo-terminal: it grades when the file is saved, in each way that editors save, and obeys its keys.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
copy_graders
rm -rf lessons/lesson0[4-9]_* lessons/lesson[1-9]* # 03 and 03b are to be the last
restore_exercise 01
restore_exercise 03
restore_exercise 03b
export NO_COLOR=1 TERM=dumb TIMEOUT=10
file=$(ls lessons/lesson03_*/exercise.cu)
master=$(ls solutions/lesson03_*/solution.cu)
cp "$file" "$scratch/given.cu"

capture make watch
expect "without a terminal it says so" error 'make watch needs a terminal'
if ! python3 -c 'import pty, os; os.waitstatus_to_exitcode' 2>/dev/null; then
  skip "make watch on a terminal" "this needs Python 3.9"
  exit
fi

# play NAME COMMAND...: the session is on stdin.
play() {
  name=$1
  shift
  status=0
  output=$(python3 "$project/tests/exercise/terminal.py" "$scratch/log" "$@" 2>&1) || status=$?
  if [ "$status" = 0 ]; then
    pass "$name"
  else
    no "$name" "$(printf '%s' "$output" | tr '\n' ' ')"
    output=$(cat "$scratch/log")
    show_output
  fi
}

play "a session of make watch: keys, saving, passing" make exercise03 watch <<END
wait VERDICT: not_implemented
wait n next  h hint  l list  x reset  q quit
send h
wait ## 1
wait q quit
send l
wait 03 relu
wait not_implemented
wait q quit
send \\eOH
run cp '$master' '$file'
wait grading
wait VERDICT: pass
wait It passes.
wait q quit
quiet 1.5 grading
send x
wait (y or n)
send n
wait q quit
send x
wait (y or n)
send y
wait exercise.backup1.cu
wait q quit
quiet 1.5 grading
send n
wait exercise03b
wait VERDICT: stale_output
wait q quit
send n
wait is the last one
run touch lessons/lesson01_*/exercise.cu
wait exercise01
wait grading ...
send 0
send 3
wait exercise03
wait grading ...
send b
wait exercise03b
wait grading ...
send q
END
if cmp -s "$file" "$scratch/given.cu" && cmp -s "$master" lessons/lesson03_*/exercise.backup1.cu; then
  pass "x resets, and keeps the work"
else
  no "x resets, and keeps the work" "the files differ"
fi

play "without events of the file system; a new file in the old one's place; saved during a grading" python3 tools/workbook watch --poll 03 <<END
wait lesson03_relu/exercise.cu
run cp '$scratch/given.cu' '$file.new' && mv '$file.new' '$file'
wait lesson03_relu/exercise.cu
run sleep 0.7 && touch '$file'
wait lesson03_relu/exercise.cu
send q
END
sleep 0.5
left=$(for process in /proc/[0-9]*; do
  [ "$(readlink "$process/cwd" 2>/dev/null)" != "$(pwd -P)" ] || cat "$process/comm" 2>/dev/null || true
done | grep -E 'nvcc|cicc|cudafe|cc1plus|grader|timeout' | head -n 3 || true)
if [ -z "$left" ]; then pass "q leaves nothing behind"; else no "q leaves nothing behind" "$left"; fi

play "Ctrl-C ends make watch" sh -c 'trap : INT; make exercise03 watch; test $? = 130' <<END
wait q quit
send $(printf '\003')
END
capture cat "$scratch/log"
case $output in *Error*) no "and make calls it no error" "$output" ;; *) pass "and make calls it no error" ;; esac
play "Ctrl-C ends it" sh -c 'trap : INT; python3 tools/workbook watch 01; test $? = 130' <<END
wait exercise01
run sleep 0.3
send $(printf '\003')
END
