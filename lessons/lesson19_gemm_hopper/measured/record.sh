#!/bin/sh
# record.sh FOLDER [times|shapes|library|counts]: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from,
# to be kept as h200.txt; `all`, or nothing, does all parts. First build them there:
#     CUTLASS=.../cutlass_library/source sh lessons/lesson19_gemm_hopper/measured/record.sh build FOLDER
# Both in the root of the workbook. CUTLASS names the headers in NVIDIA's wheel nvidia-cutlass 4.2.0 (`pip download --no-deps nvidia-cutlass==4.2.0.0`,
# `unzip`); without it the row of CUTLASS is left out. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. Before it, tuning/tune.sh looks whether
# other sizes are better, and prints tuning/h200.txt.
set -u
. tools/authoring/measured.sh
here=lessons/lesson19_gemm_hopper

if [ "$1" = build ]; then
  ptx=90a code=90a
  mkdir -p "$2"
  more="-Xptxas -v" build "$2" lesson19 $here/lesson19.cu 2>"$2/ptxas.txt" &
  build "$2" shapes $here/measured/shapes.cu &
  if [ -n "${CUTLASS:-}" ]; then
    more="-DNDEBUG --expt-relaxed-constexpr -I$CUTLASS/include -I$CUTLASS/tools/util/include" build "$2" library $here/measured/library.cu &
  fi
  wait
  exit
fi

cd "$1" || exit 1
part=${2:-all}
wanted() { [ "$part" = all ] || [ "$part" = "$1" ]; }
describe_machine
nvidia-smi --query-gpu=power.limit --format=csv,noheader

if wanted times; then
  section "ptxas for sm_90a: registers and spills"
  grep -A3 'entry function.*hopper_kernel' ptxas.txt
  for size in 4096 8192; do
    for seed in 1 2; do
      section "lesson19, SIZE=$size SEED=$seed"
      SIZE=$size SEED=$seed timeout 120 ./lesson19
    done
  done
fi
if wanted shapes; then
  section "shapes"
  timeout 180 ./shapes
fi
if wanted library && [ -x ./library ]; then
  for size in 4096 8192; do
    section "library, SIZE=$size"
    timeout 60 ./library $size
  done
fi

# The first launch of each version is a product of 4096 x 4096.
if wanted counts; then
  section "ncu, SIZE=4096"
  export SIZE=4096
  metrics='gpu__time_duration.sum sm__cycles_elapsed.avg.per_second smsp__inst_executed.sum'
  metrics="$metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active launch__registers_per_thread"
  metrics="$metrics sm__inst_executed_pipe_tensor.sum smsp__issue_active.avg.pct_of_peak_sustained_active"
  metrics="$metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum lts__t_sectors.sum lts__t_sector_hit_rate.pct dram__bytes_read.sum"
  for stall in barrier long_scoreboard gmma math_pipe_throttle wait; do
    metrics="$metrics smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio"
  done
  # shellcheck disable=SC2086
  count ./lesson19 hopper_kernel 8 $metrics
  # shellcheck disable=SC2086
  count ./lesson19 'nvjet|gemm_|cutlass' 1 $metrics
  SIZE=264
  sanitize ./lesson19 --kernel-regex kns=hopper_kernel --launch-count 18
fi
