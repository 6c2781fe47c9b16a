#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (which record.sh printed): the kernels next to PyTorch's, and what
# a first call costs. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  # float16   call_jit                3400.0 GB/s    98.7 % of the copy
  section ~ /peers, SEED=1/ && / % of the copy$/ {
    speed[$1, way()] = $(NF - 6)
    if (!($1 in seen)) { seen[$1] = 1; types[++count] = $1 }
  }
  function way(    name) {
    name = $0
    sub(/^[a-z0-9]+ +/, "", name)
    sub(/  +.*/, "", name)
    return name
  }
  function percent(type, name) { return sprintf("%.1f", 100 * speed[type, name] / speed[type, "copy"]) }
  # nvrtc     compiled          71234.5 us  (70000.1 .. 72000.2)
  section ~ /calls/ && / us  \(/ {
    line = $0
    name = $1
    sub(/^[a-z]+ +/, "", line)
    state = line
    sub(/  +.*/, "", state)
    match(line, /[0-9.]+ us/)
    call[name, state] = substr(line, RSTART) + 0
    if (!(name in met)) { met[name] = 1; names[++ways] = name }
  }
  END {
    for (i = 1; i <= count; i++) {
      t = types[i]
      printf "| %s | %.0f | | %s | %s | %s | %s | %s |\n", t, speed[t, "copy"], percent(t, "width 1"), percent(t, "call_jit"),
        percent(t, "PyTorch"), percent(t, "call_jit backward"), percent(t, "PyTorch backward")
    }
    for (i = 1; i <= ways; i++) {
      w = names[i]
      if (w != "launch")
        printf "| %s | | %.1f | %.1f | %.1f | %.1f |\n", w, call[w, "compiled"] / 1000, call[w, "from disk"] / 1000, call[w, "from memory"],
          call[w, "queued"]
    }
    if ("launch" in met) printf "~ %.1f µs of the launch alone\n", call["launch", "ctypes alone"]
  }' h200.txt
