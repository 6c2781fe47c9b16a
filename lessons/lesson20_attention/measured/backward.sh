#!/bin/sh
# backward.sh FOLDER [times|counts]: lesson 20's backward pass on the GPU of this machine: in turns with those behind PyTorch's attention, and what its
# kernels keep busy. record.sh calls it in the root of the workbook. First build:
#     sh lessons/lesson20_attention/measured/backward.sh build FOLDER
# PYTHON names a Python 3 with PyTorch (python3 otherwise); without it the race is left out. Each part takes about half a minute.
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention
python=${PYTHON:-python3}

if [ "$1" = build ]; then
  mkdir -p "$2"
  compile() {
    nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a \
      $here/measured/parts.cu "$@" -ldl -lpthread
  }
  compile -o "$2/parts" &
  compile -DLIBRARY --shared -Xcompiler -fPIC -o "$2/libparts.so" &
  wait
  exit
fi

folder=$(cd "$1" && pwd) part=${2:-all}
if [ "$part" != counts ]; then
  CUDA_RUNTIME=${CUDA_RUNTIME:-$(ldd "$folder/libparts.so" | sed -n 's/.*=> \(.*libcudart[^ ]*\).*/\1/p' | head -n 1)}
  export CUDA_RUNTIME
  race() { # SEED [SIZES]
    section "backward race, SEED=$1"
    "$python" -c 'import torch; print("torch", torch.__version__, "cuDNN", torch.backends.cudnn.version())' &&
      SEED=$1 SIZES=${2:-} PYTHONPATH=$PWD timeout 120 "$python" -X utf8 -B $here/measured/backward_race.py "$folder/libparts.so" 2>&1
  }
  race 1
  race 2 "1024 4096 16384"
fi

# With a SIZE each kernel runs three times for problems that do not fill the GPU, two of 2 heads and a tiny one. The fourth run is the table's first problem,
# 8 x 16 heads: that is the one to look at.
if [ "$part" != times ]; then
  export SIZE=2048
  section "ncu, backward, SIZE=$SIZE"
  metrics='gpu__time_duration.sum launch__grid_size sm__cycles_elapsed.avg.per_second smsp__inst_executed.sum sm__inst_executed_pipe_tensor.sum'
  metrics="$metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"
  metrics="$metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum dram__bytes_read.sum"
  metrics="$metrics launch__registers_per_thread"
  printf '#!/bin/sh\nexec "%s/parts" backward\n' "$folder" >"$folder/only_backward"
  chmod +x "$folder/only_backward"
  # shellcheck disable=SC2086
  count "$folder/only_backward" 'backward_(delta|kv|q)_kernel' 12 $metrics
fi
