#!/bin/sh
# Executes all forms on a machine with an H200 and writes results.bin.gz: record.sh LIST [FOLDER]
#
# LIST has the numbers of the forms, as `tests/coverage/list.sh` prints them where the emulator is built. Needs gcc and
# ptxas of CUDA 13 there, or in FOLDER the modules N.cubin that somebody has compiled already.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$1 folder=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -o "$work/record_gpu" "$here/record_gpu.c" "$here/results.c" "$here/trial.c" \
  "$here/statement.c" "$here/grammar.c" -ldl
if [ -z "$folder" ]; then
  folder=$work
  "$work/record_gpu" write "$here/forms.txt" "$list" "$folder"
  for module in "$folder"/*.ptx; do
    echo "${module%.ptx}"
  done | xargs -P "$(nproc)" -I{} ptxas -arch=sm_90a -O1 -w -o {}.cubin {}.ptx
fi
"$work/record_gpu" run "$here/forms.txt" "$list" "$folder" "$work/results.bin"
gzip -9 -n -c "$work/results.bin" >"$here/results.bin.gz"
ls -l "$here/results.bin.gz"
