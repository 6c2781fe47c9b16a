#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and words of its text ("~ "), made from h200.txt (which record.sh printed on that
# machine) and from tuning/h200.txt (the sweep). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  { file = FILENAME ~ /tuning/ ? 2 : 1 }
  /^--- / { section = $0; next }
  /^n = / { n = $3 + 0 }

  # Times: ms, shortest .. longest, GB/s, percent of the copy kernel, times CUB.
  file == 1 && ($1 ~ /^scan_kernel[0-9]+$/ || $1 == "CUB") && NF == 8 {
    split(section, word, /[ ,]+/)
    program = word[2]; seed = section ~ /SEED=2/ ? 2 : 1
    key = program == "ints" ? "int" : program == "lesson11" ? "float" : program
    if ($1 != "CUB" || !((key, seed, n, "CUB") in ms)) { ms[key, seed, n, $1] = $2; gb[key, seed, n, $1] = $6; copy[key, seed, n, $1] = $7; times[key, seed, n, $1] = $8 }
    if (program == "lesson11" && seed == 1 && !($1 in seen)) { seen[$1] = 1; order[++count] = $1 }
  }
  file == 1 && section ~ /lesson11, SEED=1/ && $1 ~ /^scan_kernel|^CUB/ && NF == 2 { error[n, $1] = $2 }
  file == 1 && section ~ /lesson11, SEED=1/ && /times the same scan/ { runs = $2; different[$1] = $7 }
  file == 1 && section ~ /PyTorch/ && /^(float32|int32), n/ { type = $1; sub(/,/, "", type); size = $4 }
  file == 1 && section ~ /PyTorch/ && $1 ~ /cumsum|scan_kernel/ { torch[type size $1] = $2; torch_copy[type size $1] = $6 }
  file == 1 && section ~ /ncu/ && NF == 3 && ($1, $2) in metric == 0 { metric[$1, $2] = $3; if (!($1 in known)) { known[$1] = 1; kernel[++kernels] = $1 } }

  # The sweep: family, threads, rows, window, stages, flags, blocks, registers, ms, GB/s, percent of the copy.
  file == 2 && /^the best, in turns/ { n = 0 }
  file == 2 && section ~ /sweep float/ && n == 268435456 && $1 ~ /^(one_tile|in_registers|in_shared)$/ {
    key = $1 " " $2 " " $3 " " $4 " " $5 " " $6
    if (!(key in best) || $10 > best[key]) { best[key] = $10; percent[key] = $11 }
  }
  function swept(key) { return sprintf("%.0f | %.1f", best[key], percent[key]) }

  END {
    big = 268435456; small = 16789561
    for (k = 1; k <= count; k++)
      printf "| %s | | %.4f | %.0f | %.1f | %.2f |\n", order[k], ms["float", 1, big, order[k]], gb["float", 1, big, order[k]], copy["float", 1, big, order[k]], times["float", 1, big, order[k]]
    split("float int", types, " ")
    for (t = 1; t <= 2; t++) for (seed = 1; seed <= 2; seed++) {
      row = "| " types[t] ", SEED=" seed
      for (s = 0; s < 2; s++) for (v = 9; v <= 10; v++) row = row sprintf(" | %.2f", times[types[t], seed, s ? small : big, "scan_kernel" v])
      print row " |"
    }
    for (t = 1; t <= 2; t++) for (s = 0; s < 2; s++) {
      type = t == 1 ? "float32" : "int32"; size = s ? small : big
      if (!((type size "scan_kernel10") in torch)) continue
      printf "| %s, n = %d | %.4f | %.4f | %.4f | %.2f |\n", types[t], size, torch[type size "torch.cumsum"], torch[type size "scan_kernel9"], torch[type size "scan_kernel10"],
        torch[type size "torch.cumsum"] / torch[type size "scan_kernel9"]
    }
    for (k = 1; k <= count; k++) printf "| %s | %.2f | %s |\n", order[k], error[big, order[k]], (order[k] in different) ? different[order[k]] " of " runs : ""
    others = split("as_it_is stages1 stages3 by_number block1024", other, " ")
    split("nothing|`STAGES = 1`|`STAGES = 3`|tiles in turns, no tickets|`BLOCK = 1024`, `ROWS = 4`", label, "|")
    mid = 67108864
    for (k = 1; k <= others; k++)
      printf "| %s | %.4f | %.1f |\n", label[k], ms[other[k], 1, mid, "scan_kernel9"], copy[other[k], 1, mid, "scan_kernel9"]
    split("32 128 256", window, " ")
    for (k = 1; k <= 3; k++) {
      r = window[k] / 32
      printf "| %d | %s | %s | %s |\n", window[k], swept("one_tile 256 4 " r " 0 1"), swept("one_tile 512 4 " r " 0 1"), swept("one_tile 512 8 " r " 0 1")
    }
    printf "| a block for each tile | %s |\n", swept("one_tile 512 8 8 0 1")
    printf "| the same without waiting (wrong) | %s |\n", swept("one_tile 512 8 8 0 256")
    printf "| blocks that stay, the next tile in registers | %s |\n", swept("in_registers 512 8 8 0 1")
    printf "| in shared memory, by `cp.async` | %s |\n", swept("in_shared 512 8 8 2 1")
    printf "| in shared memory, by bulk copies | %s |\n", swept("in_shared 512 8 8 2 33")
    printf "| `cp.async`, stored one tile later | %s |\n", swept("in_shared 512 8 8 2 65")
    printf "| bulk copies, stored one tile later | %s |\n", swept("in_shared 512 8 8 2 97")
    printf "| the same in rounds, without look-back | %s |\n", swept("in_shared 512 8 0 2 96")
    printf "| bulk copies without waiting (wrong) | %s |\n", swept("in_shared 512 8 8 3 288")
    for (k = 1; k <= kernels; k++) {
      name = kernel[k]
      if (name !~ /^(scan_kernel|tile_sums|sums_kernel|add_kernel)/) continue
      printf "| %s | %.1f | %.0f | %.1f | %.0f | %.0f |\n", name, metric[name, "gpu__time_duration.sum"] / 1000,
        (metric[name, "dram__bytes_read.sum"] + metric[name, "dram__bytes_write.sum"]) / 1e6,
        metric[name, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"],
        metric[name, "smsp__issue_active.avg.pct_of_peak_sustained_active"], metric[name, "launch__registers_per_thread"]
    }
    printf "~ %.0f ns for each tile\n", ms["float", 1, big, "scan_kernel6"] / 16384 * 1e6
    printf "~ version 9 is %.2f times as fast as CUB with floats and %.2f times with ints\n", times["float", 1, big, "scan_kernel9"], times["int", 1, big, "scan_kernel9"]
    printf "~ and is %.2f and %.2f times as fast\n", times["float", 1, big, "scan_kernel10"], times["int", 1, big, "scan_kernel10"]
  }' h200.txt tuning/h200.txt
