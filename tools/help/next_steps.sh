#!/bin/sh
# next_steps.sh lesson03: what to do once a lesson is built.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

lesson=$1
number=${lesson#lesson}
folder=$(ls -d "lessons/$lesson"_*)
say "built ${bold}build/lessons/$lesson${plain}. Next:"
say "  read $folder/README.md"
say "  make $lesson run           run every version and verify it against the CPU"
say "  make $lesson profile       see what it asks of a GPU, line by line"
exercise=$(ls "$folder"/exercise.cu "$folder"/exercise.py "$folder"/exercise.cpp 2>/dev/null || true)
[ -z "$exercise" ] || say "  make exercise$number             grade your work in $exercise"
