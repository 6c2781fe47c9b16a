#!/bin/sh
# The second tier (tier/): compiled kernels give bit for bit what interpreted ones give, and whatever goes wrong with the
# compiler or the cache, results stay right. Each check says what it tests; tests/tier/*.c do the work.
#   TIER_EVERY=1 tests/tier.test.sh    all operations and more random kernels: minutes
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/tier
conformance=tests/conformance
folder=$PWD/$build_root/tests/tier
every=${TIER_EVERY:-16} # of how many operations one is compiled here
kernels=$((every == 1 ? 60 : 4))
mkdir -p "$folder"
make_scratch
gzip -dc "$conformance/vectors.bin.gz" >"$scratch/vectors.bin"
unset EMULATOR_TIER EMULATOR_CACHE EMULATOR_CC EMULATOR_TIER_DEBUG XDG_CACHE_HOME

# ---- operations and random kernels ----

link_here() { # FOLDER OF THE EMULATOR, PROGRAM, MORE SOURCES...
  built=$1 program=$2
  shift 2
  capture link_test "$built" "$built/tier/$program" -I"$conformance" "$here/$program.c" "$@"
  [ "$status" = 0 ] && return 0
  no "tier: $program" "it does not compile"
  show_output
  return 1
}

run_here() { # PROGRAM ARGUMENTS...
  capture "$@"
  printf '%s\n' "$output" | grep -E '^(ok|not ok|#) ' | head -n 60
  [ "$status" = 0 ] || printf '%s\n' "$output" | grep -q '^not ok' || no "${1##*/}" "it ended with status $status"
}

plans="$conformance/plan.c $conformance/kernel.c $conformance/values.c"
check_operations() { # FOLDER OF THE EMULATOR, EVERY
  link_here "$1" check_forms "$here/batch.c" $plans "$conformance/tolerance.c" "$conformance/vectors.c" \
    "$conformance/emulated.c" || return 0
  run_here "$1/tier/check_forms" "$conformance/forms.txt" "$scratch/vectors.bin" "$scratch" "$2"
}

check_random() { # FOLDER OF THE EMULATOR, COUNT
  link_here "$1" check_random "$here/random_kernel.c" "$here/batch.c" $plans || return 0
  run_here "$1/tier/check_random" "$conformance/forms.txt" "$scratch" 20 "$2"
}

# A few of them where the sanitizers watch the interpreter that a compiled kernel calls. What the checks leave allocated is their own
# business.
check_sanitized() {
  capture build_emulator "$sanitized_emulator" SANITIZE=1
  if [ "$status" != 0 ]; then
    no "tier: sanitized" "the emulator does not build"
    show_output
    return 0
  fi
  for check in "check_operations $sanitized_emulator 200" "check_random $sanitized_emulator 2"; do
    ASAN_OPTIONS=detect_leaks=0
    export ASAN_OPTIONS
    $check >"$scratch/sanitized"
    sed 's/^\(ok\|not ok\) [^:]*: /&sanitized: /' "$scratch/sanitized"
  done
}

# ---- whole programs ----

# What they print is what they printed on an H200.
programs='divergence functions locks warps'

check_program() {
  name=$1
  awk -v name="$name" '/^#### / { on = $2 == name; next } on' tests/programs/h200.txt >"$scratch/expected"
  status=0
  EMULATOR_TIER=2 EMULATOR_CACHE="$folder/cache" LD_LIBRARY_PATH=$build_root/emulator timeout 300 \
    "$folder/programs/release/$name" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  if [ "$status" = 0 ] && cmp -s "$scratch/expected" "$scratch/out"; then
    pass "tier: $name prints what it printed on an H200"
  else
    no "tier: $name prints what it printed on an H200" "it does not, or ended with an error (status $status)"
    diff "$scratch/expected" "$scratch/out" | head -n 10 | sed 's/^/    | /'
    head -n 10 "$scratch/err" | sed 's/^/    | /'
  fi
}

# The same profile, number by number, with examples of accesses; threads would share the blocks otherwise each time.
counted='' counted_programs=divergence
[ "$every" != 1 ] || counted_programs=$programs
[ "$every" != 1 ] || counted='tests/counters/idioms tests/counters/patterns'

profile_of() { # TIER PROGRAM
  EMULATOR_THREADS=1 EMULATOR_TIER=$1 EMULATOR_CACHE="$folder/cache" LD_LIBRARY_PATH=$build_root/emulator EMULATOR_PTXAS=/nowhere/ptxas \
    EMULATOR_PROFILE=json EMULATOR_PROFILE_FILE="$scratch/profile.$1" timeout 300 "$2" >"$scratch/out" 2>&1 </dev/null
}

check_profile() { # NAME PROGRAM
  if profile_of 0 "$2" && profile_of 2 "$2" && [ "$(wc -c <"$scratch/profile.2")" -gt 5000 ] &&
    cmp -s "$scratch/profile.0" "$scratch/profile.2"; then
    pass "tier: $1 is counted as by the interpreter"
  else
    no "tier: $1 is counted as by the interpreter" "it is not, or ended with an error"
    diff "$scratch/profile.0" "$scratch/profile.2" | cut -c 1-200 | head -n 10 | sed 's/^/    | /'
  fi
}

