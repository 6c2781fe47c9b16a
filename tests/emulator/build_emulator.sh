# Sourced by the suites that link the emulator's objects: builds them plain and with ASan and UBSan, and test programs
# against them. Expects build/configuration.

. tools/compile/make_emulator.sh
plain_emulator=build/emulator
sanitized_emulator=build/emulator-sanitized

# build_emulator FOLDER [SETTINGS OF ITS MAKEFILE...]: prints the compiler's output only when it fails.
build_emulator() (
  folder=$1
  shift
  mkdir -p "$folder"
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  if command -v flock >/dev/null; then # suites run side by side
    exec 9>"$folder.lock"
    flock 9
  fi
  if ! make_emulator all BUILD="../$folder" -j"$(nproc 2>/dev/null || echo 2)" "$@" >"$folder.log" 2>&1; then
    grep -E -A 5 'error:|warning:|\*\*\* ' "$folder.log" || cat "$folder.log"
    return 1
  fi
)

# link_test FOLDER OF THE EMULATOR, EXECUTABLE, SOURCES...: a C program with all of the emulator in it.
link_test() {
  link_folder=$1 link_executable=$2
  shift 2
  link_flags="-O2${COVERAGE:+ --coverage}" # tests/coverage.sh
  [ "$link_folder" != "$sanitized_emulator" ] ||
    link_flags='-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
  mkdir -p "$(dirname "$link_executable")"
  # The tables of instructions are referred to weakly, so the linker would leave them out of an archive.
  "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -g -march=native -ffp-contract=off -Wall -Wextra -Werror $link_flags -Iemulator \
    -o "$link_executable" "$@" -Wl,--whole-archive "$link_folder/libemulator.a" -Wl,--no-whole-archive -lm -ldl -pthread
}
