#!/bin/sh
# Brings the emulator in build/emulator/ up to date. Says so when that takes time, and is silent otherwise.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration
. tools/compile/make_emulator.sh

folder=build/emulator
# The tests build it once, first, and then take it as it is.
if [ "${EMULATOR_READY:-}" = 1 ] && [ -e "$folder/libcudart.so.$CUDA_MAJOR" ]; then
  exit
fi
# In a workbook that belongs to somebody else it is taken as it is, too.
if ! can_write "$folder"; then
  [ ! -e "$folder/libcudart.so.$CUDA_MAJOR" ] || exit 0
  require_writable "$folder"
fi
# What the user said to the outer make (-n, -j, V=2 ...) is not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# How far the compiler has come, every 10 seconds, until it is stopped or this script has ended.
show_progress() { # FILES
  seconds=0
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    seconds=$((seconds + 1))
    [ $((seconds % 10)) != 0 ] || say "  $(grep -c -e ' -c -o ' "$folder/build.log") of $1 files"
  done
}

build() {
  if [ "$(cat "$folder/made_for" 2>/dev/null)" != "$CUDA_MAJOR" ]; then
    rm -rf "${folder:?}"/*
    echo "$CUDA_MAJOR" >"$folder/made_for"
  fi
  make_emulator BUILD=../build/emulator --question >/dev/null 2>&1 && return
  files=$(make_emulator BUILD=../build/emulator --dry-run 2>/dev/null | grep -c -e ' -c -o ' || true)
  say "building the emulator: $files file$([ "$files" = 1 ] || echo s) (once; all of them take one to two minutes on two cores)"
  : >"$folder/build.log"
  show_progress "$files" 9>&- &
  reporter=$!
  status=0
  make_emulator BUILD=../build/emulator -j"$(nproc 2>/dev/null || echo 2)" >"$folder/build.log" 2>&1 || status=$?
  kill "$reporter" 2>/dev/null || true
  if [ "$status" != 0 ]; then
    grep -E -A 3 ': (fatal )?error:|\*\*\* ' "$folder/build.log" | head -n 20 >&2
    fail "the emulator does not build; the whole log is in $folder/build.log."
  fi
}

# Two runs at once: the second waits for the first.
if command -v flock >/dev/null; then
  exec 9>"$folder.lock"
  flock 9
fi
build
: >"$folder/current" # what is older than this was looked at (tools/workbook/backend.py)