check_counts() {
  for program in $counted_programs; do
    check_profile "$program" "$folder/programs/release/$program"
  done
  for source in $counted; do
    name=${source##*/}
    capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_90,code=compute_90 "$source.cu" \
      -o "$scratch/$name" -ldl -lpthread
    if [ "$status" = 0 ]; then check_profile "$name" "$scratch/$name"; else
      no "tier: $name is counted as by the interpreter" "it does not compile"
      show_output
    fi
  done
}

# The same words about the same mistakes.
check_faults() {
  nvcc_log=$scratch/nvcc.log
  if ! "$NVCC" $FLAGS $GENCODE -o "$scratch/faults" "$here/faults.cu" -ldl -lpthread >"$nvcc_log" 2>&1; then
    no "tier: faults" "faults.cu does not compile"
    head -n 10 "$nvcc_log"
    return 0
  fi
  for case in $(grep -o "CASE([a-z_]*)" "$here/faults.cu" | sed "s/CASE(//; s/)//"); do
    for tier in 0 2; do
      EMULATOR_THREADS=1 EMULATOR_TIER=$tier EMULATOR_CACHE="$folder/cache" LD_LIBRARY_PATH=$build_root/emulator timeout 120 \
        "$scratch/faults" "$case" 2>&1 </dev/null |
        sed 's/0x[0-9a-f]*/ADDRESS/g; s/and is [0-9,]* bytes before/and is before/' >"$scratch/said.$tier"
    done
    if cmp -s "$scratch/said.0" "$scratch/said.2" && grep -q '^========= ' "$scratch/said.2"; then
      pass "tier: $case is reported as by the interpreter"
    else
      no "tier: $case is reported as by the interpreter" "it is not"
      diff "$scratch/said.0" "$scratch/said.2" | head -n 10 | sed 's/^/    | /'
    fi
  done
}

# ---- from tier to tier, and what may go wrong ----

switch=$plain_emulator/tier/check_switch
# tell NAME EXPECTED WHAT [SETTINGS...]: one run of check_switch.
tell() {
  name=$1 expected=$2 what=$3
  shift 3
  capture env EMULATOR_TIER=2 EMULATOR_CACHE="$scratch/cache" "$@" timeout 300 "$switch" "$what"
  if [ "$status" = 0 ] && [ "$output" = "$expected" ]; then
    pass "tier: $name"
  else
    no "tier: $name" "status $status, said '$output' instead of '$expected'"
  fi
}

library() { ls "$scratch"/cache/*.so | head -n 1; }

check_cache() {
  tell "a kernel is compiled before its launch" "right, compiled" once
  tell "and found in the cache" "right, compiled" once EMULATOR_CC=false
  tell "0 interprets" "right, interpreted" once EMULATOR_TIER=0
  cp "$(library)" "$scratch/good"
  bytes=$(wc -c <"$scratch/good")
  head -c $((bytes / 2)) "$scratch/good" >"$(library)"
  tell "half a library in the cache is not used" "right, interpreted" once EMULATOR_CC=false
  : >"$(library)"
  tell "an empty one neither" "right, interpreted" once EMULATOR_CC=false
  { head -c 6000 "$scratch/good" && printf XXXXXXXXXXXXXXXX && tail -c +6017 "$scratch/good"; } >"$(library)"
  tell "a damaged one neither" "right, interpreted" once EMULATOR_CC=false
  sed '$s/kernel .../kernel 000/' "$scratch/good" >"$(library)"
  tell "another kernel's neither" "right, interpreted" once EMULATOR_CC=false
  tell "it is compiled again" "right, compiled" once
  tell "and then used" "right, compiled" once EMULATOR_CC=false
}

# What compiles for a program ends with it when it is killed.
check_killed() {
  printf '#!/bin/sh\ncase "$*" in *-shared*) echo $$ >%s; exec sleep 60;; esac\n' "$scratch/compiling" >"$scratch/sleeps"
  chmod +x "$scratch/sleeps"
  EMULATOR_TIER=2 EMULATOR_CACHE="$scratch/killed" EMULATOR_CC="$scratch/sleeps" "$switch" once >/dev/null 2>&1 &
  program=$!
  tries=0
  while [ ! -s "$scratch/compiling" ] && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done
  kill -9 "$program"
  wait "$program" 2>/dev/null || true
  tries=0
  while kill -0 "$(cat "$scratch/compiling")" 2>/dev/null && [ $((tries += 1)) -lt 100 ]; do sleep 0.1; done
  if [ "$tries" -lt 100 ]; then pass "tier: a compiler ends with a program that is killed"; else
    no "tier: a compiler ends with a program that is killed" "it still runs after 10 s"
    kill "$(cat "$scratch/compiling")"
  fi
}

check_compilers() {
  tell "no compiler" "right, interpreted" once EMULATOR_CC=/nowhere/gcc EMULATOR_CACHE="$scratch/none"
  tell "a compiler that fails" "right, interpreted" once EMULATOR_CC=false EMULATOR_CACHE="$scratch/none"
  tell "a compiler that makes nothing" "right, interpreted" once EMULATOR_CC=true EMULATOR_CACHE="$scratch/none"
  printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho rubbish >"$2"\n' >"$scratch/rubbish"
  printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho "int x;" | gcc -shared -xc -o "$2" -\n' >"$scratch/empty"
  chmod +x "$scratch/rubbish" "$scratch/empty"
  tell "a compiler that makes rubbish" "right, interpreted" once EMULATOR_CC="$scratch/rubbish" EMULATOR_CACHE="$scratch/none"
  printf '#!/bin/sh\nexit 124\n' >"$scratch/slow"
  chmod +x "$scratch/slow"
  tell "a compiler that takes too long" "right, interpreted" once EMULATOR_CC="$scratch/slow" EMULATOR_CACHE="$scratch/late"
  tell "is not called again" "right, interpreted" once EMULATOR_CACHE="$scratch/late"
  check_killed
  tell "a library without the kernel" "right, interpreted" once EMULATOR_CC="$scratch/empty" EMULATOR_CACHE="$scratch/other"
}

check_folders() {
  tell "a folder that cannot be written" "right, interpreted" once EMULATOR_CACHE=/proc/self
  tell "a folder that cannot be" "right, interpreted" once EMULATOR_CACHE=/dev/null/cache
  tell "no folder, no HOME" "right, interpreted" once HOME= EMULATOR_CACHE=
  mkdir -m 777 "$scratch/open"
  tell "a folder that anybody may write to" "right, interpreted" once EMULATOR_CACHE="$scratch/open"
  mkdir -m 700 "$scratch/home"
  tell "the folder in HOME" "right, compiled" once EMULATOR_CACHE= HOME="$scratch/home"
  if ls "$scratch"/home/.cache/cuda-emulator/*.so >/dev/null 2>&1; then
    pass "tier: HOME/.cache/cuda-emulator is the folder"
  else
    no "tier: HOME/.cache/cuda-emulator is the folder" "nothing is there"
  fi
  capture sh -c "trap '' XFSZ; ulimit -f 100; EMULATOR_TIER=2 EMULATOR_CACHE=$scratch/full exec $switch once"
  expect "tier: a full disk" 0 '^right, interpreted$'
}

# Own files are removed when there are too many, others never.
check_pruning() {
  mkdir -m 700 "$scratch/many"
  i=0
  while [ $i -lt 450 ]; do
    : >"$scratch/many/$(printf '%032x' $i).so"
    i=$((i + 1))
  done
  touch -d '2001-01-01' "$scratch/many/notes.txt" "$scratch/many/abc.so"
  tell "a cache with too many files" "right, compiled" once EMULATOR_CACHE="$scratch/many"
  left=$(ls "$scratch/many" | wc -l)
  if [ "$left" -lt 300 ] && [ -f "$scratch/many/notes.txt" ] && [ -f "$scratch/many/abc.so" ]; then
    pass "tier: old kernels go, other files stay"
  else
    no "tier: old kernels go, other files stay" "$left files are left"
  fi
}

check_switching() {
  tell "a launch that begins interpreted ends compiled" "right, in the middle" middle EMULATOR_TIER=1 \
    EMULATOR_CACHE="$scratch/middle"
  tell "threads that launch the same kernel" "right, compiled" threads EMULATOR_TIER=1 EMULATOR_CACHE="$scratch/threads"
  tell "a module that goes while its kernel is compiled" "right, compiled" unload EMULATOR_TIER=1 \
    EMULATOR_CACHE="$scratch/unload"
  for i in 1 2 3; do
    EMULATOR_TIER=2 EMULATOR_CACHE="$scratch/together" timeout 300 "$switch" once >"$scratch/together.$i" 2>&1 &
  done
  wait
  if [ "$(cat "$scratch"/together.? | sort -u)" = "right, compiled" ]; then
    pass "tier: processes that compile the same at once"
  else
    no "tier: processes that compile the same at once" "$(cat "$scratch"/together.? | sort -u | tr '\n' ';')"
  fi
}

capture build_emulator "$plain_emulator"
if [ "$status" != 0 ]; then
  no "tier" "the emulator does not build"
  show_output
  exit 0
fi
check_operations "$plain_emulator" "$every"
check_random "$plain_emulator" "$kernels"
PROGRAMS_FOLDER=$folder/programs sh tests/programs.test.sh --build release \
  $(printf 'tests/programs/%s.cu ' $programs)
for program in $programs; do
  check_program "$program"
done
check_counts
check_faults
if link_here "$plain_emulator" check_switch; then
  check_cache
  check_compilers
  check_folders
  check_pruning
  check_switching
fi
check_sanitized
