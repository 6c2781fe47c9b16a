#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

# Machine instructions are those of the page's table, which reading/counts.sh makes. `chain`: how many of them stand between the load and the store
# and need one another's result, counted in the listing of nvdisasm.
awk '
  function median(list,    n, part, i, k, t) {
    n = split(list, part, " ")
    for (i = 2; i <= n; i++) for (k = i; k > 1 && part[k] + 0 < part[k - 1] + 0; k--) { t = part[k]; part[k] = part[k - 1]; part[k - 1] = t }
    return part[int((n + 1) / 2)]
  }
  # What a version costs beyond version 5: as instructions alone, if all units were busy all the time, and measured; and in cycles of each
  # warp, since 132 multiprocessors have places for 64 warps each.
  function beyond(name,    more, warps, cost) {
    more = sass[name] - sass["silu_kernel5"]
    cost = ms[name] - ms["silu_kernel5"]
    warps = n / 32 / (132 * 64)
    printf "| %s | %d | %.3f | %.4f | %.0f | %d |\n", name, more, more * n / (132 * 128 * clock) * 1e3, cost, cost / 1e3 / warps * clock, chain[name]
  }
  function rounds(name,    list) {
    list = start[name]
    gsub(/ /, " | ", list)
    printf "| %s%s |\n", name, list
  }
  # ncu counts, for each instruction that is issued, the warps that wait for a reason; of the warps that are there, these are percent.
  function share(name, reason) {
    return 100 * ncu[name, "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"] * \
      ncu[name, "smsp__issue_active.avg.pct_of_peak_sustained_active"] / 100 / (ncu[name, "sm__warps_active.avg.per_cycle_active"] / 4)
  }
  function waits(    v, name) {
    for (v = 1; v <= 5; v++) {
      name = "silu_kernel" v
      printf "| %s | %.1f | %.0f | %.0f | %.0f |\n", name, ncu[name, "sm__warps_active.avg.per_cycle_active"], share(name, "long_scoreboard"),
        share(name, "short_scoreboard"), share(name, "wait")
    }
  }
  function refused(name,    n, part) {
    n = split(ended[name], part, " ")
    printf "| %s | %s |\n", name, ended[name] == " 0 0 0" ? "runs" : ended[name] == " 1 1 1" ? "is refused" : "differs"
  }
  BEGIN { split("19 13 11 8 3", count); for (v = 1; v <= 5; v++) chain["silu_kernel" v] = count[v] }
  FILENAME ~ /README/ { if (/^\| silu_kernel[1-5] \|( [0-9]+ \|)+$/) sass[$2] = $6; next }
  /^--- / { section = substr($0, 5); next }
  section == "machine" && / MHz, / { match($0, /[0-9]+ MHz/); clock = substr($0, RSTART) * 1e6 }
  /^n = / { n = $3 }
  /^copy kernel/ && section == "lesson23, SEED=1" { printf "| copy kernel | | %s | %.0f | 100.0 | |\n", $3, $4 }
  section ~ /SEED=1/ && /^silu_kernel[1-5] / && NF == 7 { error[section ~ /^fast/ ? "fast" : "plain", $1] = $2 }
  section ~ /SEED=1/ && /^silu_kernel[1-5] / && NF == 5 {
    way = section ~ /^fast/ ? "fast" : "plain"
    if (way == "plain") ms[$1] = $2
    else fast[$1] = $2
    if (way == "plain" || $1 == "silu_kernel2")
      printf "| %s | | %s | %.0f | %.1f | %s |\n", $1 (way == "fast" ? " with -use_fast_math" : ""), $2, $3, $5, error[way, $1]
  }
  section ~ /^calls_/ && / ms$/ { split(section, part, /[_,]/); calls[part[2]] = calls[part[2]] " " $(NF - 1) }
  section ~ /^start/ && / s, status 0/ { name = $0; sub(/: [0-9.]* s, .*/, "", name); sub(/.*: /, ""); start[name] = start[name] " " $1 }
  section ~ /^ncu/ && NF == 3 { ncu[$1, $2] = $3 }
  section ~ /^images/ && / s, status / { at = $0; sub(/: [0-9.]* s, .*/, "", at); ended[at] = ended[at] " " $NF }
  section ~ /^nvcc/ && / s, status 0/ { sub(/.*: /, ""); built = built " " $1 }
  END {
    for (v = 4; v >= 1; v--) beyond("silu_kernel" v)
    printf "~ versions 2, 3 and 4 take %s, %s and %s ms\n", fast["silu_kernel2"], fast["silu_kernel3"], fast["silu_kernel4"]
    printf "~ %s ms in the same file, %s across files, %s with `-dlto`\n", median(calls["same"]), median(calls["separate"]), median(calls["lto"])
    rounds("PTX, empty cache")
    rounds("PTX, full cache")
    rounds("PTX, CUDA_CACHE_DISABLE=1")
    rounds("machine code")
    rounds("machine code, CUDA_MODULE_LOADING=EAGER")
    split(built, second, " ")
    printf "~ %.1f s for one image, %.1f s for three, %.1f s for six, and %.1f s for six with `-t 0`\n", second[1], second[2], second[3], second[4]
    waits()
    refused("PTX, CUDA_DISABLE_PTX_JIT=1, empty cache")
    refused("PTX, CUDA_DISABLE_PTX_JIT=1, full cache")
    refused("PTX, CUDA_DISABLE_PTX_JIT=1, CUDA_CACHE_DISABLE=1")
    refused("machine code, CUDA_FORCE_PTX_JIT=1, empty cache")
    refused("machine code, CUDA_FORCE_PTX_JIT=1, full cache")
  }' ../README.md h200.txt
