#!/bin/sh
# build_exercise.sh 03: makes of exercise.cu a program of its own, build/exercises/lesson03/exercise, which calls each of its functions once, as
# the grader does. So all that can be done with a lesson's program can be done with the student's file.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

[ "$(exercise_suffix "$1")" = cu ] || exec sh tools/exercise/build_python_exercise.sh "$1"
program=build/exercises/lesson$1/exercise
made=$(sh tools/exercise/build_calls.sh "$1")
require_exercise_file "$1"
require_writable "${program%/*}"
{ read -r object && read -r jobs && read -r grader; } <<END
$made
END
ARCH_OF=$grader sh tools/compile/build.sh "$(exercise_file "$1")" "$program" "$object" -Xlinker --export-dynamic -diag-suppress 177,550
cp "$jobs" "$program.jobs"
