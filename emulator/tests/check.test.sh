#!/bin/sh
# Programs with one planted mistake each, and correct ones that look wrong: tests/check/*.cu. What must be said about
# each stands in the source, above the kernel (see memory.cu). Each is built with -O1 -lineinfo; those whose lines do not depend on
# inlining are also run at -G.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh
export EMULATOR_TIMEOUT_SETTING=TIMEOUT=seconds # as the command that started the program calls it

# expectations SOURCE FOLDER: writes FOLDER/cases (name error verdict status timeout silent checks) and FOLDER/NAME.says.
expectations() {
  awk -v folder="$2" '
    function flush() {
      if (name == "") return
      print name, error, verdict, status, limit, silent, checks >(folder "/cases")
      printf "" >(folder "/" name ".says")
      for (i = 0; i < count; i++) {
        gsub(/:LINE/, ":" line, says[i])
        print says[i] >(folder "/" name ".says")
      }
    }
    /^\/\/ EXPECT / {
      flush()
      name = $3; error = $4; verdict = $5
      status = error == "0" ? 0 : 1
      limit = "-"; silent = 0; checks = "none"; count = 0; line = "unknown"
    }
    /^\/\/ SAYS / { says[count++] = substr($0, 9) }
    /^\/\/ STATUS / { status = $3 }
    /^\/\/ TIMEOUT / { limit = $3 }
    /^\/\/ SILENT/ { silent = 1 }
    /^\/\/ CHECKS / { checks = $3 }
    /\/\/ HERE$/ { if (line == "unknown") line = NR }
    END { flush() }' "$1"
}

# why_wrong FOLDER NAME ERROR VERDICT STATUS SILENT: the first thing that is not as expected, or nothing.
why_wrong() {
  if [ "$status" != "$5" ]; then
    echo "exit status $status, expected $5"
    return
  fi
  if [ "$3" != - ]; then
    for line in "error $3" "later $3" "verdict $4"; do
      grep -qxF -- "$line" "$scratch/out" && continue
      echo "expected '$line', found '$(grep "^${line%% *} " "$scratch/out" || true)'"
      return
    done
  fi
  if [ "$6" = 1 ] && [ -s "$scratch/err" ]; then
    echo "it says '$(head -n 1 "$scratch/err")'"
    return
  fi
  [ "$says" = 1 ] || return 0
  # Prose and the lines of an access are broken where they get too long, which depends on the source's path: join them.
  awk '/^=========     [^ ]/ { printf " %s", substr($0, 15); joined = 1; next }
    /^=========   [^ ]/ { printf "%s%s", joined ? " " : "", substr($0, 13); joined = 1; next }
    { if (joined) print ""; joined = 0; print }' "$scratch/err" >"$scratch/joined"
  while IFS= read -r words; do
    grep -qF -- "$words" "$scratch/joined" "$scratch/err" && continue
    echo "the report lacks '$words'"
    return
  done <"$1/$2.says"
}

run_case() { # PROGRAM FOLDER SUFFIX NAME ERROR VERDICT STATUS TIMEOUT SILENT CHECKS
  status=0
  limit=$8
  [ "$limit" != - ] || limit=30
  # The program's stderr is opened inside, so that what this shell says about a crash is not in it.
  checks=${10}
  [ "$checks" != none ] || checks=''
  EMULATOR_CHECK=$checks EMULATOR_TIMEOUT=$limit timeout 60 sh -c 'exec "$@" 2>"$0"' "$scratch/err" "$1" "$4" >"$scratch/out" 2>/dev/null ||
    status=$?
  sed -i 's/joined_[a-z_]*:://g' "$scratch/err"
  why=$(why_wrong "$2" "$4" "$5" "$6" "$7" "$9")
  if [ -z "$why" ]; then
    pass "$4$3"
    return
  fi
  no "$4$3" "$why"
  cat "$scratch/out" "$scratch/err" | head -n 30 | sed 's/^/    | /'
}

# The files of one architecture are compiled together, which is nothing that a report should show.
build_files() { # SUFFIX FLAGS NAMES...
  suffix=$1 flags=$2
  shift 2
  sh tests/join.sh "$scratch/together.cu" $(printf 'tests/check/%s.cu ' "$@")
  if ! ARCH_OF=tests/check/$1.cu sh tests/compile.sh "$scratch/together.cu" "$scratch/together" $flags \
    >"$scratch/build" 2>&1; then
    no "check/$*$suffix" "does not compile: $(grep -m 1 error "$scratch/build")"
    return
  fi
  for file; do
    mkdir -p "$scratch/$file$suffix"
    ln "$scratch/together" "$scratch/$file$suffix/$file"
  done
}

run_file() { # NAME, SUFFIX, AND THAT OF THE LINES
  file=$1 folder=$scratch/$1$2
  [ -x "$folder/$file" ] || return 0
  expectations "tests/check/$file.cu" "$folder"
  while read -r name error verdict expected limit silent checks; do
    run_case "$folder/$file" "$folder" "${3:-$2}" "$name" "$error" "$verdict" "$expected" "$limit" "$silent" "$checks"
  done <"$folder/cases"
}

