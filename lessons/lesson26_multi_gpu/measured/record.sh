#!/bin/sh
# record.sh FOLDER [times|counts|sweep|multicast]: runs the programs in FOLDER on a machine with 2 GPUs or more (on one with a single GPU what it
# can) and prints what the page's tables are made from, to be kept as h200.txt. First build them there:
#     sh lessons/lesson26_multi_gpu/measured/record.sh build FOLDER
# Both in the root of the workbook. NCCL is found as nccl.sh says, or by NCCL_HOME; without it the race is left out, and that is said. Each step
# goes on when the one before has failed; what matters most comes first, if the time is short. NVLink's multicast is off in all but `multicast`,
# which asks what it gives, and which is not for a machine that others use at the same time: not all of them bear it.
set -u
. tools/authoring/measured.sh
lesson=lessons/lesson26_multi_gpu
. $lesson/measured/nccl.sh

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson26 $lesson/lesson26.cu &
  if [ -n "$nccl_library" ]; then
    build_race "$2" race $lesson/measured/race.cu &
    sh $lesson/measured/sweep.sh build "$2" &
  else
    echo "record.sh: there is no nccl.h: no race" >&2
  fi
  wait
  sh $lesson/libraries/build.sh
  cp build/lessons/libraries26/* "$2" 2>/dev/null
  exit 0
fi

# sanitize_copies: what compute-sanitizer finds, with SIZE and V of the environment. Without initcheck, which came to no result in 60 s. Probably it
# waits for the end of each kernel before the next one: then hold_kernel waits for the host in vain, 5 s on each device in each of 13 rounds.
sanitize_copies() {
  for tool in memcheck racecheck synccheck; do
    timeout 60 compute-sanitizer --tool $tool --error-exitcode 9 "$folder/lesson26" >"$folder/lesson26.$tool" 2>&1 &
  done
  wait
  for tool in memcheck racecheck synccheck; do
    section "compute-sanitizer --tool $tool, SIZE=$SIZE, V=$V"
    grep -e '=========' -e ^PASS -e ^FAIL "$folder/lesson26.$tool" | head -n 12
  done
}

folder=$1 what=${2:-all}
describe_machine
section topology
nvidia-smi topo -m
nvidia-smi topo -p2p r
[ "$what" = multicast ] || export NCCL_NVLS_ENABLE=0
gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)

if [ "$what" = all ] || [ "$what" = times ]; then
  for count in 2 4; do
    [ "$count" -le "$gpus" ] || continue
    section "race, $count GPUs, multicast off"
    CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((count - 1))) timeout 120 "$folder/race"
  done
  for seed in 1 2; do
    section "lesson26, SEED=$seed, $gpus GPUs"
    SEED=$seed timeout 60 "$folder/lesson26"
  done
  section "NCCL in one process"
  timeout 60 "$folder/nccl"
  section "a process for each GPU, started by the shell"
  for rank in $(seq 0 $((gpus - 1))); do
    RANK=$rank WORLD_SIZE=$gpus LOCAL_RANK=$rank MASTER_PORT=29700 timeout 60 "$folder/ranks" &
  done
  wait
  section "a process for each GPU, started by mpirun"
  timeout 60 mpirun --allow-run-as-root -n "$gpus" "$folder/ranks_mpi"
  section "a process for each GPU, started by torchrun"
  timeout 60 torchrun --no-python --nproc-per-node "$gpus" "$folder/ranks"
fi
if [ "$what" = all ] || [ "$what" = counts ]; then
  # A tool that runs one kernel after the other would wait for ever in versions 4 to 7.
  for version in 1 2 3; do
    SIZE=1025 V=$version sanitize_copies
  done
fi
if [ "$what" = multicast ] && [ "${NCCL_NVLS_ENABLE:-}" = 0 ]; then
  echo "record.sh: NCCL_NVLS_ENABLE is 0 here, so somebody does not want it" >&2
elif [ "$what" = multicast ]; then
  section "race, $gpus GPUs, NCCL as it comes"
  timeout 120 "$folder/race" 16384 262144 67108864 1073741824
fi
if [ "$what" = sweep ]; then
  section "sweep, $gpus GPUs"
  sh $lesson/measured/sweep.sh "$folder"
fi
