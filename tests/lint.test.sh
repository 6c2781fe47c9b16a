#!/bin/sh
# The tools' code as linters see it: ruff, mypy --strict, shellcheck, and no awk program of more than ten lines. What was there before these checks is
# listed, in tests/lint/*.txt and ruff.toml; these lists may only become shorter.
#
#     sh tests/lint.test.sh --shorten     takes out of tests/lint/*.txt what has been mended
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
make_scratch

# Every script of sh but .ci/run, which is for bash.
scripts() {
  find . -type f \( -name '*.sh' -o ! -name '*.*' \) ! -path './build/*' ! -path './.*/*' ! -path './work/*' | sed 's|^\./||' | LC_ALL=C sort |
    while IFS= read -r file; do
      case $file in *.sh) echo "$file" ;; *) ! head -n 1 "$file" | grep -aqE '^#! */bin/(ba)?sh' || echo "$file" ;; esac
    done
}
awk_files() { find . -type f -name '*.awk' ! -path './build/*' ! -path './.*/*' ! -path './work/*' | sed 's|^\./||'; }

# compare NAME LIST: the lines that come in are those of tests/lint/LIST.
compare() { LC_ALL=C sort -u | python3 tests/lint/compare.py "$1" "tests/lint/$2" $shorten; }

shorten=''
[ "${1:-}" != --shorten ] || shorten=--shorten

{ scripts && awk_files; } | tr '\n' '\0' | xargs -0 python3 tests/lint/long_awk.py | compare "no awk program has more than ten lines" long_awk.txt

need_packages "Python and sh are clean" "ruff, mypy and shellcheck" tests/lint build/lint/venv
PATH=$PWD/build/lint/venv/bin:$PATH

capture ruff check --output-format concise .
expect "ruff finds nothing in what is Python" 0 ''
capture mypy
expect "mypy --strict finds nothing in the workbook's tools and %%nvcc" 0 ''
capture ruff check --output-format concise --line-length 120 lessons/*/figures/draw.py
expect "ruff finds nothing in what draws figures" 0 ''
capture env MYPYPATH=tools:. mypy --explicit-package-bases lessons/*/figures/draw.py
expect "mypy --strict finds nothing in what draws figures" 0 ''

{
  scripts | tr '\n' '\0' | xargs -0 -n 25 -P "$(nproc 2>/dev/null || echo 2)" shellcheck --shell=sh --format=gcc || true
  shellcheck --format=gcc .ci/run || true
} >"$scratch/messages" 2>&1
{
  sed -n 's/^\([^:]*\):.*\[\(SC[0-9]*\)\]$/\1 \2/p' "$scratch/messages"
  grep -v '\[SC[0-9]*\]$' "$scratch/messages" || true
} | compare "shellcheck finds nothing in sh" shellcheck.txt
