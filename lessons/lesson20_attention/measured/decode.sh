#!/bin/sh
# decode.sh FOLDER: what lesson 20's decode keeps busy on the GPU of this machine; how long it takes the program says. record.sh calls it in the root of
# the workbook. First build:
#     sh lessons/lesson20_attention/measured/decode.sh build FOLDER
# It takes about half a minute. For other chunks, and other numbers of blocks at a time, each alone, so compare with the copy only:
#     sh lessons/lesson20_attention/measured/decode.sh build_tune FOLDER
#     sh lessons/lesson20_attention/measured/decode.sh FOLDER tune
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a \
    $here/measured/parts.cu -o "$2/parts" -ldl -lpthread
  exit
fi

# Variants: a name, and what sed makes of decode.h.
variants() {
  cat <<'END'
rounds4 s/ROUNDS = 8/ROUNDS = 4/
rounds16 s/ROUNDS = 8/ROUNDS = 16/
rounds32 s/ROUNDS = 8/ROUNDS = 32/
blocks2 s/(DECODE_THREADS, 3)/(DECODE_THREADS, 2)/
blocks4 s/(DECODE_THREADS, 3)/(DECODE_THREADS, 4)/
END
}

if [ "$1" = build_tune ]; then
  variants | {
    while read -r name script; do
      own=$2/$name/$here
      mkdir -p "$own"
      sed "$script" $here/decode.h >"$own/decode.h"
      ! cmp -s "$own/decode.h" $here/decode.h || { echo "decode.sh: $name changes nothing" >&2 && exit 1; }
      nvcc -O3 -lineinfo -std=c++17 -cudart shared -I"$2/$name" -I. -gencode arch=compute_80,code=compute_80 \
        -gencode arch=compute_90a,code=sm_90a -Xptxas -v $here/measured/parts.cu -o "$2/parts_$name" -ldl -lpthread 2>"$2/$name/ptxas.txt" &
    done
    wait
  }
  exit
fi

cd "$1" || exit 1
if [ "${2:-}" = tune ]; then
  for name in $(variants | cut -d ' ' -f 1); do
    section "decode, $name"
    grep -A2 'entry function.*decode_kernel3' "$name/ptxas.txt" | grep -E 'spill|Used'
    timeout 120 "./parts_$name" decode
  done
  exit
fi

# With a SIZE all launches before the table's are of few keys: the largest of each kernel is the one to look at.
export SIZE=16384
section "ncu, decode, SIZE=$SIZE"
metrics='gpu__time_duration.sum launch__grid_size launch__registers_per_thread dram__bytes_read.sum dram__throughput.avg.pct_of_peak_sustained_elapsed'
metrics="$metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum lts__t_sectors_op_read.sum"
metrics="$metrics smsp__inst_executed.sum sm__warps_active.avg.pct_of_peak_sustained_active smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
printf '#!/bin/sh\nexec ./parts decode\n' >only_decode
chmod +x only_decode
# shellcheck disable=SC2086
count ./only_decode 'decode_(kernel|combine)' 12 $metrics
