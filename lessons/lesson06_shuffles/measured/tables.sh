#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and words of its text ("~ "), made from h200.txt and
# more_rows.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^n = / { n = $3 + 0; next }

  # Times: ms, GB/s and percent of the copy kernel. What a run is about stands in its section.
  $1 ~ /^([a-z]+_kernel[0-9]+|CUB)$/ && NF == 7 {
    if (section ~ /SEED=1/) {
      printf "| %s | | %.4f | %.0f | %.1f |\n", $1, $2, $6, $7
      ms[$1, "half"] = $2
      if ($1 == "keep_kernel12") rows[16] = sprintf("%.4f | %.1f", $2, $7)
    }
    if (section ~ /SEED=2/) second[$1] = $2
    if (section ~ /SIZE=1000003/) small[$1] = $2
    if (section ~ /few|most/ && ($1 != "CUB" || section ~ /V=12/)) { split(section, word, /[ ,]+/); ms[$1, word[2]] = $2 }
    if (section ~ /rows[0-9]/ && $1 == "keep_kernel12") { split(section, word, /[ ,]+/); rows[substr(word[2], 5) + 0] = sprintf("%.4f | %.1f", $2, $7) }
  }

  # More rows for each warp: milliseconds and percent of the copy kernel.
  section ~ /more_rows, SEED=1/ && $1 ~ /^[a-z]+_rows[0-9]$/ { split($1, part, "_rows"); more[part[1], part[2]] = $2 " | " $7; percent[part[1], part[2]] = $7 }

  # ncu, of 2^24 elements: 524288 rows.
  section ~ /ncu/ && NF == 3 && $1 ~ /_kernel/ {
    if (!(($1, "seen") in count)) { order[++kernels] = $1; count[$1, "seen"] = 1 }
    count[$1, $2] = $3
  }
  function metric(kernel, name) { return count[kernel, name] }

  # Mistakes: what came of them, and what compute-sanitizer said.
  section ~ /^--- mistake/ && /^(PASS|FAIL)/ && section !~ /compute-sanitizer/ { split(section, word, /[ ,]+/); verdict[word[3]] = substr($0, 1, 4) }
  section ~ /^--- mistake/ && section ~ /compute-sanitizer/ && /ERROR SUMMARY/ { reports += $4 }
  section ~ /machine code of keep_kernel9/ && /VOTEU|ATOMG/ { code[++codes] = $0; gsub(/^ | ;$|@P0 /, "", code[codes]) }

  END {
    split("keep_kernel9 keep_kernel10 keep_kernel11 keep_kernel12 CUB", queue, " ")
    for (k = 1; k <= 5; k++) printf "| %s | %.4f | %.4f | %.4f |\n", queue[k], ms[queue[k], "few"], ms[queue[k], "half"], ms[queue[k], "most"]
    split("4 8 16 32", each, " ")
    for (k = 1; k <= 4; k++) printf "| %s | %s |\n", each[k], rows[each[k]]
    for (k = 1; k <= 8; k *= 2) printf "| %d | %s | %s | %s |\n", k, more["none", k], more["xor", k], more["reduce", k]
    for (k = 1; k <= kernels; k++)
      printf "| %s | %.1f | %.1f | %.0f | %.0f | %.1f |\n", order[k], metric(order[k], "smsp__inst_executed.sum") / 524288,
        metric(order[k], "smsp__thread_inst_executed_per_inst_executed.ratio"),
        metric(order[k], "smsp__issue_active.avg.pct_of_peak_sustained_active"),
        metric(order[k], "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
        metric(order[k], "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") / 524.288
    printf "~ %.1f times as fast as version 9\n", ms["keep_kernel9", "half"] / ms["keep_kernel12", "half"]
    printf "~ %.2f times as fast as CUB, with `SEED=2` %.2f times\n", ms["CUB", "half"] / ms["keep_kernel12", "half"], second["CUB"] / second["keep_kernel12"]
    printf "~ %.2f times with 5 %% wanted, %.2f times with 95 %%", ms["CUB", "few"] / ms["keep_kernel12", "few"], ms["CUB", "most"] / ms["keep_kernel12", "most"]
    printf ", and %.2f times for 1000003 elements\n", small["CUB"] / small["keep_kernel12"]
    printf "~ Version 8 is %.1f times as fast\n", ms["group_kernel7", "half"] / ms["group_kernel8", "half"]
    printf "~ %.1f times as fast as version 1\n", ms["above_kernel1", "half"] / ms["above_kernel3", "half"]
    printf "~ reaches %s %% of the copy with one row for each warp, and %s %% with four\n", percent["none", 1], percent["none", 4]
    printf "~ with the sum by shuffles it is %s %% and %s %%\n", percent["xor", 1], percent["xor", 4]
    printf "~ %s, %s, %s and %s, in this order, and compute-sanitizer%cs synccheck has %d reports\n", verdict["in_the_if"], verdict["early_exit"],
      verdict["short_mask"], verdict["no_condition"], 39, reports
    printf "~ %s\n~ %s\n", code[1], code[2]
  }' h200.txt more_rows.txt
