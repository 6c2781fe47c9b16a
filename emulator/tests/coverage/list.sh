#!/bin/sh
# Prints the numbers of the forms that record.sh executes on an H200.
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
unpack_records "$work"
"$coverage_program" list "$coverage/forms.txt" "$work/rejected" "$coverage/uncompared.txt" "$work/vectors.bin" "$coverage/tensor.txt"
