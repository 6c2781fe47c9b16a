#!/bin/sh
# Compiles tests/programs/*.cu, some of them as debug builds too, and runs each on the emulator. A program
# checks itself and prints a line per check; what it prints must also be what it printed on an H200
# (tests/programs/h200.txt, made by record.sh). Each runs once more on the emulator built with ASan and UBSan.
# A line `// environment: NAME=VALUE` in a program is for the emulator. With the checks on nothing may be found in them, but
# for what `// findings:` names: `error trap`, `warning race`.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

folder=${PROGRAMS_FOLDER:-$build_root/tests/programs} # another suite has one of its own
recorded=tests/programs/h200.txt
mkdir -p "$folder/release" "$folder/debug"

# What is compiled with -G as well: code that looks very different then.
debug_builds=' arguments big_integers divergence functions groups histogram_transpose inline_ptx linked_lists locks
  printf_formats reduce_scan sorts symbols vectors virtual_objects warps wide_numbers '

arch_of() { sed -n 's|^// arch: *\([a-z0-9_]*\) *$|\1|p' "$1" | head -n 1; } # SOURCE

# Which sources are compiled together, a line for each group: MODE SOURCE... Those of one architecture, but not too many, as
# each program then reads the PTX of all; what has options of its own is alone; and of those with much PTX, which take
# longest, there is one group.
list_groups() {
  for source in tests/programs/*.cu; do
    group=$(arch_of "$source")
    if grep -qE '^// (flags|with): ' "$source"; then
      group=$(basename "$source")
    elif grep -qE '^#include <(cub|thrust)/' "$source"; then
      group=' much'
    fi
    echo "release/$group/$source"
    case $debug_builds in *[[:space:]]"$(basename "$source" .cu)"[[:space:]]*) echo "debug/$group/$source" ;; esac
  done | sort -s -t / -k 1,1r -k 2,2 | awk -F/ '
    { source = $0; sub("^[^/]*/[^/]*/", "", source) }
    $1 "/" $2 == group && count < 12 { printf " %s", source; count++; next }
    { printf "%s%s %s", (NR > 1 ? "\n" : ""), $1, source; group = $1 "/" $2; count = 1 }
    END { print "" }'
}

# Compiles them: programs.test.sh --build MODE SOURCE... Skips what is newer than its sources. -O is about the host's code.
build_programs() {
  made=$folder/$1 first=$(basename "$2" .cu)
  case $1 in release) mode='-O1 -lineinfo' ;; debug) mode='-G -O0' ;; esac
  shift
  changed=$(find "$@" tests/join.sh tests/programs.test.sh tests/programs/program.h \
    tests/programs/build.sh tests/programs/parts "$configuration" -newer "$made/$first" 2>/dev/null || true)
  [ ! -x "$made/$first" ] || [ -n "$changed" ] || return 0
  for source; do rm -f "$made/$(basename "$source" .cu)"; done
  own=$(arch_of "$1")
  [ -z "$own" ] || GENCODE=$(architecture_options "$own")
  compiled=$1
  if [ "$#" -gt 1 ]; then
    compiled=$made/joined_$first.cu
    sh tests/join.sh "$compiled" "$@"
  fi
  export NVCC
  if sh tests/programs/build.sh "$compiled" "$made/$first" -I. $mode $GENCODE >"$made/$first.log" 2>&1; then
    for source; do
      [ "$source" = "$1" ] || ln "$made/$first" "$made/$(basename "$source" .cu)"
    done
  else
    for source; do
      [ "$source" = "$1" ] || cp "$made/$first.log" "$made/$(basename "$source" .cu).log"
    done
  fi
}

environment_of() { # SOURCE
  sed -n 's|^// environment: *||p' "$1" | head -n 1
}

run_program() { # SOURCE MODE
  name=$(basename "$1" .cu)
  program=$folder/$2/$name
  if [ ! -x "$program" ]; then
    no "$name $2" "does not compile"
    sed 's/^/    | /' "$program.log" | head -n 20
    return
  fi
  status=0
  env $(environment_of "$1") LD_LIBRARY_PATH=$build_root/emulator timeout 120 "$program" \
    >"$program.out" 2>"$program.err" </dev/null || status=$?
  sed -n "s/^\(ok\|not ok\) /\1 $name $2: /p" "$program.out"
  if [ "$status" != 0 ] && ! grep -q '^not ok ' "$program.out"; then
    no "$name $2" "ended with status $status"
    head -n 20 "$program.err" | sed 's/^/    | /'
  elif grep -q '^not ok ' "$program.out"; then
    head -n 20 "$program.err" | sed 's/^/    | /'
  fi
  compare_with_recorded "$name" "$2"
}

