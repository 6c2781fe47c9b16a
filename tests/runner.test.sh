#!/bin/sh
# tests/run's own work (tests/runner): no suite hides another, whatever ends it, and each one's time is that of all processes that it started.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
project=$PWD
make_scratch
cd "$scratch"
mkdir -p tests/folder emulator/tests lessons/lesson01_threads lessons/lesson03_relu lessons/lesson03b_operators lessons/lesson11b_lookback build/tests/logs
touch lessons/lesson11b_lookback/lesson11b.cu

suite() { # NAME: its body comes in
  { echo '#!/bin/sh' && cat; } >"$1.test.sh"
  chmod +x "$1.test.sh"
}
fresh() { rm -rf tests/* emulator/tests/* build/tests && mkdir -p tests/folder build/tests/logs; }
# shellcheck disable=SC2086 # several words
run_suites() { capture env SUITE_LIMIT="${limit:-30}" JOBS=2 "$@" python3 "$project/tests/runner" $arguments; }
arguments=''

# --- whatever ends a suite, the others are run and counted ---

suite tests/good <<'END_OF_SUITE'
echo "ok one"
echo "ok two"
echo "skip three: there is none"
END_OF_SUITE
suite tests/wrong <<'END_OF_SUITE'
echo "ok one"
echo "not ok two: it differs"
exit 1
END_OF_SUITE
suite tests/killed <<'END_OF_SUITE'
echo "not ok one: it differs"
kill -9 $$
END_OF_SUITE
suite tests/crashed <<'END_OF_SUITE'
echo "ok one"
kill -SEGV $$
END_OF_SUITE
suite tests/status <<'END_OF_SUITE'
printf "ok one\nand no end of a line"
exit 3
END_OF_SUITE
suite tests/supervisor <<'END_OF_SUITE'
echo "ok one"
kill -9 $PPID
sleep 5
END_OF_SUITE
echo 'exit 0' | suite tests/nothing
suite tests/removes <<'END_OF_SUITE'
sleep 2
echo "ok one"
rm -rf build
END_OF_SUITE
printf '#!/nowhere/sh\n' >tests/unstarted.test.sh
chmod +x tests/unstarted.test.sh
echo 'echo "ok one"' | suite emulator/tests/moved
run_suites
expect "all suites are run, and all that fails is counted" 1 '^7 passed, 9 failed, 1 skipped$'
expect "a suite that is killed is a failure, beside its own" 1 'not ok killed: the suite was killed by SIGKILL'
expect "and one that crashes" 1 'not ok crashed: the suite was killed by SIGSEGV'
expect "and one that ends with an error" 1 'not ok status: the suite ended with status 3'
expect "and one whose supervisor is killed" 1 'not ok supervisor: the suite was killed by SIGKILL'
expect "and one that checks nothing" 1 'not ok nothing: the suite checked nothing'
expect "and one that cannot be started" 1 'not ok unstarted: the suite ended with status 126'
expect "and one that removes its log" 1 'not ok removes: its log cannot be read'
expect "a check that fails is shown with its suite" 1 'not ok two: it differs'
expect "so is what was skipped" 1 'skip three: there is none'
expect "suites of the emulator have its name" 1 '^emulator/moved +1 ok'

# --- which are run ---

run_suites SUITE=good
expect "SUITE= runs what has the word in its path" 0 '^2 passed, 0 failed, 1 skipped$'
run_suites SUITE=good VERBOSE=1
expect "VERBOSE=1 shows what passed" 0 '^    ok two$'
run_suites SUITE=nonsense
expect "a word that no suite has is an error" 1 'nothing under tests/ matches SUITE=nonsense'
run_suites JOBS=many
expect "JOBS= is a number" error 'JOBS=many'

fresh
suite tests/folder/each <<'END_OF_SUITE'
# runs for each exercise
# quick: 03
echo "ok exercise $1"
END_OF_SUITE
suite tests/folder/programs <<'END_OF_SUITE'
# runs for each lesson
echo "ok lesson $1"
END_OF_SUITE
suite tests/short <<'END_OF_SUITE'
# quick
echo "ok SUITE=${SUITE:-} QUICK=${QUICK:-}"
END_OF_SUITE
run_suites
expect "a suite is run for each lesson or exercise, 11b among the lessons" 0 '^8 passed'
arguments='lesson 03b' run_suites
expect "lesson NN runs what is for it" 0 '^1 passed'
arguments='lessn 03' run_suites
expect "another word is an error" error 'usage'
run_suites QUICK=1 VERBOSE=1
expect "QUICK=1 runs the quick ones" 0 '^2 passed'
expect "and says what it leaves out" 0 '^QUICK=1 left out, .*: folder/each \(3 lessons\), folder/programs \(3 lessons\)'
expect "suites are not told of it" 0 'ok SUITE= QUICK=$'
run_suites QUICK=0
expect "QUICK=0 is not quick" 0 '^8 passed'

# --- time ---

fresh
export LONG=654.$$ # seconds, by which it is found again
suite tests/busy <<'END_OF_SUITE'
# Three tenths of a second of processor time in a process that has lost its parents, before its suite ends and after that.
cat >"$0.py" <<'END_OF_PROGRAM'
import os, time
if os.fork() == 0:
    os.setsid()
    while time.process_time() < 1.2:
        pass
END_OF_PROGRAM
python3 "$0.py"
echo "ok it has begun"
END_OF_SUITE
suite tests/leaves <<'END_OF_SUITE'
setsid sh -c "sleep $LONG; :" &
echo "ok it has begun"
END_OF_SUITE
suite tests/hangs <<'END_OF_SUITE'
echo "ok it has begun"
trap '' TERM
setsid sleep "$LONG"
END_OF_SUITE
limit=8 run_suites VERBOSE=1
expect "a suite that hangs is stopped" 1 'not ok hangs: stopped after 8 s'
expect "what a suite leaves behind is ended" 1 'left 2 processes running, which were ended'
if ! pgrep -f "^sleep $LONG$" >/dev/null 2>&1; then pass "and so is all that it started"; else no "and so is all that it started" "it still runs"; fi
output=$(cat build/tests/durations)
expect "processor time is that of orphans, too" 1 '^[0-9]* [1-9] busy$'
expect "who waits takes none" 1 '^[0-9]* 0 hangs$'

if bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true 2>/dev/null; then
  fresh
  suite tests/jailed <<'END_OF_SUITE'
bwrap --unshare-all --die-with-parent --ro-bind / / python3 -c 'import time
while time.process_time() < 1.2: pass'
echo "ok it has run"
END_OF_SUITE
  suite tests/ended <<'END_OF_SUITE'
bwrap --unshare-all --die-with-parent --ro-bind / / --proc /proc sh -c 'python3 -c "while True: pass"; :' &
sleep 3
kill -9 $!
echo "ok it was killed"
END_OF_SUITE
  run_suites
  output=$(cat build/tests/durations)
  expect "and that of a jail" 0 '^[0-9]* [1-9] jailed$'
  expect "and that of a jail that is killed" 0 '^[0-9]* [1-9] ended$'
else
  skip "and that of a jail, also when it is killed" "bubblewrap does not work here"
fi

# --- what takes long begins first, by the processors' time or the clock's ---

fresh
for name in a b c; do echo "echo 'ok $name'" | suite tests/$name; done
printf '%s\n' '9 1 a' '5 20 b' '11 3 c' >tests/durations.txt
run_suites JOBS=1
output=$(printf '%s\n' "$output" | sed -n 's/^\([abc]\) .* ok .*/\1/p' | tr '\n' ' ')
expect "what takes long begins first" 0 '^b c a $'
rm -rf build/tests/durations
echo 'garbage' >build/tests/durations
run_suites JOBS=1
expect "a record that cannot be read is none" 0 '^3 passed'
