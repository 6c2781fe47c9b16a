#!/bin/sh
# tables.sh: prints the rows of the page's H200 table and, behind `~`, words of its text that quote a number, made from h200.txt (which
# record.sh printed on that machine). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  /^n = / { elements[section] = $3 + 0 }
  NF == 6 && $NF ~ /^[0-9.]+$/ && $(NF - 1) == "-" {
    name = $1 " " $2
    time[section, name] = $3
    if (section !~ /SEED=1/) next
    if (name == "copy kernel") printf "| | ms (%s, %s) | GB/s | %% of copy |\n", machine, date
    printf "| %s | %s | %.0f | %.1f |\n", name, $3, $4, $6
  }
  function ratio(section, name, other) { return sprintf("%.2f", time["--- " section, name] / time["--- " section, other]) }
  END {
    printf "~ %s times as fast; with another seed %s times", ratio("passes, SEED=1", "four kernels", "one kernel"),
      ratio("passes, SEED=2", "four kernels", "one kernel")
    printf ", with %d elements %s\n", elements["--- passes, SIZE=25000000"], ratio("passes, SIZE=25000000", "four kernels", "one kernel")
    printf "~ The way back takes %s times as long with the stored mask\n", ratio("passes, SEED=1", "back, stored", "back, again")
  }' h200.txt
