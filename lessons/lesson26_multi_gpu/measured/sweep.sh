#!/bin/sh
# sweep.sh build FOLDER, then sweep.sh FOLDER: the race with other numbers of threads and of float4 on their way; each program tunes its blocks
# and verifies what it times. Its lines are those of race.cu, each with the variant in front.
set -u
. tools/authoring/measured.sh
race=lessons/lesson26_multi_gpu/measured/race.cu
variants='256:1 256:2 256:4 256:8 512:1 512:2 512:4 1024:1 1024:2'

if [ "$1" = build ]; then
  . lessons/lesson26_multi_gpu/measured/nccl.sh
  for variant in $variants; do
    mkdir -p "$2/sweep/lessons/lesson26_multi_gpu"
    sed "s/BLOCK = 256 }/BLOCK = ${variant%:*} }/; s/PIECES = 4 }/PIECES = ${variant#*:} }/" lessons/lesson26_multi_gpu/lesson26.cu \
      >"$2/sweep/lessons/lesson26_multi_gpu/lesson26.cu"
    build_race "$2" "race_$(echo "$variant" | tr : _)" $race "-I$2/sweep"
  done
  exit
fi
for variant in $variants; do
  program=$1/race_$(echo "$variant" | tr : _)
  for bytes in 16384 262144 4194304 67108864; do
    NCCL_NVLS_ENABLE=0 timeout 60 "$program" $bytes | sed -n "s/^[0-9]\+ .*_kernel/threads:float4 $variant: &/p; /FAIL/p"
  done
done
