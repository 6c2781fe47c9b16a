#!/bin/sh
# The graders judge rightly: the exercise as given fails for its declared reason, the solution passes, and every file
# in solutions/lessonNN_name/wrong/ gets the verdict that its first line declares (`// expect: out_of_bounds`), and
# what is printed has the text of its second line, if that is `// says: text`. Correct solutions that are written
# differently, in solutions/lessonNN_name/other/, pass. On the emulator, whose checks the verdicts come from.
# Each file is graded as a student's; but most are compiled together (emulator/tests/join.sh). What must not compile is not, nor
# what would see the difference: it says `// alone: why`; nor are the exercise, the solution and the first other one.
# Where the exercise is in Python, nothing is compiled, and the first line says `# expect: leak`.
# runs for each exercise
# quick: 02
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration

number=$1
folder=$(ls -d "lessons/lesson${number}"_*)
answers=solutions/$(basename "$folder")
master=$(ls "$answers"/solution.* 2>/dev/null || true)
suffix=${master##*.}
given=build/tests/grading/lesson$number/exercise.$suffix
joined=build/tests/grading/lesson$number/joined
export BACKEND=cpu TIMEOUT=10
if ! [ -f "$master" ]; then
  no "lesson$number exercise" "there is no $answers/solution.*"
  exit 1
fi

[ "$suffix" = cu ] || need_python "lesson$number is graded" "$number"
mkdir -p "$(dirname "$given")"
capture python3 tools/workbook make_exercise "$master"
expect "lesson$number exercise is generated" 0 'TODO 1'
[ "$status" = 0 ] || exit 1
python3 tools/workbook make_exercise "$master" >"$given"

# Somebody who works on the exercise has another file there; then the committed one counts.
if cmp -s "$given" "$folder/exercise.$suffix" || git show "HEAD:$folder/exercise.$suffix" 2>/dev/null | cmp -s "$given" -; then
  pass "lesson$number exercise has not drifted from its master"
else
  no "lesson$number exercise has not drifted from its master" \
    "run: python3 tools/workbook generate $number"
fi

# Compiles all that can be compiled together, the sources in $joined.sources: $joined.o. The lines of $joined.all are its functions and their symbols,
# as in `f(int)|_Z1fi`; those of $joined.plain are the solution's, which the judge asks for.
join_sources() {
  set -- $(grep -LE '^// (expect: compile_error|alone: )' "$answers"/wrong/*.$suffix "$answers"/other/*.$suffix | grep -vxF "$first_other")
  [ "$#" -gt 1 ] || return 0
  HEADERS=$folder sh emulator/tests/join.sh "$joined.$suffix" "$@"
  rm -f "$joined.o" "$joined".*.so
  if [ "$suffix" = cpp ]; then join_modules; else join_functions; fi
  printf '%s\n' "$@" >"$joined.sources"
}

# Of a module for Python, nothing is asked for but the function that begins it. It is linked with the libraries that the grader names, and with
# nanobind's own code where it includes that.
join_modules() {
  python=$(sh tools/python/environment.sh "$number")
  sh tools/python/module.sh "$python" "$joined.cpp" "$joined.o" -I. "-I$folder"
  sed -n 's|^# library: *\(.*\)|\1|p' "$folder/grader.py" | tr ' ' '\n' | sed 's|.*/||; s|\(.*\)\.cu$|-l\1|' >"$joined.linked"
  ! grep -q '^#include <nanobind/' "$joined.cpp" || sh tools/python/module.sh "$python" nanobind | sed 's/.*/"&"/' >>"$joined.linked"
}

join_functions() {
  arch_of=$folder/grader.cpp
  ! grep -q '^// nvcc: ' "$master" || arch_of=$master
  NEWEST=1 ARCH_OF=$arch_of QUIET=1 sh tools/compile/build.sh "$joined.cu" "$joined.o" -c -Xcompiler -fPIC -no-compress
  functions_of "$joined.solution" -D >"$joined.plain"
  functions_of "$joined.o" >"$joined.all"
}
functions_of() { # OBJECT OPTIONS OF nm...
  nm --defined-only "$@" | awk '$2 == "T" { print $3 }' >"$joined.symbols"
  c++filt <"$joined.symbols" | paste -d '|' - "$joined.symbols"
}

# check_verdict NAME FILE VERDICT
check_verdict() {
  capture tools/grading/run "$number" "$2"
  found=$(printf '%s\n' "$output" | sed -n '$s/^VERDICT: //p')
  if [ "$found" = "$3" ]; then
    pass "$1: $3"
  else
    no "$1" "the verdict is '$found', expected $3"
    show_output
  fi
}

# The exercise declares its reason in its header: `fails as given: not_implemented`.
expected=$(sed -n '1,60s|.*fails as given: *\([a-z_]*\).*|\1|p' "$given" | head -n 1)
[ -n "$expected" ] || no "lesson$number exercise declares its verdict" "its header does not say 'fails as given: verdict'"
check_verdict "lesson$number exercise as given" "$given" "$expected"
case $output in
*'warning #'*) no "lesson$number exercise as given compiles without warnings" "it has some" && show_output ;;
*) pass "lesson$number exercise as given compiles without warnings" ;;
esac
printf '%s\n' "$output" >"${given%/*}/given.txt"
python3 tests/grading/first_step.py "$number" "${given%/*}/given.txt"
# For make exercise03 profile: the grader has a call of each function, and the object asks for nothing else. 23b has no functions.
if [ "$suffix" = cu ] && grep -q 'FUNCTION(' "$folder/grader.cpp"; then
  capture python3 tools/workbook build_calls "$number"
  expect "lesson$number exercise can be called outside of a grading" 0 "^build/graders/bin/$number.jobs"
