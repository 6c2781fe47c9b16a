#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  function median(list,    n, part, i, k, t) {
    n = split(list, part, " ")
    for (i = 2; i <= n; i++) for (k = i; k > 1 && part[k] + 0 < part[k - 1] + 0; k--) { t = part[k]; part[k] = part[k - 1]; part[k - 1] = t }
    return part[int((n + 1) / 2)]
  }
  /^--- / { section = substr($0, 5); next }
  /^copy kernel/ && section == "lesson23, SEED=1" { printf "| copy kernel | | %s | %.0f | 100.0 | |\n", $3, $4 }
  section ~ /SEED=1/ && /^silu_kernel[1-5] / && NF == 7 { error[section ~ /^fast/ ? "fast" : "plain", $1] = $2 }
  section ~ /SEED=1/ && /^silu_kernel[1-5] / && NF == 5 {
    way = section ~ /^fast/ ? "fast" : "plain"
    if (way == "plain" || $1 == "silu_kernel2")
      printf "| %s | | %s | %.0f | %.1f | %s |\n", $1 (way == "fast" ? " with -use_fast_math" : ""), $2, $3, $5, error[way, $1]
  }
  section ~ /^calls_/ && / ms$/ { split(section, part, /[_,]/); calls[part[2]] = calls[part[2]] " " $(NF - 1) }
  section ~ /^start/ && / s, status 0/ { name = $0; sub(/:.*/, "", name); sub(/.*: /, ""); start[name] = start[name] " " $1 }
  END {
    printf "~ %s ms in the same file, %s across files, %s with -dlto\n", median(calls["same"]), median(calls["separate"]), median(calls["lto"])
    printf "~ %s s with an empty cache, %s s with a full one, and %s s with machine code\n", median(start["PTX, empty cache"]), median(start["PTX, full cache"]), median(start["machine code"])
  }' h200.txt
