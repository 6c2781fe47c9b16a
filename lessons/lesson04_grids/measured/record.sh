#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson04_grids/measured/record.sh build FOLDER
# Both in the root of the workbook. With the word layouts behind FOLDER it prints layouts.txt instead of h200.txt.
set -u
. tools/authoring/measured.sh
here=lessons/lesson04_grids
blocks='256x1 64x4 16x16 8x32' # the shape of a block in versions 2 to 6, instead of 32 x 8
rows='2 4 16'                  # pixels of a thread in version 6, instead of 8

if [ "$1" = build ]; then
  mkdir -p "$2"
  build "$2" lesson04 $here/lesson04.cu &
  build "$2" patterns $here/measured/patterns.cu &
  build "$2" layouts $here/measured/layouts.cu &
  for shape in $blocks; do
    build "$2" "block$shape" $here/lesson04.cu "s/BLOCK_X = 32, BLOCK_Y = 8/BLOCK_X = ${shape%x*}, BLOCK_Y = ${shape#*x}/" &
  done
  for number in $rows; do build "$2" "rows$number" $here/lesson04.cu "s/ROWS = 8 /ROWS = $number /" & done
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
if [ "${2:-}" = layouts ]; then
  for seed in 1 2; do
    section "layouts, SEED=$seed"
    SEED=$seed timeout 30 ./layouts
  done
  section "ncu, layouts: the first launch of each kernel"
  timeout 60 ncu --clock-control none --print-units base --kernel-name 'regex:blur_kernel|planes_kernel' --kernel-id ':::1' --csv \
    --page raw --metrics gpu__time_duration.sum,smsp__inst_executed.sum,lts__t_sectors_srcunit_tex_op_read.sum ./layouts | grep '^"'
  for size in 5120 5119; do
    section "ncu, version 3, SIZE=$size"
    SIZE=$size V=3 count ./lesson04 blur_kernel3 1 gpu__time_duration.sum l1tex__t_sector_hit_rate.pct \
      l1tex__data_pipe_lsu_wavefronts.sum lts__t_sectors_srcunit_tex_op_read.sum
  done
  exit
fi
for seed in 1 2; do
  section "lesson04, SEED=$seed"
  SEED=$seed timeout 60 ./lesson04
done
section "lesson04, SIZE=5119: rows that are not aligned"
SIZE=5119 timeout 60 ./lesson04
section "lesson04, SIZE=1920"
SIZE=1920 timeout 60 ./lesson04
section patterns
timeout 60 ./patterns
for shape in $blocks; do
  section "block$shape"
  for version in 2 6; do SIZE=5120 V=$version timeout 60 "./block$shape" | grep _kernel; done
done
for number in $rows; do
  section "rows$number"
  SIZE=5120 V=6 timeout 60 "./rows$number" | grep _kernel
done
section "ncu, SIZE=5120"
SIZE=5120 count ./lesson04 blur_kernel 6 gpu__time_duration.sum \
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
  l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum \
  lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum dram__bytes_read.sum dram__bytes_write.sum \
  l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed lts__throughput.avg.pct_of_peak_sustained_elapsed \
  gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed smsp__inst_executed.sum smsp__issue_active.avg.pct_of_peak_sustained_elapsed \
  launch__registers_per_thread
section "ncu, patterns: the first launch of each kernel"
timeout 90 ncu --clock-control none --print-units base --kernel-name 'regex:weigh|move' --kernel-id ':::1' --csv --page raw \
  --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum ./patterns | grep '^"'
SIZE=257 sanitize ./lesson04
