#!/bin/sh
# advice.sh: prints ncu's advice in h200.txt, a line for each rule (`OPT`) with what it says, joined: kernel, estimate, text, with tabs between. Of
# each kernel first what has no estimate, which stands under Speed Of Light, at the top; then the estimates for the whole kernel, the largest first.
# An estimate that is called local is that of one unit, and is left out. The record has the first lines of a rule, and of some nothing.
set -eu
awk '
  function done() {
    if (kernel && estimate != "") { sub(/^ /, "", text); printf "%s\t%s\t%s\n", kernel, estimate, text == "" ? "(not in the record)" : text }
    estimate = text = ""
  }
  /^--- / {
    done()
    kernel = ""
    if (/ncu.s rules, /) { match($0, /[a-z]+_kernel[0-9]*/); kernel = substr($0, RSTART, RLENGTH) }
    next
  }
  /^ +(Section:|-----|INF |WRN )/ || !NF { done(); next }
  /^ +OPT / {
    done()
    if (/Est\. Local Speedup:/) next
    estimate = "-"
    if (/Est\. Speedup:/) { estimate = $NF; sub(/%/, "", estimate); next }
    $1 = ""
  }
  estimate != "" { gsub(/^ +| +$/, ""); text = text " " $0 }
  END { done() }' "$(dirname "$0")/h200.txt" | sed 's/	-	/	1000	/' | sort -s -t '	' -k1,1 -k2,2nr | sed 's/	1000	/	-	/'
