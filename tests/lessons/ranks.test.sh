#!/bin/sh
# Lesson 26's program for several processes finds out who it is, and gets rank 0's bytes, whoever has started it: here the shell sets what
# torchrun, srun and two kinds of mpirun set. Without NCCL and CUDA, which all of it does not need.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch

program=$scratch/ranks
"${HOST_COMPILER:-g++}" -std=c++17 -Wall -Werror -x c++ -DWITHOUT_NCCL -I. lessons/lesson26_multi_gpu/libraries/ranks.cu -o "$program"

# check_start NAME RANK-VARIABLE RANKS-VARIABLE LOCAL-VARIABLE: rank 0 comes last but one.
check_start() {
  export MASTER_PORT=$((20000 + $$ % 20000))
  for rank in 2 1 0 3; do
    env "$2=$rank" "$3=4" "$4=$rank" timeout 60 "$program" >"$scratch/rank$rank" 2>&1 &
  done
  wait
  ids=$(sed 's/.* id //' "$scratch"/rank[0-3] | sort -u | wc -l)
  lines=$(grep -c "^rank \([0-3]\) of 4, GPU \1 of .*, started by $1, id [0-9a-f]\{8\}\$" "$scratch"/rank[0-3] | grep -c ':1$')
  if [ "$ids" = 1 ] && [ "$lines" = 4 ]; then
    pass "four processes, started by $1"
  else
    no "four processes, started by $1" "they say:"
    cat "$scratch"/rank[0-3] | sed 's/^/    | /'
  fi
}

check_start "whoever sets RANK" RANK WORLD_SIZE LOCAL_RANK
export TORCHELASTIC_RUN_ID=none
check_start torchrun RANK WORLD_SIZE LOCAL_RANK
unset TORCHELASTIC_RUN_ID
check_start "Open MPI's mpirun" OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK
check_start "MPICH's mpirun" PMI_RANK PMI_SIZE MPI_LOCALRANKID
check_start srun SLURM_PROCID SLURM_NTASKS SLURM_LOCALID
