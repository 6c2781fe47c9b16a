#!/bin/sh
# build_exercise.sh 03: makes of exercise.cu a program of its own, build/exercises/lesson03/exercise, which calls each of its functions once, as
# the grader does (tools/grading/call_exercise.cpp). So all that can be done with a lesson's program can be done with the student's file.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

number=$1
require_exercise_in_cuda "$number"
program=build/exercises/lesson$number/exercise
require_writable "${program%/*}"
sh tools/grading/build.sh calls "$number"
ARCH_OF=$(exercise_folder "$number")/grader.cpp sh tools/compile/build.sh "$(exercise_file "$number")" "$program" \
  build/graders/bin/call_exercise.o -Xlinker --export-dynamic -diag-suppress 177,550
cp "build/graders/bin/$number.jobs" "$program.jobs"
