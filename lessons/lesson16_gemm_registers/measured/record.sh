#!/bin/sh
# record.sh FOLDER: runs the programs in FOLDER on the GPU of this machine and prints what the page's tables are made from. First build
# them there:
#     sh lessons/lesson16_gemm_registers/measured/record.sh build FOLDER
# Both in the root of the workbook. cuBLAS must be found: LD_LIBRARY_PATH=the toolkit's lib64. It takes three minutes.
set -u
. tools/authoring/measured.sh
here=lessons/lesson16_gemm_registers

# Version 9 with the copies asked for in another step, and with the two loads before it in the other order.
at() { echo "s/if (k == 1) {/if (k == $1) {/"; }
a_first='/load_pieces(b\[(k + 1) % 2\]/{N;s/\(.*\)\n\(.*\)/\2\n\1/;}'
# Guards without a branch: a copy of which nothing is read, and which is filled up with zeros.
zero_fill='/^static __device__ void copy\(4\|16\)_or_0/,/^}/{s/^    if (inside) {/    {/;s/sizeof(float4\{0,1\})/&, inside ? 0 : &/;/else/,/0.0f/d;}'

if [ "$1" = build ]; then
  ptx=80
  mkdir -p "$2"
  build "$2" lesson16 $here/lesson16.cu &
  build "$2" library $here/measured/library.cu &
  build "$2" a_first $here/lesson16.cu "$a_first" &
  for k in 0 3 6; do build "$2" "at$k" $here/lesson16.cu "$(at $k)" & done
  build "$2" a_first_at0 $here/lesson16.cu "$a_first; $(at 0)" &
  build "$2" zero_fill $here/lesson16.cu "$zero_fill" &
  wait
  exit
fi

cd "$1" || exit 1
describe_machine
nvidia-smi --query-gpu=power.limit --format=csv,noheader
for seed in 1 2; do
  section "lesson16, SEED=$seed"
  SEED=$seed timeout 60 ./lesson16
done
section "library: multiples of 1024, then of 1000"
timeout 150 ./library 1024 2048 3072 4096 5120 6144 7168 8192 1000 2000 3000 4000 5000 6000 7000 8000
for variant in lesson16 a_first at0 a_first_at0 at3 at6; do
  section "order $variant, SIZE=4096 V=9"
  SIZE=4096 V=9 timeout 40 "./$variant"
done
for variant in lesson16 zero_fill; do
  section "guards $variant, SIZE=4000 V=9"
  SIZE=4000 V=9 timeout 40 "./$variant"
done
# The first launch of each kernel has alpha = 1 and beta = 0, as what is timed has.
section "ncu, SIZE=4096"
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,sm__sass_thread_inst_executed_op_ffma_pred_on.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,lts__t_sectors.sum,dram__bytes_read.sum
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active,launch__registers_per_thread
metrics=$metrics,sm__warps_active.avg.per_cycle_active,sm__cycles_elapsed.avg.per_second
for stall in barrier dispatch_stall long_scoreboard short_scoreboard math_pipe_throttle mio_throttle not_selected wait lg_throttle; do
  metrics=$metrics,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done
SIZE=4096 timeout 100 ncu --clock-control none --kernel-name 'regex:sgemm_kernel|xmma' --kernel-id ':::1' --csv --page raw \
  --metrics "$metrics" ./lesson16 | awk -F'","' -v metrics="$metrics" '
    !/^"/ { next }
    { gsub(/^"|"$/, "") }
    $1 == "ID" { # the other columns describe the machine; a row of units follows
      n = split(metrics, wanted, ",")
      for (i = 1; i <= NF; i++) column[$i] = i
      printf "\"Kernel Name\""
      for (i = 1; i <= n; i++) printf ",\"%s\"", wanted[i]
      printf "\n"
    }
    $column["Kernel Name"] ~ /gemm/ {
      printf "\"%s\"", $column["Kernel Name"]
      for (i = 1; i <= n; i++) { value = $column[wanted[i]]; gsub(/,/, "", value); printf ",\"%s\"", value }
      printf "\n"
    }'
# The two verifications of each version; not the many launches that are timed.
for size in 260 256; do
  export SIZE=$size
  sanitize ./lesson16 --kernel-regex kns=sgemm_kernel --launch-count 18
done
