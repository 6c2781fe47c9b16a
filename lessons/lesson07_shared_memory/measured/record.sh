#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson07_shared_memory/measured/record.sh build FOLDER
# Both in the root of the workbook.
set -u
. tools/authoring/measured.sh
here=lessons/lesson07_shared_memory

half='s/1 << 26/1 << 25/' # for the variants: half the elements, which are still four times the L2 cache
kernel1='/^static __global__ void stencil_kernel1/,/^}/'
one_comparison="$kernel1 s/0 <= j \&\& j < n ? x/(unsigned)j < (unsigned)n ? x/"
no_comparison="$kernel1 s/^        float sum = 0.0f;/        if (RADIUS <= i \&\& i + RADIUS < n) {\n            float s = 0.0f;\n#pragma unroll\n\
            for (int k = 0; k <= 2 * RADIUS; k++) {\n                s += f.weight[k] * x[i - RADIUS + k];\n            }\n\
            y[i] = s;\n            return;\n        }\n&/"
radii='4 8 32 64'
outputs='5 7 8 9 11 13 15'
bounds='s/void stencil_kernel6/void __launch_bounds__(BLOCK, 8) stencil_kernel6/'

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson07 $here/lesson07.cu &
  build "$2" missing_barrier $here/missing_barrier.cu &
  build "$2" one_comparison $here/lesson07.cu "$half; $one_comparison" &
  build "$2" no_comparison $here/lesson07.cu "$half; $no_comparison" &
  for radius in $radii; do build "$2" "radius$radius" $here/lesson07.cu "$half; s/ RADIUS = 16 / RADIUS = $radius /" & done
  for number in $outputs; do build "$2" "outputs$number" $here/lesson07.cu "$half; s/ OUTPUTS = [0-9]* / OUTPUTS = $number /" & done
  for number in $outputs; do build "$2" "bounded$number" $here/lesson07.cu "$half; $bounds; s/ OUTPUTS = [0-9]* / OUTPUTS = $number /" & done
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
for seed in 1 2; do
  section "lesson07, SEED=$seed"
  SEED=$seed timeout 20 ./lesson07
done
for radius in $radii; do
  section "radius$radius"
  timeout 20 "./radius$radius"
done
for variant in one_comparison no_comparison; do
  section "$variant, V=1"
  V=1 timeout 20 "./$variant"
done
for number in $outputs; do
  section "outputs$number, V=6"
  V=6 timeout 20 "./outputs$number"
done
section "version 6 without __launch_bounds__ (plain) and with: outputs, which, ms, % of copy"
for which in plain 8; do
  for number in 7 9 11 13 15; do
    case $which in plain) program=outputs$number ;; *) program=bounded$number ;; esac
    echo "$number $which $(V=6 timeout 20 "./$program" | awk '/kernel6/ { print $2, $5 }')"
  done
done
metrics=gpu__time_duration.sum
metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sector_hit_rate.pct,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
metrics=$metrics,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed,sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__warps_active.avg.pct_of_peak_sustained_active
section "ncu, SIZE=16777216"
SIZE=16777216 timeout 60 ncu --clock-control none --kernel-name 'regex:stencil' --launch-count 7 --csv --page raw --metrics "$metrics" \
  ./lesson07 | grep '^"'
stalls=''
for reason in long_scoreboard short_scoreboard barrier mio_throttle lg_throttle math_pipe_throttle not_selected; do
  stalls=$stalls${stalls:+,}smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
section "ncu, SIZE=16777216: what warps wait for"
SIZE=16777216 timeout 60 ncu --clock-control none --kernel-name 'regex:stencil' --launch-count 7 --csv --page raw --metrics "$stalls" \
  ./lesson07 | grep '^"'
SIZE=1025 sanitize ./lesson07
section "compute-sanitizer --tool racecheck, missing_barrier"
timeout 20 compute-sanitizer --tool racecheck ./missing_barrier 2>&1
section "missing_barrier, ten times"
for run in 1 2 3 4 5 6 7 8 9 10; do timeout 20 ./missing_barrier; done
