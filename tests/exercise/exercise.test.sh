#!/bin/sh
# A student's way through exercise 03, and a grader that cannot be fooled.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project
copy_graders
restore_exercise 03
file=$(ls lessons/lesson03_*/exercise.cu)
master=$(ls solutions/lesson03_*/solution.cu)
cp "$file" "$scratch/given.cu"

capture make exercise03
declared=$(sed -n '1,40s|.*fails as given: *\([a-z_]*\).*|\1|p' "$file")
expect "exercise03 as given fails for its declared reason" error "^VERDICT: $declared\$"
expect "and says what to do" error 'make hint03'
capture make exercise03 hint
first=$output
expect "the first hint" 0 '^## '
capture make exercise03 hint
expect "the next hint" 0 '^## '
if [ "$first" = "$output" ]; then no "hints go on" "the same hint twice"; else pass "hints go on"; fi
capture make exercise03 hint N=1
expect "hint N=1" 0 '^## '
capture make exercise03 hint N=9
expect "hint N=9" error 'numbered from 1 to 3'
capture make hint03 TODO=3 N=3
expect "hint03 TODO=3 is about that TODO" 0 'y\[i\] = form == GELU_ERF'
case $output in *'TODO 1'* | *'TODO 4'* | *blocks*) no "and about no other" "$output" ;; *) pass "and about no other" ;; esac
capture make hint03 TODO=2
expect "TODO=2 is in the paragraph about 1 and 2, and has tiers of its own" 0 'TODO 1 and 2.*formulas'
capture make hint03 TODO=9
expect "hint03 TODO=9" error 'exercise 03 has TODO 1 to 7'
capture make exercise03 solution
expect "the solution is refused before" error 'once yours passes'
capture make exercise03 solution FORCE=1
expect "the solution with FORCE=1" 0 '__global__'
case $output in *'//|'* | *'//<'*) no "the solution is shown without markers" "it has them" ;; *) pass "the solution is shown without markers" ;; esac

cp "$master" "$file"
capture make exercise03
expect "exercise03 passes with the solution" 0 '^VERDICT: pass'
capture make exercise03 solution
expect "the solution is shown after" 0 '__global__'
capture make exercise03 reset
expect "reset" 0 'kept in .*exercise\.backup1\.cu'
if cmp -s "$file" "$scratch/given.cu" && cmp -s "$master" lessons/lesson03_*/exercise.backup1.cu; then
  pass "reset restores the exercise and keeps the work"
else
  no "reset restores the exercise and keeps the work" "the files differ"
fi
capture make exercise03 reset
expect "reset of an untouched exercise" 0 'nothing to reset'


# Who has lost the file needs reset most.
mv "$file" "$scratch/lost.cu"
capture make exercise03
expect "without exercise.cu it says what to do" error 'make exercise03 reset restores the original'
capture make hint03
expect "hints are there without exercise.cu" 0 '^## '
capture make exercise03 reset
expect "reset brings a lost exercise.cu back" 0 'is reset to its original version'
if cmp -s "$file" "$scratch/given.cu"; then pass "as it was given"; else no "as it was given" "it differs"; fi

# The comments of the TODOs may stay where the work is done.
sed 's|^void gelu.*{|&\n    return;|' "$master" | sed 's|//> TODO|// TODO|' >"$file"
capture make exercise03
expect "a TODO's comment that stays does not count as not done" error 'Stuck\?'
case $output in *'Open lessons'*) no "and nobody is told to do it" "$output" ;; *) pass "and nobody is told to do it" ;; esac
cp "$scratch/given.cu" "$file"

# --- the student's own kernels under the tools: each function is called once, as the grader does ---

# As capture, with all lines in one.
called() {
  capture "$@"
  output=$(printf '%s\n' "$output" | tr -s '\n ' ' ')
}

