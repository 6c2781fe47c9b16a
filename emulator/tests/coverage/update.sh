#!/bin/sh
# Writes the table in README.md.
set -eu
cd "$(dirname "$0")/../.."
. tests/configuration.sh
. tests/build_emulator.sh
. tests/coverage/measure.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_emulator "$plain_emulator"
build_coverage
ask_ptxas "$work"
coverage_table "$work" >"$work/table" || {
  echo "the table has gaps:"
  head -n 20 "$work/complaints"
} >&2
{
  sed "\|^$table_begin|q" README.md
  cat "$work/table"
  sed -n "\|^$table_end|,\$p" README.md
} >"$work/readme"
cp "$work/readme" README.md
git --no-pager diff --stat README.md