says=1
build_files '' '-Xcompiler -g1' memory control tensor host correct counters asked approximate undefined launches stream_order
build_files '' '' async hang cluster tensor_maps
build_files '' '' cluster_async bulk_stores
build_files '' '' idioms
build_files '' '' products registers
# The interpreter finds these. The second tier would compile in the background what none but the longest of them ever use; it has checks of
# its own below. What never ends is left to whichever of the two has it when its time is over.
run_file hang ''
export EMULATOR_TIER=0
for file in memory control async cluster cluster_async bulk_stores tensor_maps tensor host correct counters asked idioms products registers approximate undefined launches stream_order; do
  run_file "$file" ''
done
# What streams, events and allocations order is known when they are submitted: nothing depends on when they run.
for round in 1 2 3; do
  for EMULATOR_THREADS in 1 16; do
    export EMULATOR_THREADS
    run_file stream_order '' ", $EMULATOR_THREADS threads, round $round"
  done
done
unset EMULATOR_THREADS
# What an earlier launch of the same kernel had is neither explained again nor left out.
EMULATOR_CHECK=racecheck "$scratch/products/products" product_again >"$scratch/out" 2>"$scratch/err" || true
shown=$(awk '/^========= Error/ { errors++ } /same as above/ { again++ } /^=========   wgmma writes|^=========   A wgmma belongs/ { advice++ }
  END { print errors + 0, again + 0, advice + 0 }' "$scratch/err")
if [ "$shown" = '4 1 3' ]; then pass "product_again, once in short"; else no "product_again, once in short" "errors, in short, advice: $shown"; fi
# Single kernels are compiled without optimization, which is up to twelve times as quick: what is tested is the C that the second tier makes of
# them. Optimized is what ways.cu, streams.cu and tier.test.sh compile, of the same parts. Libraries do not tell one from the other, so they
# are in a folder of their own.
unoptimized() { # COMMAND...
  kept=$EMULATOR_CACHE
  EMULATOR_CACHE=$(readlink -f "$build_root")/tests/unoptimized EMULATOR_CC=$scratch/unoptimizing
  mkdir -p "$EMULATOR_CACHE"
  rm -f "$EMULATOR_CACHE"/*.slow # what took too long is tried again
  export EMULATOR_CC
  "$@"
  unset EMULATOR_CC
  EMULATOR_CACHE=$kept
}
printf '#!/bin/sh\nexec %s "$@" -O0\n' "${CC:-gcc}" >"$scratch/unoptimizing"
chmod +x "$scratch/unoptimizing"
EMULATOR_TIER=2 # what is compiled gives a warp back that has to be followed
unoptimized run_file undefined '' ' compiled'
EMULATOR_TIER=0
# Each wait and each fence of idioms.cu is needed, and its absence is seen.
awk -f tests/check/drops.awk tests/check/idioms.cu >"$scratch/drops.cu"
if sh tests/compile.sh "$scratch/drops.cu" "$scratch/drops" >"$scratch/build" 2>&1; then
  "$scratch/drops" list | while read -r drop line; do
    EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck,strict EMULATOR_TIMEOUT=5 timeout 60 "$scratch/drops" "$drop" \
      >"$scratch/out" 2>&1 || true
    what=$(sed -n "${line}s/^ *//p" tests/check/idioms.cu)
    if grep -q 'ERROR SUMMARY: [1-9]' "$scratch/out"; then
      pass "idioms.cu:$line without $what"
    else
      no "idioms.cu:$line without $what" "nothing was reported"
    fi
  done
else
  no "drops" "does not compile: $(grep -m 1 error "$scratch/build")"
fi

# The slow path, the fast path, and what the second tier compiles of the fast one: name, tier, further checks.
ways='slow 0 ,slow
fast 0
compiled 2'

# The second tier's kernels of these programs, in a folder of their own; what took the compiler too long is tried again.
EMULATOR_CACHE=$(readlink -f "$build_root")/tests/ways
mkdir -p "$EMULATOR_CACHE"
rm -f "$EMULATOR_CACHE"/*.slow
# is_compiled NAME FILE: does the program say in the file that its kernels have been compiled? Otherwise the fast path would be compared
# with itself.
is_compiled() {
  grep -q '^compiled [1-9]' "$2" && return
  if [ -n "$(find "$EMULATOR_CACHE" -name '*.slow')" ]; then
    skip "$1" "the kernel is not compiled: it took too long"
  else
    no "$1" "the kernel is not compiled"
  fi
  return 1
}

# Corners of the fast paths: each is reported as it should be, the same lines, threads and counts in each way.
corners=tests/check/fast_paths.cu
run_corners() {
  expectations $corners "$scratch/corners"
  while read -r name error verdict expected limit silent checks; do
    echo "$ways" | while read -r way EMULATOR_TIER more; do
      export EMULATOR_TIER EMULATOR_THREADS=1
      run_case "$scratch/corners/program" "$scratch/corners" " $way" "$name" "$error" "$verdict" "$expected" "$limit" \
        "$silent" "$checks$more"
      cat "$scratch/out" "$scratch/err" | sed '/^compiled /d; s/0x[0-9a-f]*/ADDRESS/g' >"$scratch/corners/$way"
      [ "$way" != compiled ] || is_compiled "$name $way" "$scratch/out" || continue
      difference=$(diff "$scratch/corners/slow" "$scratch/corners/$way" | sed -n 2p)
      [ -z "$difference" ] || no "$name, slow and $way" "$difference"
    done
  done <"$scratch/corners/cases"
}

# Blocks that run at once go side by side: as many hazards as there are, whoever of them comes first.
run_at_once() {
  sed -n 's|^// AT ONCE ||p' $corners | while read -r name hazards; do
    for round in 1 2 3; do
      EMULATOR_CHECK=racecheck EMULATOR_TIER=0 EMULATOR_THREADS=4 EMULATOR_TIMEOUT=20 timeout 60 \
        "$scratch/corners/program" "$name" >"$scratch/out" 2>&1 || true
      found=$(sed -n 's/.*\[\([0-9,]*\) hazards\{0,1\}\]$/\1/p' "$scratch/out" | tr -d , | awk '{ n += $1 } END { print n + 0 }')
      if grep -q '^verdict' "$scratch/out" && [ "$found" = "$hazards" ]; then
        pass "$name, round $round"
      else
        no "$name, round $round" "$found hazards, expected $hazards: $(tail -n 1 "$scratch/out")"
      fi
    done
  done
}

# A library that stops where a chunk of shadow memory is looked at or changed, and nobody has locked it: one host thread would not
# notice otherwise, and several only now and then. Only check/ is compiled again.
locks=$build_root/emulator-locks
build_locks() {
  mkdir -p "$locks"
  cp -a "$plain_emulator/." "$locks/"
  rm -rf "$locks/check"
  build_emulator "$locks" "CFLAGS_check=-DASSERT_LOCKED -UNDEBUG"
}
run_locked() { # NAME PROGRAM ARGUMENT...
  name=$1
  shift
  for threads in 1 4; do
    status=0
    LD_LIBRARY_PATH=$PWD/$locks EMULATOR_CHECK=racecheck,initcheck EMULATOR_TIER=0 EMULATOR_THREADS=$threads timeout 120 "$@" \
      >"$scratch/out" 2>&1 || status=$?
    if [ "$status" = 0 ] && grep -q 'ERROR SUMMARY' "$scratch/out"; then
      pass "$name, with locks asserted, $threads threads"
    else
      no "$name, with locks asserted, $threads threads" "status $status: $(grep -m 1 Assertion "$scratch/out")"
    fi
  done
}

mkdir -p "$scratch/corners"
if sh tests/compile.sh $corners "$scratch/corners/program" >"$scratch/build" 2>&1; then
  unoptimized run_corners
  run_at_once
else
  no "check/fast_paths" "does not compile: $(grep -m 1 error "$scratch/build")"
fi

# Fast path and slow path find the same in random programs: the same lines, threads, addresses and counts.
compare_ways() { # NAME PROGRAMS LEAST: the least number of races that they must have
  if ! sh tests/compile.sh "tests/check/$1.cu" "$scratch/$1" >"$scratch/build" 2>&1; then
    no "$1" "$1.cu does not compile: $(grep -m 1 error "$scratch/build")"
    return
  fi
  echo "$ways" | while read -r way tier more; do
    EMULATOR_CHECK=all,strict$more EMULATOR_TIER=$tier EMULATOR_THREADS=1 timeout 120 "$scratch/$1" "$2" \
      2>&1 >"$scratch/$way.compiled" | sed 's/0x[0-9a-f]*/ADDRESS/g' >"$scratch/$way"
  done
  if [ "$(grep -c hazard "$scratch/slow")" -lt "$3" ]; then
    no "$1" 'the random programs have too few races'
  fi
  for way in fast compiled; do
    [ "$way" != compiled ] || is_compiled "$1, slow and compiled" "$scratch/compiled.compiled" || continue
    if cmp -s "$scratch/$way" "$scratch/slow"; then
      pass "$1, slow and $way"
    else
      no "$1, slow and $way" "$(diff "$scratch/$way" "$scratch/slow" | sed -n '2p')"
    fi
  done
}
compare_ways ways 1000 330
compare_ways streams 200 300

capture build_locks
if [ "$status" = 0 ]; then
  for name in $(sed -n 's/^ *CASE(\(.*\)),$/\1/p' $corners); do
    run_locked "$name" "$scratch/corners/program" "$name"
  done
  run_locked ways "$scratch/ways" 200
  run_locked streams "$scratch/streams" 40
else
  no "locks of shadow memory" "the emulator does not build"
  show_output
fi
EMULATOR_CACHE=$(readlink -f "$build_root")/tests/kernels EMULATOR_TIER=0

says=0
build_files ' at -G' -G memory correct
for file in memory correct; do
  run_file "$file" ' at -G'
done
# As a machine with a GPU builds it: machine code beside the PTX.
build_files ' with machine code' '-gencode arch=compute_90,code=sm_90' asked
run_file asked ' with machine code'
