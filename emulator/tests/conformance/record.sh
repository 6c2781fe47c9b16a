#!/bin/sh
# Records the expected results on a machine with an NVIDIA GPU: record.sh [FOLDER]
#
# Needs gcc (or cc) and the driver; no toolkit and no network. Writes FOLDER/vectors.bin.gz (default: this folder) and prints
# the forms that the driver does not accept. Takes about a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -o "$work/record_gpu" "$here/record_gpu.c" "$here/plan.c" \
    "$here/kernel.c" "$here/values.c" "$here/vectors.c" -ldl
"$work/record_gpu" "$here/forms.txt" "$work/vectors.bin"
gzip -9 -n -c "$work/vectors.bin" > "$out/vectors.bin.gz"
ls -l "$out/vectors.bin.gz"
