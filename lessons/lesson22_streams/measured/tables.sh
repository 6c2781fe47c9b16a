#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /lesson22, SEED=1/ && /^(copies|kernels) alone/ { printf "| %s %s | | %.2f | | |\n", $1, $2, $3 }
  section ~ /lesson22, SEED=1/ && $1 ~ /^pipeline[0-9]$/ && NF == 8 { printf "| %s | | %.2f | %.1f | %.0f |\n", $1, $2, $7, $8 }
  section ~ /lesson22, SEED=1/ && $1 ~ /^chain[0-9]+$/ && NF == 7 { printf "| %s | | %.2f | %.2f |\n", $1, $6, $7 }
  section ~ /costs/ && /us per kernel$/ {
    name = $0; sub(/,.*/, "", name); value = $0; sub(/^[^,]*, [CG]PU +/, "", value); split(value, word, " ")
    if ($0 ~ /, GPU/) gpu[name] = word[1]; else printf "| %s | | %.2f | %.2f |\n", name, gpu[name], word[1]
  }
  section ~ /priority/ && $1 == "priority" { printf "| %s | %.0f |\n", $2, $3 }
  section ~ /(chunks|slots) [0-9]+, V=4/ && $1 == "pipeline4" && NF == 8 { split(section, word, /[ ,]+/); printf "| %s %s | %.2f | %.1f |\n", word[3], word[2], $2, $7 }' h200.txt
