#!/bin/sh
# How many processes one grading starts: the compiler's own are about 20, and a runner in its jail is 3. It was 361 once, of which 157 were
# `dirname`; a class of 30 waits for each of them 37 times.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu
most=60

"${CC:-cc}" -O1 -Wall -Wextra -Werror -o "$scratch/count" tests/grading/count_processes.c
# Not a launcher's processes, where python3 is one.
python=$(python3 -c 'import sys; print(sys.executable)')
given=$(ls lessons/lesson03_*/exercise.cu)
solution=$(ls solutions/lesson03_*/solution.cu)
capture "$python" tools/grading/run 03 "$given" # what is built once
if ! "$scratch/count" "$scratch/counted" true; then
  skip "a grading starts $most processes at most" "no process can be traced here"
  exit
fi

check_count() { # NAME FILE STATUS
  cp "$2" "$scratch/exercise.cu"
  capture "$scratch/count" "$scratch/counted" "$python" tools/grading/run 03 "$scratch/exercise.cu"
  expect "$1 is graded" "$3" '^VERDICT: '
  counted=$(head -n 1 "$scratch/counted")
  if [ "$counted" -le "$most" ] && [ "$counted" -gt 20 ]; then
    pass "$1: its grading starts $most processes at most: $counted"
  else
    no "$1: its grading starts $most processes at most" "$counted: $(sed 1d "$scratch/counted" | sort -rn | tr '\n' ',')"
  fi
}
# The exercise fails its first checks, so those that depend on them are not run; a solution runs all of them.
check_count "the exercise as given" "$given" 1
check_count "a solution" "$solution" 0
