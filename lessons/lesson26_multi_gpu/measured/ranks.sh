#!/bin/sh
# ranks.sh shell|mpirun|torchrun: NCCL's all-reduce with a process for each GPU, started in one of three ways (a step of record.list). The programs
# are those of libraries/build.sh.
set -eu
cd "$(dirname "$0")/../../.."
programs=build/lessons/libraries26
[ -x $programs/ranks ] || sh lessons/lesson26_multi_gpu/libraries/build.sh
gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
export NCCL_NVLS_ENABLE=0

case $1 in
  mpirun) mpirun --allow-run-as-root -n "$gpus" $programs/ranks_mpi ;;
  torchrun) torchrun --no-python --nproc-per-node "$gpus" $programs/ranks ;;
  shell)
    for rank in $(seq 1 $((gpus - 1))); do
      RANK=$rank WORLD_SIZE=$gpus LOCAL_RANK=$rank MASTER_PORT=29700 $programs/ranks &
    done
    RANK=0 WORLD_SIZE=$gpus LOCAL_RANK=0 MASTER_PORT=29700 $programs/ranks
    wait
    ;;
  *) echo "ranks.sh: $1 is none of shell, mpirun and torchrun" >&2 && exit 2 ;;
esac