fi
# In Python the solution is called: in each way, without a report; and where its kernels are its own, profile and ptx show them.
call_in_python() {
  called=build/tests/grading/lesson$number/called
  python3 tools/workbook build_exercise "$number" "$master" "$called"
  capture sh tools/actions/sanitize.sh "$called"
  expect "lesson$number solution can be called outside of a grading" 0 '^[a-z_]+\(.*\)$'
  expect "lesson$number solution is called without a report" 0 '^========= ERROR SUMMARY: 0 errors'
  grep -qs '^def ptx_of' "$folder/calls.py" || return 0
  capture sh tools/actions/run.sh "$called" --ptx
  expect "lesson$number solution's kernels are there as PTX" 0 '^\.visible \.entry .*kernel'
  capture sh tools/actions/profile.sh "$called"
  expect "lesson$number solution's kernels are profiled by line" 0 '[0-9]\. line [0-9]+: '
}
if [ "$suffix" != cu ] && ! grep -qs '^FORKS = True' "$folder/calls.py"; then call_in_python; fi
rm -f "$joined".*
[ "$suffix" != cu ] || export KEEP="$joined.solution"
check_verdict "lesson$number solution" "$master" pass
unset KEEP

first_other=$(ls "$answers"/other/*.$suffix 2>/dev/null | head -n 1)
if [ "$suffix" != py ]; then
  capture join_sources # if that fails, each is compiled alone
  expect "lesson$number wrong solutions can be compiled together (// alone: why, where one cannot)" 0 ''
fi

python3 tests/grading/verdicts.py "$number" "$joined"

# A grader that asks ptxas understands that of CUDA 12.4, too: it says nothing of barriers. And it asks in the jail, where this one finds no solution.
if grep -qs judge_ptxas "$folder/grader.cpp"; then
  ptxas=$(sh tools/toolchain/find_tool.sh ptxas "$NVCC" "$TOOLKIT_LIB")
  hidden=$PWD/$master
  [ "$(build/tools/jail --which 2>/dev/null)" != none ] || hidden=/nowhere
  {
    printf '#!/bin/sh\n! head -n 1 "%s" 2>/dev/null || exit 1\n' "$hidden"
    printf '"%s" "$@" 2>&1 | sed "s/, used [0-9]* barriers//"\n' "$ptxas"
  } >"$joined.ptxas"
  chmod +x "$joined.ptxas"
  export EMULATOR_PTXAS="$PWD/$joined.ptxas" OBJECT="$joined.solution"
  check_verdict "lesson$number solution, with what an older ptxas says" "$master" pass
fi
