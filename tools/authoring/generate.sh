#!/bin/sh
# generate.sh 11: makes again what is made from other files of lesson 11, when they have changed: its exercise from
# the solution (yours is overwritten), and the notebooks from pages, programs and exercises.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh

[ $# = 1 ] || fail "usage: sh tools/authoring/generate.sh 11"
sh tools/compile/build_tool.sh make_exercise
folder=$(exercise_folder "$1")
build/tools/make_exercise "$(exercise_master "$1")" >"build/exercise.$$"
mv "build/exercise.$$" "$(exercise_file "$1")"
python3 tools/notebooks/make.py notebooks >/dev/null
