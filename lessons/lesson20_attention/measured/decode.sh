#!/bin/sh
# decode.sh FOLDER: what lesson 20's decode keeps busy on the GPU of this machine; how long it takes the program says. record.sh calls it in the root of
# the workbook. First build:
#     sh lessons/lesson20_attention/measured/decode.sh build FOLDER
# It takes about half a minute.
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention

if [ "$1" = build ]; then
  mkdir -p "$2"
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a \
    $here/measured/parts.cu -o "$2/parts" -ldl -lpthread
  exit
fi

cd "$1" || exit 1

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
