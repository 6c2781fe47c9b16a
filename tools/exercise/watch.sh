#!/bin/sh
# watch.sh [03]: grades an exercise each time its file is saved: that one, or the first that has not passed yet.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

if ! [ -t 0 ] || ! [ -t 1 ]; then
  fail "make watch needs a terminal: it reads keys and shows the latest result." \
    "make exercise${1:-03} grades once, anywhere."
fi
number=${1:-$(sh tools/exercise/progress.sh next)}
[ -n "$number" ] || fail "there is no exercise to watch."
sh tools/compile/build_tool.sh watch
# Ctrl-C is a way to end it, not a failure of make's.
trap : INT
build/tools/watch "$number" || [ $? = 130 ]
