#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU and, behind `~`, words of its text, made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }

  # The kernels, in the table of the program: `float32 x 4   0.1307   4107.0   98.8`
  section ~ /lesson31, SEED=1/ && $1 == "cudaMemcpy" {
    printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy |\n", machine, date
    printf "| cudaMemcpy | 100 | %s | %.0f | 100.0 |\n", $2, $3
  }
  section ~ /lesson31, SEED=1/ && $2 == "x" && NF == 6 { printf "| %s x %s | | %s | %.0f | %s |\n", $1, $3, $4, $5, $6 }

  # Next to PyTorch: `float16   call_jit backward     3188.0 GB/s    83.7 % of the copy`
  section ~ /next to PyTorch, SEED=1/ && / % of the copy$/ {
    way = $0
    sub(/^[a-z0-9]+ +/, "", way)
    sub(/  +.*/, "", way)
    percent[$1, way] = $(NF - 4)
    if (way == "copy") types[++count] = $1
  }

  # Calls: `nvrtc     from disk            467.3 us  (463.0 .. 552.7)`
  section ~ /calls/ && / us  \(/ {
    match($0, /[0-9.]+ us/)
    us = substr($0, RSTART) + 0
    name = $1
    state = $2 == "from" ? $2 " " $3 : $2
    call[name, state] = us
    if (!(name in met)) { met[name] = 1; names[++ways] = name }
  }

  /the compilation took/ { first[++runs] = $4 }
  # What each compilation took: `float16   NUMBER=__half   2 compiled: 60 ms, 95 ms`
  section ~ /lesson31, SEED=1/ && / compiled: .* ms, / {
    for (i = 5; i <= 7; i += 2) {
      if (!least || $i < least) least = $i + 0
      if ($i > most) most = $i + 0
    }
  }
  section ~ /lesson31, SEED=2/ && / compiled: .* ms, / { compilation[++compilations] = sprintf("| %s | | %d | %d |", $1, $5, $7) }
  # Instructions of gelu for float16, the third type of which ncu counts gelu and gelu_backward.
  section ~ /ncu/ && $1 == "gelu" && /inst_executed/ && ++kernels == 3 { instructions = $3 / 1048576 }
  END {
    for (i = 1; i <= count; i++) {
      t = types[i]
      printf "| %s | | %s | %s | | %s | %s |\n", t, percent[t, "call_jit"], percent[t, "PyTorch"], percent[t, "call_jit backward"],
        percent[t, "PyTorch backward"]
    }
    for (i = 1; i <= ways; i++)
      if ((w = names[i]) != "launch")
        printf "| %s | | %.1f | %.1f | %.0f | %.1f |\n", w, call[w, "compiled"] / 1000, call[w, "from disk"] / 1000, call[w, "from memory"],
          call[w, "queued"]
    for (i = 1; i <= compilations; i++) print compilation[i]
    printf "~ ctypes alone takes %.1f us\n", call["launch", "ctypes"]
    printf "~ takes %d ms in the first run and %d in the second\n", first[1], first[2]
    printf "~ In the first run they were between %d and %d ms\n", least, most
    printf "~ %.1f instructions for a number\n", instructions
  }' h200.txt
