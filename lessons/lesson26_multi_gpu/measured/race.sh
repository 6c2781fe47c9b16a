#!/bin/sh
# race.sh COUNT: races as many GPUs against NCCL (a step of record.list); on a machine with fewer it does nothing. `race.sh build` builds the race
# beforehand, as the GPUs' machine may have no compiler. NVLink's multicast is off: not every machine bears it.
set -eu
cd "$(dirname "$0")/../../.."
folder=${FOLDER:-build/record/26}
measured=lessons/lesson26_multi_gpu/measured

if [ "$1" = build ] || [ ! -x "$folder/race" ]; then
  . $measured/nccl.sh
  [ -n "$nccl_library" ] || { echo "race.sh: there is no nccl.h; NCCL_HOME says where it is" >&2 && exit 1; }
  mkdir -p "$folder"
  build_race "$folder" race $measured/race.cu
fi
[ "$1" != build ] || exit 0
gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
if [ "$gpus" -lt "$1" ]; then
  echo "race.sh: $gpus GPUs are too few for a race of $1" >&2
  exit 0
fi
CUDA_VISIBLE_DEVICES=$(seq -s, 0 $(($1 - 1))) NCCL_NVLS_ENABLE=0 "$folder/race"
