#!/bin/sh
# record.sh FOLDER [times|counts]: lesson 20 on the GPU of this machine: the program, its versions in turns with the kernels behind PyTorch's attention,
# the backward pass and decode. Prints what the page's tables are made from, to be kept as h200.txt. First build:
#     sh lessons/lesson20_attention/measured/record.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with PyTorch (python3 otherwise); without it the races are left out. The times take
# about 2 and a half minutes, the counts as long. Numbers of the second seed show that those of the first are no accident: fewer sizes are enough.
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a \
    -Xptxas -v $here/lesson20.cu -o "$2/lesson20" -ldl -lpthread 2>"$2/ptxas.txt" &
  sh $here/measured/backward.sh build "$2" # parts and libparts.so, all that the others need
  wait
  exit
fi

folder=$(cd "$1" && pwd) part=${2:-all}
if [ "$part" != counts ]; then
  describe_machine
  nvidia-smi --query-gpu=power.limit --format=csv,noheader
  section "ptxas for sm_90a: registers and spills"
  grep -A3 'entry function.*attention_kernel' "$folder/ptxas.txt"
  section "lesson20, SEED=1"
  SEED=1 timeout 200 "$folder/lesson20"
  section "lesson20, SEED=2, SIZE=1000"
  SEED=2 SIZE=1000 timeout 100 "$folder/lesson20"
  CUDA_RUNTIME=${CUDA_RUNTIME:-$(ldd "$folder/libparts.so" | sed -n 's/.*=> \(.*libcudart[^ ]*\).*/\1/p' | head -n 1)}
  export CUDA_RUNTIME
  race() { # SEED [SIZES]
    section "race, SEED=$1"
    "$python" -c 'import torch; print("torch", torch.__version__, "cuDNN", torch.backends.cudnn.version())' &&
      SEED=$1 SIZES=${2:-} PYTHONPATH=$PWD timeout 200 "$python" -X utf8 -B $here/measured/race.py "$folder/libparts.so" 2>&1
  }
  race 1
  race 2 "1024 4096 16384"
fi

# The first two launches of each version are problems of 8192 queries and keys, full and causal.
if [ "$part" != times ]; then
  export SIZE=8192
  section "ncu, SIZE=$SIZE"
  metrics='gpu__time_duration.sum sm__cycles_elapsed.avg.per_second smsp__inst_executed.sum sm__inst_executed_pipe_tensor.sum launch__registers_per_thread'
  metrics="$metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"
  metrics="$metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum smsp__inst_executed_pipe_xu.sum lts__t_sectors.sum dram__bytes_read.sum"
  for stall in barrier long_scoreboard short_scoreboard math_pipe_throttle mio_throttle wait gmma not_selected; do
    metrics="$metrics smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio"
  done
  for version in 2 3 4 5 6; do
    # shellcheck disable=SC2086
    V=$version count "$folder/lesson20" "attention_kernel$version" 2 $metrics
  done
  SIZE=200
  sanitize "$folder/lesson20"
  (sh $here/measured/decode.sh "$folder")
fi
sh $here/measured/backward.sh "$folder" "$part"
