#!/bin/sh
# The emulator is built with the runtime headers of the toolkit that is there. The oldest ones that the README promises name
# less than the newest: the files that read them must compile with each of these. Their headers come from NVIDIA's wheels,
# less than 1 MB each.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh

make_scratch
ln -s "$(dirname "$TOOLKIT_LIB")/include/crt" "$scratch/crt" # what the compiler brings is the same in all versions
for version in 12.0.146 12.2.140 12.4.127 12.8.90; do
  name="the emulator compiles with the headers of CUDA $version"
  folder=$scratch/$version
  capture python3 -m pip download -q --no-deps -d "$folder" "nvidia-cuda-runtime-cu12==$version"
  if [ "$status" != 0 ]; then
    skip "$name" "they could not be downloaded"
    continue
  fi
  python3 -m zipfile -e "$folder"/*.whl "$folder"
  include=$folder/nvidia/cuda_runtime/include
  [ -e "$include/crt" ] || ln -s "$scratch/crt" "$include/crt"
  capture "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Werror -Wno-psabi -I. -DCUDA_MAJOR=12 \
    -DEMULATOR_VERSION='"0.0.0"' -isystem "$include" api/*.c
  expect "$name" 0 ''
done
