#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind `~`, what its text says of them, made from h200.txt (which record.sh
# printed on that machine) and tuning/h200.txt (tuning/tune.sh). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  FNR == 1 { shape = list = "" }
  /^--- / { section = substr($0, 5); shape = "" }

  # tuning/h200.txt: a candidate in its orders.
  FILENAME ~ /tuning/ {
    if (/^--- sweep/) list = $3
    if (/^--- [0-9]/) shape = list " " $2 "x" substr($4, 1, length($4) - 1)
    name = substr($0, 1, 46)
    gsub(/ +/, " ", name)
    sub(/ $/, "", name)
    key = shape " " name
    if (!(key in best) && /[0-9]$/) best[key] = $NF
    count = split(substr($0, 47), word, " ")
    if (list == "LIST=1" && count == 6) order[key " " word[1]] = word[6]
    if (list == "LIST=2" && count == 7 && word[2] == 0) order[key " " word[1]] = word[7]
    next
  }

  # h200.txt: a table for each shape.
  /^[0-9]+ x [0-9]+$/ { shape = section " " $1 "x" $3 }
  /^(copy kernel|cudaMemcpy|cuBLAS|torch |transpose_kernel)/ && shape != "" {
    name = $1 ~ /^(copy|torch)$/ ? $1 " " $2 : $1
    percent[shape " " name] = $NF
    if ($1 == "copy" || $1 == "torch") ms[shape " " name] = $3; else ms[shape " " name] = $2
  }
  section ~ /^ncu/ && NF == 3 { counter[$1 " " $2] = $3 }

  function of(shape, name) { return percent["lesson08, SEED=1 " shape " " name] }
  function row(name, question) {
    printf "| %s |%s %s | %s | %s | %s |\n", name, question, of("16384x16384", name), of("4096x4097", name), of("10000x3000", name), of("1000003x7", name)
  }
  function dash(text) { return text == "" ? "-" : text }
  END {
    if (("lesson08, SEED=1 16384x16384 copy kernel") in percent) {
      printf "~ A copy of 16384 x 16384 takes %s ms.\n", ms["lesson08, SEED=1 16384x16384 copy kernel"]
      for (v = 1; v <= 11; v++) {
        name = "transpose_kernel" v
        printf "| %s | | %s | %s | %s | %s | %s |\n", name, ms["lesson08, SEED=1 16384x16384 " name], of("16384x16384", name), dash(of("4096x4097", name)), dash(of("10000x3000", name)), dash(of("1000003x7", name))
      }
      name = "cuBLAS"
      printf "| %s | | %s | %s | %s | %s | %s |\n", name, ms["lesson08, SEED=1 16384x16384 " name], of("16384x16384", name), of("4096x4097", name), of("10000x3000", name), of("1000003x7", name)
      torch = "PyTorch, in turns with version 10 "
      split("16384x16384 4096x4097 10000x3000 1000003x7", all, " ")
      for (s = 1; s <= 4; s++) {
        text = all[s]
        sub(/x/, " x ", text)
        printf "| %s | %s | %s |\n", text, percent[torch all[s] " torch copy_(x.t())"], percent[torch all[s] " transpose_kernel10"]
      }
      for (v = 1; v <= 11; v++) {
        k = "transpose_kernel" v " "
        groups = 8192 * 8192 / 32
        if (v == 9 || v == 10) continue # leave such a matrix to version 8
        printf "| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %.0f |\n", "transpose_kernel" v, counter[k "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / groups,
          counter[k "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] / groups, counter[k "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] / groups,
          counter[k "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"], counter[k "lts__throughput.avg.pct_of_peak_sustained_elapsed"],
          counter[k "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"]
      }
      large = "lesson08, SEED=1 16384x16384 transpose_kernel"
      printf "~ Version 2 is %.1f times as fast as version 1\n", ms[large 1] / ms[large 2]
      printf "~ Padding makes version 4 %.1f times as fast as version 3, not 32 times\n", ms[large 3] / ms[large 4]
      printf "~ version 6 is %.1f times as fast as version 5\n", ms[large 5] / ms[large 6]
      printf "~ With one wavefront version 8 comes to %s %% of the copy, with two to %s %%\n", percent["short_rows, V=8 16384x16384 transpose_kernel8"], of("16384x16384", "transpose_kernel8")
      printf "~ In a second run, with another seed, version 8 comes to %s %%\n", percent["lesson08, SEED=2 16384x16384 transpose_kernel8"]
      printf "~ In place it is %s %%\n", of("16384x16384", "transpose_kernel11")
      printf "~ with `L2::256B` version 8 comes to %s %% at 16384 x 16384 and to %s %% at 10000 x 3000\n", percent["fetch_256, V=8 16384x16384 transpose_kernel8"], percent["fetch_256, V=8 10000x3000 transpose_kernel8"]
    }

    first = "LIST=1 16384x16384 tile 64x64 t512 L4 S4 pad ld0 st0 m4 "
    second = "LIST=2 16384x16384 word 64x64 t512 L4 S4 align0 ld0 "
    printf "| strips of one row of tiles: version 7 | %s |\n", order[first "1"]
    split("4 16 64", rows, " ")
    for (k = 1; k <= 3; k++) printf "| strips of %s rows of tiles | %s |\n", rows[k], order[first rows[k]]
    printf "| columns of tiles: version 8 | %s |\n", order[second "-1"]
    split("2 4 16", columns, " ")
    for (k = 1; k <= 3; k++) printf "| strips of %s columns of tiles | %s |\n", columns[k], order[second "-" columns[k]]
    split("16384x16384 16400x16400 10000x3000", all, " ")
    for (s = 1; s <= 3; s++) {
      text = all[s]
      sub(/x/, " x ", text)
      printf "| %s | %s | %s |\n", text, order["LIST=2 " all[s] " word 64x64 t512 L4 S4 align0 ld0 -1"], order["LIST=2 " all[s] " word 64x64 t512 L4 S4 align0 ld2 -1"]
    }
    split("4097x4096 15007x15013", all, " ")
    for (s = 1; s <= 2; s++) {
      text = all[s]
      sub(/x/, " x ", text)
      printf "| %s | %s | %s |\n", text, order["LIST=2 " all[s] " word 64x32 t256 L1 S1 align0 ld0 -1"], order["LIST=2 " all[s] " word 64x32 t256 L1 S1 align8 ld0 -1"]
    }
    printf "~ the best of its kind came to %s %% of the copy\n", best["LIST=1 16384x16384 regs 64x64 t256 q8 ld0 st0 m1"]
    printf "~ where the tile of 64 x 64 came to %s %%\n", order[first "256"]
    printf "~ with float4 on all sides it came to %s %% in the tuning\n", best["LIST=2 16384x16384 pair 64x64 t512 ld0 st0 m1"]
    few = "LIST=2 1000003x7 "
    printf "~ whole rows in shared memory came to %s %% of the copy, and a thread for each row to %s %%\n", best[few "tall 960 rows t512 S1 ld0 st0"], best[few "rows of 7, 1 for a thread, t512"]
    printf "~ With 8 columns these were %s %% and %s %%\n", best["LIST=2 1000000x8 tall 512 rows t128 S1 ld0 st0"], best["LIST=2 1000000x8 rows of 8, 1 for a thread, t256"]
  }' tuning/h200.txt $([ ! -f h200.txt ] || echo h200.txt)
