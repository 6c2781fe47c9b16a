#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, and words of its text behind "~", made from h200.txt (which record.sh printed on that
# machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^copy kernel/ && section ~ /SEED=1/ { copy = $3 }
  /^fp32 peak/ { peak = $3; multiprocessors = $6; clock = $(NF - 1) * 1e9 }

  # A row of the program: version, ms, shortest, .., longest, TFLOP/s, % of peak, % of cuBLAS.
  NF == 8 && $4 == ".." {
    if (section ~ /SEED=1/) { ms[$1] = $2; speed[$1] = $6; printf "| %s | | %s | %s | %s |\n", $1, $2, $6, $8 }
    else if (section ~ /SIZE=409[57]/) { match(section, /SIZE=/); ragged[substr(section, RSTART + 5), $1] = $2 }
    else if (section ~ /blocks/ && $1 != "cuBLAS") { match(section, /[0-9]/); forced[substr(section, RSTART, 1)] = $2 }
    else if (section ~ /turned|padded/ && $1 != "cuBLAS") { bank[section ~ /turned/ ? "turned" : "padded"] = $2 }
  }
  section ~ /ncu/ && NF == 3 { if (!($1 in seen)) name[++count] = $1; seen[$1] = 1; value[$1, $2] = $3 }

  function of(v, metric) { return value[name[v], metric] }
  END {
    fma = 4096 * 4096 * 4096
    print ""
    for (v = 1; v <= 5; v++) {
      bytes = 32 * of(v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / fma
      roof = copy / 1000 * 2 / bytes
      printf "| %s | %.2f | %.3g | %.3g | %s |\n", name[v], bytes, 2 / bytes, roof < peak ? roof : peak, speed[name[v]]
    }
    print ""
    for (v = 1; v <= count; v++) {
      wavefronts = of(v, "l1tex__data_pipe_lsu_wavefronts.sum")
      printf "| %s | %.2f | %.1f | %.1f | %.0f |\n", name[v], 32 * wavefronts / fma, 1000 * wavefronts / multiprocessors / clock,
        of(v, "gpu__time_duration.sum") / 1e6, of(v, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")
    }
    print ""
    for (v = 1; v <= count; v++) {
      printf "| %s | %.2f | %.0f | %.0f | %.1f | %.0f |\n", name[v], 32 * of(v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / fma,
        of(v, "l1tex__t_sector_hit_rate.pct"), of(v, "lts__t_sector_hit_rate.pct"), of(v, "dram__bytes_read.sum") / 1e9,
        of(v, "dram__bytes_read.sum") / of(v, "gpu__time_duration.sum")
    }
    print ""
    for (v = 3; v <= 5; v++) {
      blocks = of(v, "launch__occupancy_limit_warps")
      if (of(v, "launch__occupancy_limit_blocks") < blocks) blocks = of(v, "launch__occupancy_limit_blocks")
      if (of(v, "launch__occupancy_limit_registers") < blocks) blocks = of(v, "launch__occupancy_limit_registers")
      printf "| %s | %d | %.0f | %d | %.2f | %.1f | %s |\n", name[v], blocks, of(v, "sm__maximum_warps_per_active_cycle_pct"),
        of(v, "launch__registers_per_thread"), 32 * of(v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / fma,
        (of(v, "l1tex__data_pipe_lsu_wavefronts.sum") - of(v, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") - \
         of(v, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")) / of(v, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), ms[name[v]]
    }
    print ""
    printf "| 8 | 100 | %s |\n| 4 | 50 | %s |\n| 2 | 25 | %s |\n| 1 | 12.5 | %s |\n", ms["sgemm_kernel3<16>"], forced[4], forced[2], forced[1]
    printf "| cuBLAS: 1 block of 256 | %s | %s |\n", of(6, "sm__maximum_warps_per_active_cycle_pct"), ms["cuBLAS"]
    print ""
    printf "| 4096 | %s | %s | %s |\n", ms["sgemm_kernel2"], ms["sgemm_kernel3<32>"], ms["cuBLAS"]
    for (n = 4095; n <= 4097; n += 2) printf "| %d | %s | %s | %s |\n", n, ragged[n, "sgemm_kernel2"], ragged[n, "sgemm_kernel3<32>"], ragged[n, "cuBLAS"]
    printf "~ and the time is %.3f. cuBLAS loses more, %.0f and %.0f %%.\n", ragged[4097, "sgemm_kernel3<32>"] / ms["sgemm_kernel3<32>"],
      100 * ragged[4095, "cuBLAS"] / ms["cuBLAS"] - 100, 100 * ragged[4097, "cuBLAS"] / ms["cuBLAS"] - 100
    printf "~ from %.0f %% of cuBLAS towards all of it\n", 100 * ms["cuBLAS"] / ms["sgemm_kernel3<32>"]
    print ""
    printf "| `tile_B[k][x]`, as it is | %s |\n| `tile_B[x][k]` | %s |\n| `tile_B[x][k]`, rows of 33 floats | %s |\n", ms["sgemm_kernel3<32>"], bank["turned"], bank["padded"]
  }' h200.txt
