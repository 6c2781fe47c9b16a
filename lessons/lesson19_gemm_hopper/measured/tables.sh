#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine) and
# tuning/h200.txt (tuning/tune.sh). tests/lessons/tables.test.sh looks
# whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  function shown(x) { return x == "-" ? "" : sprintf("%.1f", x) }
  function version_of(name) { return match(name, /hopper_kernel[0-9]/) ? substr(name, RSTART, RLENGTH) : "cuBLAS" }
  function value(v, metric) { return counted[v, metric] }
  function sectors(v) { return value(v, "lts__t_sectors.sum") }
  function conflicts(v,    n) { n = value(v, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); return sprintf("%d,%03d", int(n / 1000), n % 1000) }
  function stalled(v, why) { return value(v, "smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio") }

  /^--- / { section = $0; next }
  { timed = split($0, word, " ") >= 7 && word[4] == ".." && word[2] ~ /^[0-9]/ } # name, ms, shortest, "..", longest, TFLOP/s, % of peak, % of the library

  section ~ /SIZE=8192 SEED=1/ && timed {
    names[++rows] = word[1]; ms[word[1]] = word[2]; speed[word[1]] = word[6]; peak[word[1]] = word[7]; share[word[1]] = word[8]
  }
  section ~ /SIZE=8192 SEED=2/ && timed { again[word[1]] = word[8] }
  section ~ /SIZE=4096 SEED=1/ && timed && word[8] != "-" { printf "| 4096: %s | %.1f | %.1f |\n", word[1], word[6], word[8] }

  section ~ /--- shapes/ && /^M = / { shape = $3 " x " $6 " x " $9; gsub(/[,:]/, "", shape); fp8 = /fp8/; split("", of) }
  section ~ /--- shapes/ && timed {
    of[word[1]] = word[6]
    if (word[1] == "cublasLt" && !fp8) {
      best = of["hopper_kernel6"] > of["hopper_kernel7"] ? of["hopper_kernel6"] : of["hopper_kernel7"]
      printf "| %s | %.0f | %.0f | %.0f | %.0f |\n", shape, of["hopper_kernel6"], of["hopper_kernel7"], word[6], 100 * best / word[6]
      logs += log(best / word[6]); shapes++
    }
    if (word[1] == "cublasLt" && fp8) printf "| fp8, %s | %.0f | %.0f | %.0f |\n", shape, of["hopper_kernel8"], word[6], 100 * of["hopper_kernel8"] / word[6]
  }
  section ~ /--- library/ && timed { printf "| %s, %s | %.1f | %.1f |\n", section ~ /4096/ ? "4096" : "8192", word[1], word[6], word[8] }

  section ~ /ncu/ && NF >= 3 {
    metric = $(NF - 1); name = $0; sub(/ [^ ]+ [^ ]+$/, "", name)
    v = version_of(name)
    if (!((v, metric) in counted)) counted[v, metric] = $NF
    if (v == "cuBLAS") library = name
  }
  END {
    for (k = 1; k <= rows; k++) {
      v = names[k]
      printf "| %s | | %s | %.1f | %s | %s | %s |\n", v, ms[v], speed[v], shown(peak[v]), shown(share[v]), shown(again[v])
    }
    for (k = 1; k <= 8; k++) {
      v = k == 8 ? "cuBLAS" : "hopper_kernel" k
      if (value(v, "gpu__time_duration.sum") == "") continue
      printf "| %s | %.1f | %.0f | %.1f | %.1f | %.0f | %.2f | %.2f | %.2f |\n", v, value(v, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
        value(v, "launch__registers_per_thread"), sectors(v) / 1e6, value(v, "lts__t_sector_hit_rate.pct"), value(v, "dram__bytes_read.sum") / 1e6,
        stalled(v, "long_scoreboard"), stalled(v, "barrier"), stalled(v, "gmma")
    }
    k = "hopper_kernel"; best = speed[k 6] > speed[k 7] ? k 6 : k 7
    printf "~ Version %s reaches %.0f TFLOP/s, %.1f %% of cuBLAS, and %.1f %% with another seed.\n", substr(best, 14), speed[best], share[best], again[best]
    if (shapes) printf "~ On average over these %d shapes the better of the two is at %.0f %% of cublasLt\n", shapes, 100 * exp(logs / shapes)
    if (library) printf "~ `%s`\n", library
    if (sectors("hopper_kernel7")) {
      printf "~ L2 moves only %.1f %% fewer sectors\n", 100 * (1 - sectors("hopper_kernel7") / sectors("hopper_kernel6"))
      printf "~ from %.1f to %.1f million sectors, and DRAM from %.0f to %.0f MB\n", sectors("hopper_kernel4") / 1e6, sectors("hopper_kernel5") / 1e6,
        value("hopper_kernel4", "dram__bytes_read.sum") / 1e6, value("hopper_kernel5", "dram__bytes_read.sum") / 1e6
      printf "~ %s conflicts for version 5, %s for version 6 and %s for version 7\n", conflicts("hopper_kernel5"), conflicts("hopper_kernel6"), conflicts("hopper_kernel7")
    }
  }' h200.txt

# Variants, in % of cublasLt: versions 6 and 7 of each shape.
awk '
  /^--- / { shape = $2; sub(/,$/, "", shape); name = $3 " stages, groups of " $4 ($5 ? ", " $5 : ""); if (!(name in row)) { row[name] = ""; order[++count] = name } }
  /^hopper_kernel/ { row[name] = row[name] sprintf(" %.1f |", $NF) }
  END { for (k = 1; k <= count; k++) printf "| %s |%s\n", order[k], row[order[k]] }' tuning/h200.txt