called make exercise03 run
expect "the exercise as given is called" 0 'gelu_erf\(x, y, [0-9]+, stream\).*No kernel was launched: are the TODOs done\?.*make exercise03 grades it'
case $output in *'warning #'*) no "without warnings of what is not used yet" "$output" ;; *) pass "without warnings of what is not used yet" ;; esac
wrong=$(dirname "$master")/wrong
cp "$wrong/chunk_per_thread.cu" "$file"
called make exercise03
expect "what costs too much is looked at with" error 'next: look at the line that causes it .make exercise03 profile., then: make exercise03'
line=$(grep -n 'y\[i\] =' "$file" | cut -d: -f1 | head -n 1)
called make exercise03 profile KERNEL=gelu
expect "make exercise03 profile names the student's line" 0 "line $line: "
called make exercise03 profile V=2
expect "V=2 calls the second function alone" 0 'time\) gelu_tanh\('
case $output in *'gelu_erf('*) no "and no other" "$output" ;; *) pass "and no other" ;; esac
called make exercise03 run V=nothing
expect "V=nothing" error 'no such function. The functions are: 1 gelu_erf, 2 gelu_tanh'
called make exercise03 view LINE="$line"
expect "make exercise03 view" 0 "line $line, global load.*one page: build/exercises/lesson03/exercise.view/index.html"
picture=$(sed -n 's/.*<img src="\([^"]*\)".*/\1/p' build/exercises/lesson03/exercise.view/index.html | head -n 1)
if [ -s "build/exercises/lesson03/exercise.view/$picture" ]; then pass "and the page has it"; else no "and the page has it" "no picture '$picture'"; fi
called make exercise03 ptx KERNEL=gelu
expect "make exercise03 ptx KERNEL=gelu" 0 "visible .entry .*gelu.*// line $line: "
called make exercise03 ptx KERNEL=nothing
expect "a kernel that is not there" error 'KERNEL=nothing: no such kernel. The kernels are:.*gelu'
cp "$master" "$file"
called make exercise03 profile BASE=last
expect "a change is compared" 0 'Global Load Sectors .* better'
called make exercise03 sanitize
expect "make exercise03 sanitize finds nothing in the solution" 0 'gelu_erf\(.*gelu_tanh\(.*ERROR SUMMARY: 0 errors *$'
cp "$wrong/no_guard.cu" "$file"
called make exercise03 sanitize
expect "and a mistake, with its line" error 'Invalid __global__ .*exercise.cu:[0-9]+'
rm "$file"
called make exercise03 profile
expect "without exercise.cu it says what to do" error 'make exercise03 reset restores the original'
cp "$scratch/given.cu" "$file"
called make exercise23b profile
expect "an exercise without kernels" error 'exercise 23b has no kernel of yours.*make exercise23b grades it'
called make exercise31 profile
expect "an exercise in Python that launches none" error 'exercise 31 launches no kernel.*make exercise31 grades it'
capture sh -c 'make progress | head -n 1'
case $output in *pipe* | *Error*) no "make progress | head is quiet" "$output" ;; *) expect "make progress | head is quiet" 0 '^ *01 threads' ;; esac

# The exercise as given, with code in it that runs before the grader does.
check_trick() { # NAME CODE VERDICT [PATTERN]
  { cat "$scratch/given.cu" && printf '%s\n' "$2"; } >"$scratch/trick.cu"
  capture env TIMEOUT=2 tools/grading/run 03 "$scratch/trick.cu"
  expect "$1" error "^VERDICT: $3\$"
  [ -z "${4:-}" ] || expect "$1, explained" error "$4"
}
start='#include <cstdio>
#include <cstdlib>
static int before_main() {'
finish='return 0; }
static int started = before_main();'
check_trick "a printed verdict is not believed" "$start printf(\"VERDICT: pass\\n\"); exit(0); $finish" crash
check_trick "a student's exit is no pass" "$start exit(0); $finish" crash 'does your code call exit'
check_trick "a crash on the host" "$start abort(); $finish" crash
check_trick "an endless loop on the host" "$start for (volatile int i = 0;; i = i + 1) {} $finish" timeout
check_trick "endless output" "$start for (;;) puts(\"0123456789012345678901234567890123456789\"); $finish" crash 'cut after'
check_trick "a compile error shows the student's line" "int wrong = undeclared_name;" compile_error 'trick\.cu\([0-9]+\): error'
check_trick "what a newer GPU has" '__global__ void newer_kernel(unsigned *x) { x[0] = __reduce_max_sync(0xffffffffu, x[0]); }' compile_error \
  'here of compute capability 7\.5\. For a newer one'
check_trick "an instruction of a newer GPU" '__global__ void newer_kernel(void) { asm volatile("fence.proxy.async;" ::: "memory"); }' compile_error \
  '^// nvcc: -gencode arch=compute_90,code=compute_90$'
