#!/bin/sh
# coverage.sh [SUITE...]: which lines and branches of the emulator the suites reach (default: those that need no second build), as a table by
# folder. It is a figure, not a test. A copy of this folder in build/coverage is tested, on an emulator that gcc's gcov has prepared: ten
# minutes of a processor, more on a busy machine. What compiled kernels do (the second tier's libraries) is not seen.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
[ $# -gt 0 ] || set -- api check conformance tensor profile random link

clone=$PWD/$build_root/coverage
rm -rf "$clone"
mkdir -p "$clone/emulator"
tar -c --exclude=./build . | tar -x -C "$clone/emulator"
cd "$clone/emulator"
objects=$PWD/build/emulator
mkdir -p "$objects"
export NVCC
echo "building the emulator for gcov" >&2
make -s -j"$(nproc)" BUILD=build/emulator CC=gcc CUDA_MAJOR="$CUDA_MAJOR" CUDA_INCLUDE="$toolkit_headers" \
  EXTRA_CFLAGS='-O1 --coverage -fprofile-update=atomic' LDLIBS='-lm -ldl -pthread --coverage' >build/log 2>&1 || {
  tail -n 20 build/log >&2
  echo "it does not build." >&2
  exit 1
}
for suite; do
  SUITE=$suite tests/run || echo "$suite: checks failed; what it reached counts all the same" >&2
done

# gcov's summary of each source: "File 'ops/float32.c'", "Lines executed:97.50% of 120", "Taken at least once:88.00% of 50".
find "$objects" -name '*.gcda' | while read -r data; do
  gcov -n -b -o "$(dirname "$data")" "$data" 2>/dev/null
done >build/gcov.txt
awk '
  /^File / { file = $2; gsub(/\047/, "", file); own = file !~ /^\// && file !~ /^tests/; split(file, part, "/"); folder = part[1]; next }
  !own || (file, $0 ~ /^Lines/ ? "l" : "b") in seen { next }
  /^Lines executed|^Taken at least once/ {
    kind = /^Lines/ ? "l" : "b"
    seen[file, kind]
    split($0, colon, ":"); percent = colon[2] + 0; of = $NF
    reached[folder, kind] += percent * of / 100; all[folder, kind] += of
    reached["all", kind] += percent * of / 100; all["all", kind] += of
    if (!(folder in known)) { known[folder]; folders[++n] = folder }
  }
  END {
    printf "%-12s %8s %8s %10s %8s\n", "folder", "lines", "reached", "branches", "taken"
    folders[++n] = "all"
    for (i = 1; i <= n; i++) { f = folders[i]
      printf "%-12s %8d %7.1f%% %10d %7.1f%%\n", f, all[f, "l"], 100 * reached[f, "l"] / all[f, "l"], all[f, "b"], all[f, "b"] ? 100 * reached[f, "b"] / all[f, "b"] : 0 }
  }' build/gcov.txt
