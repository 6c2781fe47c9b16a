# Sourced by what records counters with ncu: which metrics, and ncu's output as rows.

metrics=''
add() { for metric; do metrics="$metrics${metrics:+,}$metric"; done; }
for kind in ld st atom red; do
  add l1tex__t_requests_pipe_lsu_mem_global_op_$kind.sum l1tex__t_sectors_pipe_lsu_mem_global_op_$kind.sum
done
for kind in ld st atom; do
  add l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$kind.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$kind.sum
done
add smsp__inst_executed_op_ldgsts.sum
# shellcheck disable=SC2034 # for record.sh
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
