#!/bin/sh
# C and CUDA sources are laid out by .clang-format, and no file has what .editorconfig forbids.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh

if command -v clang-format-14 >/dev/null || clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  capture python3 tools/workbook format --check
  if [ "$status" = 0 ]; then
    pass "C and CUDA sources are formatted"
  else
    no "C and CUDA sources are formatted" "run: make format. They differ:"
    show_output
  fi
else
  skip "C and CUDA sources are formatted" "clang-format 14 is not installed"
fi

text_files() {
  find . -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' -o -name '*.md' -o -name '*.py' -o -name Makefile \) \
    ! -path './build/*' ! -path './.*/*' ! -name 'exercise.backup*'
}
trailing=$(text_files | tr '\n' '\0' | xargs -0 grep -nE '[[:space:]]+$' | head -n 10 || true)
if [ -z "$trailing" ]; then
  pass "no trailing spaces"
else
  no "no trailing spaces" "found some"
  printf '%s\n' "$trailing" | sed 's/^/    | /'
fi
