#!/bin/sh
# run.sh PROGRAM [ARGUMENTS...]: runs a program on the GPU or on the emulator.
# The exit status is the program's. SIZE, SEED and V reach it through the environment.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration
. tools/actions/backend.sh

choose_backend
[ "${VERBOSE:-}" = 1 ] && say "LD_LIBRARY_PATH=$library_path $*"

# The emulator stops an endless kernel by itself and says which; what is left is a program that hangs elsewhere.
limit=''
if [ -n "${TIMEOUT:-}" ] && [ "$TIMEOUT" != 0 ]; then
  if [ "$backend" = cpu ]; then limit=$((TIMEOUT + 10)); else limit=$TIMEOUT; fi
fi
status=0
if [ -n "$limit" ]; then
  timeout --foreground -k 2 "$limit" "$@" || status=$?
else
  "$@" || status=$?
fi
case $status in
124) [ -z "$limit" ] || say "$1 was stopped after $limit s: TIMEOUT=$TIMEOUT$([ "$limit" = "$TIMEOUT" ] || echo " for each kernel, and 10 s for all the rest")." ;;
134) say "$1 was ended by abort()." ;;
139) say "$1 was ended by a segmentation fault in its host code." ;;
137) say "$1 was killed: out of memory, or past its time." ;;
esac
exit "$status"
