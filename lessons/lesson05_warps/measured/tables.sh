#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables, made from h200.txt (which record.sh printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }

  /^--- / { section = $0; next }

  # Times: of the first seed, as the program prints them.
  section ~ /SEED=1/ && split($0, word, " ") == 5 && word[1] ~ /_kernel/ {
    printf "| %s | | %s | %s |\n", word[1], word[2], word[5]
  }

  # A variant: its name and version, and the time.
  section ~ /V=[45]/ && split($0, word, " ") == 5 && word[1] ~ /_kernel/ {
    split(section, name, /[ ,]+/)
    variant[name[2] " " word[1]] = word[2]
  }
  section ~ /SEED=1/ && /shape_kernel[45]/ { split($0, word, " "); variant["batch32 " word[1]] = word[2] }

  # ncu: instructions of warps for 32 of 2^20 samples, threads in each, how busy the schedulers were.
  section ~ /ncu/ && /"ID"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } }
  section ~ /ncu/ && /_kernel[0-9]\(/ {
    split($column["Kernel Name"], name, "(")
    printf "| %s | %.0f | %.1f | %.0f |\n", name[1], number($column["smsp__inst_executed.sum"]) / 32768,
      number($column["smsp__thread_inst_executed_per_inst_executed.ratio"]),
      number($column["smsp__issue_active.avg.pct_of_peak_sustained_active"])
  }
  END {
    split("8 32 128", batch, " ")
    for (b = 1; b <= 3; b++)
      printf "| %s | %s | %s |\n", batch[b], variant["batch" batch[b] " shape_kernel4"],
        variant["batch" batch[b] " shape_kernel5"]
  }' h200.txt
