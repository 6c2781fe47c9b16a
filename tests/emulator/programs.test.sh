#!/bin/sh
# Compiles each of tests/emulator/programs/*.cu as a release and as a debug build and runs it on the emulator. One that
# needs an architecture of its own says so in a line of its own: // arch: sm_90. A program
# checks itself and prints a line per check; NAME.expected, where there is one, is its whole output. The release build runs once
# more on the emulator built with ASan and UBSan.
# starts: 1
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tests/emulator/build_emulator.sh

folder=build/tests/programs
mkdir -p "$folder"

# Compiles one program: programs.test.sh --build SOURCE MODE. Skips what is newer than its sources.
build_program() {
  program=$folder/$(basename "$1" .cu)-$2
  case $2 in O3) mode='-O3 -lineinfo' ;; G) mode='-G -O0' ;; esac
  [ -x "$program" ] && [ -z "$(find "$1" tests/emulator/programs/program.h build/configuration -newer "$program")" ] && return
  own=$(sed -n 's|^// arch: *\([a-z0-9_]*\) *$|\1|p' "$1" | head -n 1)
  [ -n "$GPU_NAME" ] || own=$(echo "$own" | sed 's/sm_/compute_/')
  [ -z "$own" ] || GENCODE=$(sh tools/gencode.sh "$NVCC" "$own")
  unset NVCC_APPEND_FLAGS
  rm -f "$program"
  "$NVCC" $mode -std=c++17 -cudart shared $GENCODE -o "$program" "$1" >"$program.log" 2>&1 || true
}

run_program() { # SOURCE MODE
  name=$(basename "$1" .cu)
  program=$folder/$name-$2
  if [ ! -x "$program" ]; then
    no "$name $2" "does not compile"
    sed 's/^/    | /' "$program.log" | head -n 20
    return
  fi
  status=0
  LD_LIBRARY_PATH=build/emulator timeout 120 "$program" >"$program.out" 2>"$program.err" </dev/null || status=$?
  sed -n "s/^\(ok\|not ok\) /\1 $name $2: /p" "$program.out"
  if [ "$status" != 0 ] && ! grep -q '^not ok ' "$program.out"; then
    no "$name $2" "ended with status $status"
    head -n 20 "$program.err" | sed 's/^/    | /'
  elif grep -q '^not ok ' "$program.out"; then
    head -n 20 "$program.err" | sed 's/^/    | /'
  fi
  expected=tests/emulator/programs/$name.expected
  [ -f "$expected" ] || return 0
  if cmp -s "$expected" "$program.out"; then
    pass "$name $2: output"
  else
    no "$name $2: output" "differs from $expected"
    diff "$expected" "$program.out" | head -n 20 | sed 's/^/    | /'
  fi
}

# The program has no sanitizer in it, so their runtimes are loaded first. What it leaves allocated is its own business.
run_sanitized() { # SOURCE
  name=$(basename "$1" .cu)
  capture env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$sanitizers" LD_LIBRARY_PATH="$sanitized_emulator" \
    timeout 300 "$folder/$name-O3"
  if [ "$status" = 0 ]; then
    pass "$name sanitized"
  else
    no "$name sanitized" "ended with status $status"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20 | sed 's/^/    | /'
  fi
}

if [ "${1:-}" = --build ]; then
  build_program "$2" "$3"
  exit
fi
for source in tests/emulator/programs/*.cu; do
  echo "$source O3"
  echo "$source G"
done >"$folder/jobs"
xargs -P "$(nproc 2>/dev/null || echo 2)" -L 1 sh tests/emulator/programs.test.sh --build <"$folder/jobs"
while read -r source mode; do
  run_program "$source" "$mode"
done <"$folder/jobs"

capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "programs sanitized" "the emulator does not build"
  show_output
  exit 0
fi
sanitizers=$("${CC:-gcc}" -print-file-name=libasan.so):$("${CC:-gcc}" -print-file-name=libubsan.so)
for source in tests/emulator/programs/*.cu; do
  run_sanitized "$source"
done
