#!/bin/sh
# record.sh OUTPUT [WHAT...]: counts with ncu on this machine's GPU what patterns.cu, textures.cu, idioms.cu and the lessons do, and writes
# OUTPUT/patterns.csv, textures.csv, idioms.csv and lessons.csv. Those in this folder are from an H200 (CUDA 13.0, driver 580, ncu 2025.3.1).
#
# WHAT is patterns, patterns:N (from launch number N on: ncu needs two minutes for all of them), textures, tensor (on compute capability 9.0),
# idioms or lessons; all but tensor by default.
# Programs are built with nvcc unless BUILD names a folder that has them already.
set -eu
cd "$(dirname "$0")/../../.."
output=$1
shift
[ $# -gt 0 ] || set -- patterns textures idioms lessons
build=${BUILD:-build/counters}
architecture=${ARCHITECTURE:-90}
mkdir -p "$build" "$output"

build_one() { # SOURCE NAME
  [ -x "$build/$2" ] || nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. \
    -gencode "arch=compute_$architecture,code=[compute_$architecture,sm_$architecture]" "$1" -o "$build/$2" -ldl -lpthread
}
for name in patterns textures idioms; do build_one "emulator/tests/counters/$name.cu" "$name" & done
[ "$architecture" != 90 ] || (architecture=90a && build_one emulator/tests/counters/tensor.cu tensor) &
for source in lessons/lesson*/lesson*.cu; do build_one "$source" "$(basename "$source" .cu)" & done
wait

metrics=''
add() { for metric; do metrics="$metrics${metrics:+,}$metric"; done; }
for kind in ld st atom red; do
  add l1tex__t_requests_pipe_lsu_mem_global_op_$kind.sum l1tex__t_sectors_pipe_lsu_mem_global_op_$kind.sum
done
for kind in ld st atom; do
  add l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$kind.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$kind.sum
done
add smsp__inst_executed_op_ldgsts.sum
pattern_metrics=$metrics
for kind in ld st; do
  add l1tex__t_requests_pipe_lsu_mem_local_op_$kind.sum l1tex__t_sectors_pipe_lsu_mem_local_op_$kind.sum
done
add smsp__inst_executed_op_shared_ld_pred_on_any.sum smsp__inst_executed_op_shared_st_pred_on_any.sum \
  smsp__inst_executed_op_shared_atom_pred_on_any.sum smsp__inst_executed_op_ldsm_pred_on_any.sum \
  smsp__inst_executed_op_texture.sum smsp__inst_executed_op_surface_ld.sum smsp__inst_executed_op_surface_st.sum \
  smsp__inst_executed.sum smsp__thread_inst_executed.sum smsp__thread_inst_executed_pred_on.sum \
  smsp__inst_executed_op_branch.sum smsp__sass_branch_targets_threads_divergent.sum
# What ncu counts by instruction: the hardware's own counters of these things vary from run to run in some kernels.
add smsp__sass_inst_executed_op_ldgsts.sum smsp__sass_inst_executed_op_shared_ld.sum smsp__sass_inst_executed_op_shared_st.sum \
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
texture_metrics=l1tex__t_requests_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture.sum
for kind in ld st; do
  texture_metrics=$texture_metrics,l1tex__t_requests_pipe_tex_mem_surface_op_$kind.sum
  texture_metrics=$texture_metrics,l1tex__t_sectors_pipe_tex_mem_surface_op_$kind.sum
done
metrics=$metrics,$texture_metrics
launch_metrics=launch__registers_per_thread,launch__occupancy_limit_blocks,launch__occupancy_limit_registers
launch_metrics=$launch_metrics,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps
launch_metrics=$launch_metrics,launch__waves_per_multiprocessor,sm__maximum_warps_per_active_cycle_pct

# ncu's table of everything to one of some columns; the first is the launch's name, from the lines of file NAMES or the kernel's.
compact() { # METRICS NAMES PREFIX
  awk -F'","' -v metrics="$1" -v names="$2" -v prefix="$3" '
    BEGIN { n = split(metrics, wanted, ","); while ((getline line < names) > 0) name[count++] = line }
    /^"ID",/ { for (i = 1; i <= NF; i++) column[$i] = i; head = 1; next }
    head && /^"[0-9]/ {
      id = $1; gsub(/"/, "", id)
      line = prefix "\"" (count ? name[id] : $column["Kernel Name"]) "\",\"" $column["Grid Size"] "\",\"" $column["Block Size"] "\""
      for (i = 1; i <= n; i++) { value = $column[wanted[i]]; gsub(/[",]/, "", value); line = line "," value }
      print line
    }'
}
header() { echo "name,grid,block,$1"; }
count() { # METRICS OPTIONS... PROGRAM [ARGUMENTS]
  wanted=$1
  shift
  ncu --clock-control none --cache-control none --csv --page raw --metrics "$wanted" "$@"
}

for what; do
  case $what in
  patterns*)
    first=${what#patterns}
    "$build/patterns" ${first#:} >"$build/patterns.names"
    header "$pattern_metrics" >"$output/patterns.csv"
    count "$pattern_metrics" "$build/patterns" ${first#:} >"$build/patterns.raw"
    compact "$pattern_metrics" "$build/patterns.names" '' <"$build/patterns.raw" >>"$output/patterns.csv"
    ;;
  textures)
    "$build/textures" >"$build/textures.names"
    header "$texture_metrics" >"$output/textures.csv"
    count "$texture_metrics" "$build/textures" >"$build/textures.raw"
    compact "$texture_metrics" "$build/textures.names" '' <"$build/textures.raw" >>"$output/textures.csv"
    ;;
  tensor)
    tensor_metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum
    for kind in ld st; do
      tensor_metrics=$tensor_metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$kind.sum
      tensor_metrics=$tensor_metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$kind.sum
    done
    "$build/tensor" >"$build/tensor.names"
    header "$tensor_metrics" >"$output/tensor.csv"
    count "$tensor_metrics" "$build/tensor" >"$build/tensor.raw"
    compact "$tensor_metrics" "$build/tensor.names" '' <"$build/tensor.raw" >>"$output/tensor.csv"
    ;;
  idioms)
    "$build/idioms" >"$build/idioms.names"
    header "$metrics,$launch_metrics" >"$output/idioms.csv"
    count "$metrics" --section LaunchStats --section Occupancy "$build/idioms" >"$build/idioms.raw"
    compact "$metrics,$launch_metrics" "$build/idioms.names" '' <"$build/idioms.raw" >>"$output/idioms.csv"
    ;;
  lessons)
    header "$metrics,$launch_metrics" >"$output/lessons.csv"
    for lesson in "$build"/lesson??; do # of each kernel (also of a template: by its whole name) the first launch and the fourth
      number=${lesson##*lesson}
      SIZE=$(sh tests/lessons/sizes.sh "$number" counted) count "$metrics" --section LaunchStats --section Occupancy \
        --kernel-name-base demangled --kernel-id ':::1|4' "$lesson" >"$lesson.raw"
      compact "$metrics,$launch_metrics" /dev/null "\"$(basename "$lesson")\"," <"$lesson.raw" >>"$output/lessons.csv"
    done
    sed -i -E -e 's/^name,/lesson,name,/' -e '/^"lesson[0-9]*","(void )?(cub::|scan::|select::|cublas|cutlass::|transpose_readWrite|sm[0-9]+_xmma)/d' "$output/lessons.csv" # not ours
    ;;
  esac
  date "+$what %T" >&2
done
