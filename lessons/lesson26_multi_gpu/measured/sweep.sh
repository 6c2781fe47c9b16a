#!/bin/sh
# sweep.sh build FOLDER, then sweep.sh FOLDER: the race with other numbers of threads and of float4 on their way; each program tunes its blocks
# and verifies what it times. Its lines are those of race.cu, each with the variant in front. As many are built at once as there are processors.
set -u
race=lessons/lesson26_multi_gpu/measured/race.cu
variants='256:1 256:2 256:4 256:8 512:1 512:2 512:4 1024:1 1024:2'

if [ "$1" = build ]; then
  . lessons/lesson26_multi_gpu/measured/nccl.sh
  begun=0
  for variant in $variants; do
    name=race_$(echo "$variant" | tr : _)
    mkdir -p "$2/$name.source/measured"
    cp $race "$2/$name.source/measured/"
    sed "s/BLOCK = 256 }/BLOCK = ${variant%:*} }/; s/PIECES = 4 }/PIECES = ${variant#*:} }/" lessons/lesson26_multi_gpu/lesson26.cu \
      >"$2/$name.source/lesson26.cu"
    build_race "$2" "$name" "$2/$name.source/measured/race.cu" -Ilessons/lesson26_multi_gpu -Ilessons/lesson26_multi_gpu/measured &
    begun=$((begun + 1))
    [ $((begun % $(nproc))) -ne 0 ] || wait
  done
  wait
  exit
fi
for variant in $variants; do
  program=$1/race_$(echo "$variant" | tr : _)
  NCCL_NVLS_ENABLE=0 timeout 60 "$program" 16384 262144 4194304 67108864 | sed -n "s/^[0-9]\+ .*_kernel/threads:float4 $variant: &/p; /FAIL/p"
done