# A program that skipped itself on the GPU, for want of a second one, or was not run there has nothing to be compared with.
compare_with_recorded() { # NAME MODE
  expected=$folder/$1.expected
  awk -v name="$1" '/^#### / { on = $2 == name; next } on' "$recorded" >"$expected"
  if [ ! -s "$expected" ]; then
    no "$1 $2: as on the H200" "nothing is recorded: see tests/programs/record.sh"
  elif cmp -s "$expected" "$program.out"; then
    pass "$1 $2: as on the H200"
  elif grep -q '^skip ' "$expected"; then
    skip "$1 $2: as on the H200" "$(sed -n 's/^skip //p' "$expected" | head -n 1)"
  else
    no "$1 $2: as on the H200" "prints something else"
    diff "$expected" "$program.out" | head -n 20 | sed 's/^/    | /'
  fi
}

# The program has no sanitizer in it, so their runtimes are loaded first. What it leaves allocated is its own business. Compiled kernels have
# no sanitizer in them.
# programs.test.sh --sanitized SOURCE
run_sanitized() {
  name=$(basename "$1" .cu)
  sanitizers=$("${CC:-gcc}" -print-file-name=libasan.so):$("${CC:-gcc}" -print-file-name=libubsan.so)
  capture env $(environment_of "$1") ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$sanitizers" EMULATOR_TIER=0 \
    LD_LIBRARY_PATH="$sanitized_emulator" timeout 300 "$folder/release/$name"
  if [ "$status" = 0 ]; then
    pass "$name sanitized"
  else
    no "$name sanitized" "ended with status $status"
    printf '%s\n' "$output" | grep -v '^ok ' | head -n 20 | sed 's/^/    | /'
  fi >"$folder/$name.sanitized"
  cat "$folder/$name.sanitized"
}

# Interpreted, as check.test.sh compares it with what is compiled: that takes longer than most of these programs, and is late then.
# programs.test.sh --checked SOURCE
run_checked() {
  name=$(basename "$1" .cu)
  wanted=$(sed -n 's|^// findings: *||p' "$1" | head -n 1)
  rm -f "$folder/$name.json"
  env $(environment_of "$1") EMULATOR_TIER=0 EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck,strict \
    EMULATOR_CHECK_JSON="$folder/$name.json" LD_LIBRARY_PATH=$build_root/emulator timeout 300 "$folder/release/$name" \
    >/dev/null 2>"$folder/$name.found" </dev/null || true
  found=$(sed -n 's/^{"severity": "\([a-z]*\)", "finding": "\([a-z_]*\)".*/\1 \2/p' "$folder/$name.json" 2>/dev/null |
    sort -u | tr '\n' ',' | sed -e 's/,$//' -e 's/,/, /g')
  if ! grep -q 'ERROR SUMMARY' "$folder/$name.found"; then
    no "$name with checks" "it did not end"
  elif [ "$found" = "$wanted" ]; then
    pass "$name with checks: ${found:-nothing found}"
  else
    no "$name with checks" "found '$found', expected '$wanted'"
    head -n 20 "$folder/$name.found" | sed 's/^/    | /'
  fi >"$folder/$name.checked"
  cat "$folder/$name.checked"
}

case ${1:-} in
--checked) run_checked "$2"; exit ;;
--build) shift; build_programs "$@"; exit ;;
--sanitized) run_sanitized "$2"; exit ;;
esac
cores=$(nproc 2>/dev/null || echo 2)
list_groups >"$folder/groups"
xargs -P "$cores" -L 1 sh tests/programs.test.sh --build <"$folder/groups"
while read -r mode sources; do
  for source in $sources; do run_program "$source" "$mode"; done
done <"$folder/groups"
ls tests/programs/*.cu | xargs -P "$cores" -n 1 sh tests/programs.test.sh --checked

# Sums of several blocks into the same memory: more host threads than cores interrupt each other anywhere.
lost=$(for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
  EMULATOR_THREADS=5 LD_LIBRARY_PATH=$build_root/emulator timeout 60 "$folder/release/bulk_copies" 2>&1 | grep '^not ok' || true
done)
if [ -z "$lost" ]; then pass "bulk_copies on five threads, 25 times"; else no "bulk_copies on five threads, 25 times" "$(echo "$lost" | head -n 1)"; fi

capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "programs sanitized" "the emulator does not build"
  show_output
  exit 0
fi
ls tests/programs/*.cu | xargs -P "$cores" -n 1 sh tests/programs.test.sh --sanitized
