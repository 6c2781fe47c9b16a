# Sourced after tests/configuration.sh: builds the emulator, plain and with ASan and UBSan, and test programs that link its objects.

plain_emulator=$build_root/emulator
sanitized_emulator=$build_root/emulator-sanitized

# make_emulator SETTINGS AND TARGETS...: with the headers of the toolkit that was found.
make_emulator() {
  "${MAKE:-make}" --no-print-directory CUDA_MAJOR="$CUDA_MAJOR" CUDA_INCLUDE="$toolkit_headers" "$@"
}

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
  if ! make_emulator all BUILD="$folder" -j"$(nproc 2>/dev/null || echo 2)" "$@" >"$folder.log" 2>&1; then
    grep -E -A 5 'error:|warning:|\*\*\* ' "$folder.log" || cat "$folder.log"
    return 1
  fi
)

# Brings the plain emulator up to date. The workbook has a command for that, which also starts anew after a change of toolkit.
ready_emulator() {
  if [ -n "$workbook" ]; then sh "$workbook/tools/compile/emulator.sh"; else build_emulator "$plain_emulator"; fi
}

# link_test FOLDER OF THE EMULATOR, EXECUTABLE, SOURCES...: a C program with all of the emulator in it, compiled as that emulator was.
link_test() {
  link_folder=$1 link_executable=$2
  shift 2
  mkdir -p "$(dirname "$link_executable")"
  # The tables of instructions are referred to weakly, so the linker would leave them out of an archive.
  $(cat "$link_folder/compile_with") -g -Wall -Wextra -Werror -I. \
    -o "$link_executable" "$@" -Wl,--whole-archive "$link_folder/libemulator.a" -Wl,--no-whole-archive -lm -ldl -pthread
}

# run_units FOLDER OF THE EMULATOR, SUFFIX: each tests/unit/*_test.c. Such a program prints its own lines; here each gets the build's name.
run_units() {
  for source in tests/unit/*_test.c; do
    name=$(basename "$source" .c)
    capture link_test "$1" "$1/unit/$name" "$source"
    if [ "$status" != 0 ]; then
      no "$name$2" "does not compile"
      show_output
      continue
    fi
    capture timeout 120 "$1/unit/$name"
    printf '%s\n' "$output" | sed "s/^\(ok\|not ok\|skip\) [^:]*/&$2/"
    failed=$(printf '%s\n' "$output" | grep -c '^not ok ' || true)
    if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
      no "$name$2" "ended with status $status"
    fi
  done
}
