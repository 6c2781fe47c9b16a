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
status=0
build/tools/watch "$number" || status=$?
# make has the signal too. Were this over before make has begun to handle it, make would look for its child twice: "wait: No child processes".
[ "$status" != 130 ] || sleep 0.1
[ "$status" = 0 ] || [ "$status" = 130 ]
