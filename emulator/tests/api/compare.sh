#!/bin/sh
# Runs the API tests on a GPU with NVIDIA's library and prints what compared.txt should hold: each source that passes,
# its checksum, the day and the GPU.
#   tests/api/compare.sh PROGRAMS [FILE]
# PROGRAMS is a folder with the sources' executables (built by nvcc -cudart shared); FILE gets the values that are
# recorded (mipmap.bin).
set -eu
programs=${1:?the folder of executables}
cd "$(dirname "$0")/../.."
. tests/api/checksum.sh
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | tr -d ',' | tr ' ' _)
[ -z "${2:-}" ] || "$programs/mipmap" --record "$2"
echo "# source checksum day gpu_driver checks"
for source in tests/api/*.cu; do
  name=$(basename "$source" .cu)
  [ -x "$programs/$name" ] || continue
  status=0
  timeout 60 "$programs/$name" >"/tmp/compare.$$" 2>/dev/null || status=$?
  grep '^not ok' "/tmp/compare.$$" | sed "s|^|$name: |" >&2 || :
  if [ "$status" = 0 ]; then
    echo "$name.cu $(checksum "$source") $(date +%Y-%m-%d) $gpu $(grep -c '^ok' "/tmp/compare.$$")"
  else
    echo "$name: ended with status $status" >&2
  fi
done
rm -f "/tmp/compare.$$"
