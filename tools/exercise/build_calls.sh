#!/bin/sh
# build_calls.sh 03: builds what exercise 03 is linked with to be called outside of a grading, and prints three files: the object with main()
# (tools/grading/call_exercise.cpp), the calls that it makes, and the grader, which may name an architecture.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

require_exercise_in_cuda "$1"
python3 tools/workbook build_judge calls "$1"
echo build/graders/bin/call_exercise.o
echo "build/graders/bin/$1.jobs"
echo "$(exercise_folder "$1")/grader.cpp"
