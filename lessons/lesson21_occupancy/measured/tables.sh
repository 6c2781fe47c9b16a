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
  section == "latency" && /^1 chains, 1 warps:/ { fma = $5 }
  section == "latency" && /^load from global/ { global = $5 }
  section == "latency" && /^load from shared/ { shared = $5 }
  section ~ /SEED=1$/ && / agree with / { agree[++agreements] = $0 }

  # With so many warps resident (4, 8, 16, 32 or 64); "-" where registers do not allow so many.
  function cell(key, wanted, what,   k) {
    for (k = 1; k <= count[key]; k++) if (warps[key, k] == wanted) return what == "copy" ? sprintf("%.1f", copy[key, k]) : sprintf("%.1f", gflop[key, k] / 1000)
    return "-"
  }
  function best(key,   k, least) {
    for (k = 1; k <= count[key]; k++) if (!least || ms[key, k] < least) { least = ms[key, k]; at = k }
    return at
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
    for (blocks = 3; blocks <= 6; blocks++) {
      key = "bounds of " blocks " blocks, V=8|sort_kernel8"
      k = count[key]
      printf "| %d blocks | %d | %.4f | %.1f |\n", blocks, warps[key, k], ms[key, k], copy[key, k]
    }
    for (a = 1; a <= agreements; a++) print "~ " agree[a]
    printf "~ NVIDIA H200, %s.\n", date
    printf "~ An FMA takes %.1f clocks, a load from shared memory %.0f, and one from memory %.0f.\n", fma, shared, global
  }' h200.txt
