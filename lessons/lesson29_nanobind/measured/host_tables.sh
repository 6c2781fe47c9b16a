#!/bin/sh
# host_tables.sh: prints the rows of the page's table of what happens on the CPU, made from the record of all bindings, bench/bindings/cpu.txt; and,
# behind ~, words of the text that quote it. tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")/../../.."
awk '
  /^--- / { section = substr($0, 5, 2); counted = /calls/; next }
  $1 == "CPU:" { cpu = substr($0, 6) }
  $1 == "cores:" { cores = $2 }
  /^g\+\+ / { compiler = $1 " " $NF }
  $1 == "Python" { python = $2 }
  $1 == "size" { value[section, $3] = $2 / 1000 }
  $1 == "lines" || $1 == "build" || $1 == "compile" { value[section, $1] = $2 }
  $1 == "empty" { all[section, ++rounds[section]] = $2 }
  function middle(s, i, k, t) {
    for (i = 1; i <= rounds[s]; i++) for (k = i + 1; k <= rounds[s]; k++) if (all[s, k] < all[s, i]) { t = all[s, i]; all[s, i] = all[s, k]; all[s, k] = t }
    return all[s, int((rounds[s] + 1) / 2)]
  }
  function row(head, format, what, first) {
    first = ((27, what) in value) ? sprintf(format, value[27, what]) : "–"
    printf "| %s | | %s | " format " | " format " |\n", head, first, value[28, what], value[29, what]
  }
  END {
    for (s = 27; s <= 29; s++) value[s, "empty"] = middle(s)
    row("an empty call, µs", "%.3f", "empty")
    row("lines of the binding", "%d", "lines")
    row("compiling binding.cpp, s", "%.1f", "compile")
    row("building all of it, s", "%.1f", "build")
    row("the module, KB", "%.0f", "module")
    row("the wheel, KB", "%.0f", "wheel")
    printf "~ %s, %d cores; %s, Python %s\n", cpu, cores, compiler, python
    printf "~ %.0f times as long\n", value[28, "compile"] / value[29, "compile"]
    printf "~ %.2f of the time through pybind11\n", value[29, "empty"] / value[28, "empty"]
  }' bench/bindings/cpu.txt
