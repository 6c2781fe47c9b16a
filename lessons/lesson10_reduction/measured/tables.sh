#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and words of its text ("~ "), made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  function number(text) { gsub(/,/, "", text); return text + 0 }

  /^--- / { section = $0; part = ""; next }
  /^n = / { n = $3; next }
  /^caches: / { part = $2 == "warm," ? "warm" : "times"; next }
  /^added up/ { part = "errors"; next }

  # Times of the first seed: 2^28 elements, then 2^20.
  section ~ /SEED=1/ && part == "times" && /^(CUB|sum_kernel[0-9]+) +[0-9]/ {
    if (n > 2 ^ 20) printf "| %s | | %.4f | %.0f | %.1f |\n", $1, $2, $6, $8
    else small[++smalls] = sprintf("| %s | | %.1f | %.1f |", $1, 1000 * $2, $8)
  }
  section ~ /SEED=1/ && part == "times" && n == 2 ^ 20 && /^\(empty kernel\)/ { small[++smalls] = sprintf("| (empty kernel) | | %.1f | - |", 1000 * $3) }
  section ~ /SEED=1/ && part == "warm" && /^(CUB|sum_kernel[0-9]+) +[0-9]/ { warm[++warms] = sprintf(" %.1f | %.1f |", 1000 * $2, $8) }
  section ~ /SEED=1/ && part == "warm" && /^\(empty kernel\)/ { warm[++warms] = sprintf(" %.1f | - |", 1000 * $3) }

  # The small array, as the text has it: how many times as fast as CUB, by the medians and by the best runs of two seeds.
  part ~ /times|warm/ && n == 2 ^ 20 && /^(CUB|sum_kernel11) +[0-9]/ && section ~ /lesson10, / {
    seed = section; sub(/.*SEED=/, "", seed); share[$1, part seed] = $8 / 100
    best[$1, part seed] = 1000 * $3; worst[$1, part seed] = 1000 * $5
  }

  # How far the sums of 2^28 numbers are off.
  section ~ /SEED=1/ && part == "errors" && n > 2 ^ 20 && /^as float, one by one/ { printf "| one by one | %s | %.2f |\n", $6, $7 }
  section ~ /SEED=1/ && part == "errors" && n > 2 ^ 20 && /^(CUB|sum_kernel[0-9]+) +[0-9.]+ +[0-9.]+$/ { printf "| %s | %s | %.2f |\n", $1, $2, $3 }
  section ~ /SEED=1/ && n > 2 ^ 20 && /times the same sum/ { printf "| %s | %s |\n", $1, $7 }

  # Variants of version 10: loads at once, blocks on a multiprocessor.
  section ~ /V=10/ && /^CUB +[0-9]+\.[0-9]+ +[0-9]/ && part == "times" { next }
  section ~ /V=10/ && part == "times" && /^sum_kernel10 / {
    split(section, name, /[ ,]+/)
    kind = name[2] ~ /^loads/ ? "loads" : "blocks"
    setting = name[2]; sub(/[a-z]+/, "", setting)
    rows[kind, ++count[kind]] = setting; cell[kind, setting] = sprintf("%.4f | %.1f", $2, $8)
  }
  section ~ /SEED=1/ && part == "times" && n > 2 ^ 20 && /^sum_kernel10 / {
    cell["loads", 8] = sprintf("%.4f | %.1f", $2, $8); rows["loads", ++count["loads"]] = 8
    cell["blocks", 4] = cell["loads", 8]; rows["blocks", ++count["blocks"]] = 4
  }

  # ncu.
  section ~ /the first launch/ && /^sum_kernel/ {
    split($0, value, "|"); split(value[1], name, "(")
    printf "| %s | %.1f | %.1f | %.1f | %.0f | %.0f |\n", name[1], number(value[8]) / 1e6, number(value[11]) / 1e6,
      number(value[12]) / 1e6, number(value[6]), number(value[5])
  }
  section ~ /why warps wait/ && /^sum_kernel/ {
    split($0, value, "|"); split(value[1], name, "(")
    barrier[name[1]] = value[3]; shared[name[1]] = value[5]
  }
  section ~ /CUB.s kernels/ && /Reduce|sum_kernel1/ {
    split($0, value, "|"); split(value[1], label, /[(<]/); sub(/^void /, "", label[1])
    brief[label[1]] = sprintf("| %s | %s | %.1f |", label[1], value[2] ~ /^\(1,/ ? 1 : substr(value[2], 2) + 0, number(value[3]) / 1000)
  }
  function range(part,   low, high, k, value) {
    low = 1000; high = 0
    for (k = 1; k <= 4; k++) {
      value = k <= 2 ? share["sum_kernel11", part k] : best["CUB", part (k - 2)] / best["sum_kernel11", part (k - 2)]
      if (value < low) low = value
      if (value > high) high = value
    }
    return sprintf("%.1f to %.1f", low, high)
  }
  END {
    for (k = 1; k <= smalls; k++) print small[k] warm[k]
    for (kind in count) for (r = 1; r <= count[kind]; r++) printf "| %s | %s |\n", rows[kind, r], cell[kind, rows[kind, r]]
    for (label_of in brief) print brief[label_of]
    print ""
    printf "~ a warp waits %.1f cycles for shared memory, in version 1 it was %.1f.\n", shared["sum_kernel2"], shared["sum_kernel1"]
    printf "~ a warp waits %.1f cycles at barriers for each instruction issued, in version 11 it is %.1f.\n", barrier["sum_kernel10"], barrier["sum_kernel11"]
    printf "~ Version 11%cs 21 runs took %.1f to %.1f µs, CUB%cs %.1f to %.1f µs.\n", 39, best["sum_kernel11", "times1"], worst["sum_kernel11", "times1"],
      39, best["CUB", "times1"], worst["CUB", "times1"]
    printf "~ %.2f times as fast with these numbers, %.2f times with those of `SEED=2`\n", share["sum_kernel11", "times1"], share["sum_kernel11", "times2"]
    printf "~ between the best runs of both it is %.2f and %.2f times\n", best["CUB", "times1"] / best["sum_kernel11", "times1"],
      best["CUB", "times2"] / best["sum_kernel11", "times2"]
    printf "~ In short: %s times as fast with cold caches, %s times with warm ones.\n", range("times"), range("warm")
  }' h200.txt
