#!/bin/sh
# Feeds damaged fat binaries and PTX to the emulator: every input that once failed, then new ones for a while. See
# tests/fuzz/README.md.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

here=tests/fuzz
folder=$build_root/fuzz
seconds=${FUZZ_SECONDS:-15}
mkdir -p "$folder"
make_scratch
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1

# The harness of PTX has no device memory, see fake_memory.c; that of fat binaries has no executable around them.
wrap=-Wl,--wrap=memory_allocate,--wrap=memory_free,--wrap=memory_find
wrap_fatbin=-Wl,--wrap=fatbin_mapped_bytes

why() { printf '%s\n' "$output" | grep -m 1 -E 'SUMMARY|ERROR|runtime error|fuzz_[a-z]*:' || echo "ended with status $status"; }

# With any compiler: the inputs that are kept here.
run_kept() { # fatbin|ptx, MORE SOURCES AND FLAGS
  kind=$1
  shift
  capture link_test "$sanitized_emulator" "$sanitized_emulator/fuzz/$kind" "$here/fuzz_$kind.c" "$here/run_inputs.c" "$@"
  if [ "$status" != 0 ]; then
    no "fuzz_$kind: what is kept" "the harness does not compile"
    show_output
    return 0
  fi
  for input in corpus regressions; do
    capture timeout 120 "$sanitized_emulator/fuzz/$kind" "$here/$input/$kind"/*
    if [ "$status" = 0 ]; then
      pass "fuzz_$kind: $(printf '%s\n' "$output" | grep -c "^$here/") inputs of $input/"
    else
      no "fuzz_$kind: $input/" "$(printf '%s\n' "$output" | grep "^$here/" | tail -n 1): $(why)"
      show_output
    fi
  done
}

# With clang's fuzzer: new ones.
fuzz() { # fatbin|ptx SECONDS, MORE SOURCES AND FLAGS
  kind=$1 limit=$2
  shift 2
  capture link_test "$folder/emulator" "$folder/fuzz_$kind" "$here/fuzz_$kind.c" "$@" -fsanitize=fuzzer
  if [ "$status" != 0 ]; then
    no "fuzz_$kind" "the harness does not compile"
    show_output
    return 0
  fi
  mkdir -p "$scratch/$kind"
  capture timeout -k 5 $((limit + 120)) nice "$folder/fuzz_$kind" -max_total_time="$limit" -max_len=9000 -timeout=60 \
    -rss_limit_mb=3000 -malloc_limit_mb=2500 -dict="$scratch/$kind.dict" -artifact_prefix="$folder/$kind-" \
    -print_final_stats=1 "$scratch/$kind" "$here/corpus/$kind" "$here/regressions/$kind"
  runs=$(printf '%s\n' "$output" | sed -n 's/^stat::number_of_executed_units: *//p')
  if [ "$status" = 0 ] && [ "${runs:-0}" -gt 100 ]; then
    pass "fuzz_$kind: $limit s of new inputs ($runs)"
  else
    no "fuzz_$kind" "$(why); the input is in $folder/"
    printf '%s\n' "$output" | grep -E -A 12 'ERROR|runtime error|fuzz_[a-z]*:' | head -n 30 | sed 's/^/    | /'
  fi
}

# What ptxas calls legal must be taken, but for what is known to be missing.
compare_with_ptxas() {
  PATH=$PATH:$(dirname "$NVCC"):/usr/local/cuda/bin
  if ! command -v ptxas >/dev/null; then
    skip "fuzz: what ptxas calls legal" "there is no ptxas"
    return 0
  fi
  capture link_test "$sanitized_emulator" "$folder/ptxas/accepts" "$here/accepts.c" "$here/fake_memory.c" "$wrap"
  [ "$status" != 0 ] || capture "${CC:-gcc}" -std=c11 -O1 -Wall -Wextra -Werror -o "$folder/ptxas/vary_ptx" "$here/vary_ptx.c"
  [ "$status" != 0 ] || capture sh "$here/ask_ptxas.sh" 2 "${SEED:-1}" "$folder/ptxas"
  summary=$(printf '%s\n' "$output" | tail -n 1)
  if [ "$status" = 0 ] && printf '%s\n' "$summary" | grep -q '[1-9][0-9]* of them legal: 0 refused'; then
    pass "fuzz: what ptxas calls legal ($summary)"
  else
    no "fuzz: what ptxas calls legal" "$summary"
    printf '%s\n' "$output" | grep -v '^lax' | head -n 20 | sed 's/^/    | /'
  fi
}

capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" = 0 ]; then
  run_kept fatbin "$wrap_fatbin"
  run_kept ptx "$here/fake_memory.c" "$wrap"
  compare_with_ptxas
else
  no "fuzz: what is kept" "the emulator does not build (sanitized)"
  show_output
fi

# A clang that can link a fuzzer, with its sanitizers.
find_clang() {
  echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d[0] == 1 && n > 5; }' >"$scratch/probe.c"
  for clang in ${CLANG:-clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19}; do
    if "$clang" -w -fsanitize=fuzzer,address,undefined -o "$scratch/probe" "$scratch/probe.c" 2>/dev/null; then
      return 0
    fi
  done
  return 1
}

if ! find_clang; then
  skip "fuzzing with new inputs" "there is no clang with its fuzzer (on Debian and Ubuntu: clang and libclang-rt-dev)"
  exit 0
fi
sed -n 's/^\([a-z][^ ]*\).*/"\1"/p' tests/conformance/forms.txt | cat "$here/ptx.dict" - >"$scratch/ptx.dict"
printf '"\\x50\\xed\\x55\\xba"\n' >"$scratch/fatbin.dict"
# The harnesses read programs and never run one: what only runs them is linked, but neither optimized nor instrumented. Of the operations the
# decoder has their addresses alone, which begin with op_; a file of which it calls something else is instrumented.
unused='-O0 -fno-sanitize=all'
called_operations() (
  cd "$sanitized_emulator"
  nm -u decode/*.o ptx/*.o tier/*.o | awk 'NF == 2 && $2 !~ /^op_/ { print $2 }' | sort -u >"$scratch/called"
  for object in ops/*.o; do
    nm --defined-only "$object" | awk 'NF == 3 { print $3 }' | sort -u | comm -12 - "$scratch/called" | grep -q . && basename "$object" .o
  done || true
)
set --
for file in $(called_operations); do set -- "$@" "CFLAGS_ops_$file=-fsanitize=fuzzer-no-link,address,undefined"; done
if [ "$#" = 0 ]; then no "fuzzing with new inputs" "no operation is called by the decoder: how are they found?"; fi
capture build_emulator "$folder/emulator" CC="$clang" SANITIZE=1 EXTRA_CFLAGS=-fsanitize=fuzzer-no-link CFLAGS_ops="$unused" "$@" \
  CFLAGS_api="$unused" CFLAGS_check="$unused" CFLAGS_profile="$unused"
if [ "$status" != 0 ]; then
  no "fuzzing with new inputs" "the emulator does not build with $clang"
  show_output
  exit 0
fi
fuzz fatbin $((seconds / 3)) "$wrap_fatbin"
fuzz ptx "$seconds" "$here/mutate_ptx.c" "$here/fake_memory.c" "$wrap"
