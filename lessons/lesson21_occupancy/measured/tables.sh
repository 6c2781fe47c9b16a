#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU and, behind `~`, words of its text, made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = substr($0, 5); next }
  /^20[0-9][0-9]-/ && !date { date = $1 }
  # A row of a race: version, warps, occupancy, ms, shortest .. longest, GB/s, GFLOP/s, % of copy.
  /^[a-z]+_kernel[0-9]/ && NF == 10 && $6 == ".." {
    key = section "|" $1
    if (!(key in count)) order[++rows] = key
    n = ++count[key]
    warps[key, n] = $2; ms[key, n] = $4; gb[key, n] = $8; gflop[key, n] = $9; copy[key, n] = $10
  }
  section == "latency" && $2 == "chains," && $3 == 1 { step[$1] = $5 }
  section == "latency" && $2 == "chains," { started[$1, $3] = $10 }
  section == "latency" && /^load from global/ { global = $5 }
  section == "latency" && /^load from shared/ { shared = $5 }
  section ~ /^bounds/ && $1 == "sort_kernel8" && NF >= 12 { registers[section] = $3 }
  section ~ /^ncu/ && NF > 2 && $(NF - 1) ~ /^sm__warps_active/ {
    name = $0; sub(/^void /, "", name); sub(/ .*/, "", name)
    if (!(name in achieved)) achieved[name] = $NF
  }
  section ~ /^ncu/ && $1 == "sort_kernel9" && $2 ~ /local_op_ld/ { local_sectors = $3 }
  section ~ /SEED=1$/ && / agree with / { agree[++agreements] = $0 }

  # With so many warps resident (4, 8, 16, 32 or 64); "-" where registers do not allow so many.
  function cell(key, wanted, what,   k) {
    for (k = 1; k <= count[key]; k++) if (warps[key, k] == wanted) return what == "flop" ? sprintf("%.1f", gflop[key, k] / 1000) : sprintf("%.1f", copy[key, k])
    return "-"
  }
  # Microseconds that a block of 128 threads takes if it is alone on each of 132 multiprocessors.
  function life(name, loads) { return ms["lesson21, SEED=1|" name, 1] * 1000 / (33554432 / 128 / loads / 132) }
  function differ(a, b) { return a > b ? a / b - 1 : b / a - 1 }
  function seeds(   key, other, k, d, most) {
    for (key in count) {
      if (index(key, "lesson21, SEED=1|") != 1) continue
      other = key
      sub(/SEED=1/, "SEED=2", other)
      for (k = 1; k <= count[key]; k++) { d = differ(ms[key, k], ms[other, k]); if (d > most) most = d }
    }
    return 100 * most
  }
  END {
    first = "lesson21, SEED=1|"
    for (r = 1; r <= rows; r++) {
      key = order[r]
      if (index(key, first) != 1) continue
      name = substr(key, length(first) + 1)
      if (name ~ /^sort/) {
        k = count[key]
        printf "| %s | | %d | %.4f | %.1f |\n", name, warps[key, k], ms[key, k], copy[key, k]
        continue
      }
      what = name ~ /^chain/ ? "flop" : "copy"
      printf "| %s | | %s | %s | %s | %s | %s |\n", name, cell(key, 4, what), cell(key, 8, what), cell(key, 16, what), cell(key, 32, what), cell(key, 64, what)
    }
    loads = 1 # and how many of them ptxas puts in front of the next store: from nvdisasm, since no record has machine code
    split("1|2|4|7, 1|6, 3, 7", together, "|")
    for (k = 1; k <= 5; k++) {
      name = k == 1 ? "copy_kernel1" : "copy_kernel2<" loads ">"
      printf "| %s | %s | %.2f | %.1f |\n", name, together[k], life(name, loads), achieved[name]
      loads *= 2
    }
    for (blocks = 3; blocks <= 6; blocks++) {
      key = "bounds of " blocks " blocks, V=8|sort_kernel8"
      k = count[key]
      printf "| 256, %d | %d | %d | %.4f | %.1f |\n", blocks, registers["bounds of " blocks " blocks, V=8"], warps[key, k], ms[key, k], copy[key, k]
    }
    for (version = 5; version <= 6; version++) {
      key = "tiles of 4096, V=" version "|tile_kernel" version
      printf "| tile_kernel%d, tiles of 4096 | %s | %s | %s | %s | %s |\n", version, cell(key, 4), cell(key, 8), cell(key, 16), cell(key, 32), cell(key, 40)
    }
    for (a = 1; a <= agreements; a++) print "~ " agree[a]
    printf "~ NVIDIA H200, %s.\n", date
    printf "~ with another seed no time differs by more than %.1f %%\n", seeds()
    printf "~ a step takes %.2f clocks with one chain, %.2f with two, %.2f with four and %.2f with eight\n", step[1], step[2], step[4], step[8]
    printf "~ 16 warps with one chain each start %.0f FMAs in a clock, 8 warps with two %.0f, 4 with four %.0f\n", started[1, 16], started[2, 8], started[4, 4]
    printf "~ a load from shared memory takes %.0f clocks, and one from memory %.0f\n", shared, global
    printf "~ ncu counts %d sectors\n", local_sectors
  }' h200.txt
