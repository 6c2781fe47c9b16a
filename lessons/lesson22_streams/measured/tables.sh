#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  function short(x) { return sprintf(x < 0.1 ? "%.3f" : "%.2f", x) }
  /^--- / { section = $0; split($0, word, /[ ,]+/) }
  /^n = / { rounds = $(NF - 1) }
  $1 == "copies" && $2 == "alone" { copies = $3 }
  $1 == "kernels" && $2 == "alone" { kernels = $3 }

  # The pipelines and the chains.
  section ~ /lesson22, SEED=1/ && /^(copies|kernels) alone/ { printf "| %s %s | | %.2f | | |\n", $1, $2, $3 }
  section ~ /lesson22, SEED=1/ && $1 ~ /^pipeline[0-9]$/ && NF == 8 { printf "| %s | | %.2f | %.1f | %.0f |\n", $1, $2, $7, $8 }
  section ~ /lesson22, SEED=1/ && $1 ~ /^chain[0-9]+$/ && NF == 7 { printf "| %s | | %s | %s |\n", $1, short($6), short($7) }
  section ~ /SEED=2/ && $1 ~ /^chain[0-9]+$/ && NF == 7 { other[$1] = $6 }
  section ~ /lesson22, SEED=/ && NF == 8 { hidden[$1] = hidden[$1] (hidden[$1] == "" ? "" : " and ") sprintf("%.1f", $7); ms[section, $1] = $2; cpu[section, $1] = $8 }

  # What a launch costs, what PCIe moves, and a stream of high priority.
  section ~ /costs/ && /us per kernel$/ {
    name = $0; sub(/,.*/, "", name); value = $0; sub(/^[^,]*, [CG]PU +/, "", value); split(value, field, " ")
    if ($0 ~ /, GPU/) gpu[name] = field[1]; else printf "| %s | | %.2f | %s |\n", name, gpu[name], short(field[1])
  }
  section ~ /costs/ && /GB\/s$/ {
    name = $0; sub(/ +[0-9].*/, "", name); value = substr($0, length(name) + 1); split(value, field, " ")
    printf "| %s | %.1f |\n", name, field[1]; rate[name] = field[1]
  }
  section ~ /costs/ && /instantiate|update/ { made[$5] = $6 }
  section ~ /priority/ && $1 == "priority" { printf "| %s | %.0f |\n", $2, $3; waited[$2] = $3 }

  # Other sizes of a chunk, and other numbers of slots: version 4. The record of all versions has 32 chunks and 3 slots.
  $1 == "pipeline4" && NF == 8 && (section ~ /chunks [0-9]+, V=4/ || section ~ /lesson22, SEED=1/) {
    chunks = word[2] == "chunks" ? word[3] : 32
    printf "| %d | %.2f | %d | %.2f | %.2f | %.1f | %.1f |\n", chunks, copies, rounds, kernels, $2, $7, 100 * (1 - 1 / chunks)
    in_copies[chunks] = copies
  }
  $1 == "pipeline4" && NF == 8 && (section ~ /slots [0-9]+, V=4/ || section ~ /lesson22, SEED=1/) {
    printf "| %d | %.2f | %.1f |\n", word[2] == "slots" ? word[3] : 3, $2, $7
  }
  END {
    one = "--- lesson22, SEED=1"; two = "--- lesson22, SEED=2"
    printf "~ version 3 hides %s %% with the two seeds, version 4 %s %%\n", hidden["pipeline3"], hidden["pipeline4"]
    printf "~ version 2 takes %.1f times as long as version 4, version 1 %.1f times\n", ms[one, "pipeline2"] / ms[one, "pipeline4"], ms[one, "pipeline1"] / ms[one, "pipeline4"]
    printf "~ Version 1 takes %.1f times as long as version 2\n", ms[one, "pipeline1"] / ms[one, "pipeline2"]
    printf "~ with the other seed %.1f\n", ms[two, "pipeline1"] / ms[two, "pipeline2"]
    printf "~ with the other seed %.2f, %.2f and %.2f us per kernel\n", other["chain9"], other["chain10"], other["chain11"]
    printf "~ with the other seed %.0f and %.0f instead of %.0f\n", cpu[two, "pipeline7"], cpu[two, "pipeline8"], cpu[two, "pipeline4"]
    printf "~ each copy more takes %.1f us\n", 1000 * (in_copies[128] - in_copies[4]) / (2 * (128 - 4))
    printf "~ %.0f us of the CPU more than version 2\n", cpu[one, "pipeline4"] - cpu[one, "pipeline2"]
    printf "~ takes %.0f us of the CPU to instantiate and %.0f to update\n", made["instantiate"], made["update"]
    printf "~ %.2f times one direction\n", rate["pinned, both directions at once"] / rate["pinned, to the device"]
    printf "~ %.0f times as early\n", waited["0"] / waited["-5"]
  }' h200.txt
