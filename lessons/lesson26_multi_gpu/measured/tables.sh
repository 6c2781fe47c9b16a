#!/bin/sh
# tables.sh: prints the rows of the page's tables of GPUs and words of its text ("~ "), made from h200.txt, for as many GPUs as were raced there.
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  function size_of(bytes) { return bytes >= 1073741824 ? bytes / 1073741824 " GiB" : bytes >= 1048576 ? bytes / 1048576 " MiB" : bytes / 1024 " KiB" }
  function least(a, b) { return a == "" || b < a ? b : a }
  function most(a, b) { return a == "" || b > a ? b : a }

  # A row for each size: µs launched / in a graph, of NCCL and of versions 4 to 7; then the one that is first when launched.
  function end_size(   row, v) {
    if (size == "") return
    row = "| " gpus " | " size_of(size) " |"
    for (v = 3; v <= 7; v++) row = row " " ((v in cell) ? cell[v] : "-") " |"
    print row " | " first " | " launched[first] " / " graph[first] " | " speed[first] " |"
    if (first == 6) {
      low = least(low, launched[6]); high = most(high, launched[6])
      low_graph = least(low_graph, graph[6]); high_graph = most(high_graph, graph[6])
    }
    if (first == 7) { low7 = least(low7, launched[7]); high7 = most(high7, launched[7]) }
    split("", cell); size = ""
  }

  /^--- / { end_size(); race = /multicast off/; copies = /^--- lesson26, SEED=1,/; next }
  race && /^tuning,/ {
    split($0, t, ",")
    key = t[2] SUBSEP t[3]
    if (!(key in best) || t[5] < best[key]) best[key] = t[5]
    if (t[4] == 128) slower = most(slower, 100 * (t[5] / best[key] - 1)) # it comes last
    if (t[2] == 67108864) blocks[t[3]] = blocks[t[3]] sprintf(" %.0f |", t[2] / t[5] / 1000)
    if (t[2] == 67108864 && t[3] == "oneshot_kernel4" && t[4] == 4) round4 = t[5]
  }
  race && NF == 9 && $3 ~ /^(NCCL|oneshot_kernel[456]|twoshot_kernel7)$/ {
    if ($2 != size) end_size()
    gpus = $1; size = $2
    v = $3 == "NCCL" ? 3 : substr($3, length($3))
    cell[v] = $5 " / " $6; launched[v] = $8; graph[v] = $9; speed[v] = $7
    if (v == 3 || $8 > launched[first]) first = v
    if (v == 3 || v == 7) final[v] = sprintf("%.0f GB/s, %.0f %% of 450", $7, $7 / 4.5)
  }

  copies && /^[0-9]+ devices, n = / { bytes = 4 * $5 }
  copies && NF == 3 && $1 ~ /^(gather1|ring2|tree3|oneshot_kernel[456]|twoshot_kernel7)$/ {
    times[$1] = times[$1] sprintf(" %.1f |", $2); rate[$1] = $3
  }

  END {
    end_size()
    count = split("gather1 ring2 tree3 oneshot_kernel4 oneshot_kernel5 oneshot_kernel6 twoshot_kernel7", name)
    for (k = 1; k <= count; k++) if (name[k] in times) print "| " name[k] " | |" times[name[k]] " " rate[name[k]] " |"
    for (k = 1; k <= count; k++) if (name[k] in blocks) print "| " name[k] " |" blocks[name[k]]
    printf "~ Version 6 is %.2f to %.2f times as fast as NCCL when launched, %.2f to %.2f times in a graph\n", low, high, low_graph, high_graph
    printf "~ Version 7 is %.2f times as fast at 2 MiB, and %.2f times at 1 GiB\n", high7, low7
    printf "~ with 128 blocks at every size none would be more than %.1f %% slower\n", slower
    printf "~ 4 blocks need %.0f µs for 64 MiB, in 16384 rounds: %.2f µs each\n", round4, round4 / 16384
    printf "~ version 7 reaches %s, NCCL %s\n", final[7], final[3]
  }' h200.txt
