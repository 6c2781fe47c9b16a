#!/bin/sh
# make_table.sh OURS: the table of README.md from a file of lines "program,our verdict", from h200.csv and from remarks.txt
# ("program: why they differ").
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
awk -v h200="$folder/h200.csv" -v remarks="$folder/remarks.txt" '
  # What a tool of compute-sanitizer said, as one of our words.
  function word(tool, text) {
    if (text ~ /^Error: Race|^Warning: Race/) return "race"
    if (text ~ /Uninitialized|Host API memory access/) return "uninitialized"
    if (text ~ /[Ii]nvalid __(global|shared|remote_shared|local)__/) return text ~ /freed/ ? "use_after_free" : text ~ /misaligned/ ? "misaligned" : "out_of_bounds"
    if (text ~ /^Leaked/) return "leak"
    if (text ~ /^Unused memory/) return "unused"
    if (text ~ /^Stack overflow/) return "stack overflow"
    if (text ~ /^Program hit/) return "API error"
    if (text ~ /Divergent thread/) return "divergent_barrier"
    if (text ~ /Barrier error/) { sub(/.*detected\. /, "", text); return "barrier error (" tolower(substr(text, 1, length(text) - 1)) ")" }
    return "error"
  }
  BEGIN {
    while ((getline line < h200) > 0) {
      split(line, f, ",")
      text = line
      sub(/^[^"]*"/, "", text)
      sub(/"$/, "", text)
      if (f[3] == "none") said[f[1]] = "hangs"
      else if (f[3] > 0) said[f[1]] = said[f[1]] (said[f[1]] ? "; " : "") f[2] ": " word(f[2], text)
      else if (f[4] > 0) said[f[1]] = said[f[1]] (said[f[1]] ? "; " : "") f[2] ": warning"
      known[f[1]] = 1
    }
    while ((getline line < remarks) > 0) { at = index(line, ": "); remark[substr(line, 1, at - 1)] = substr(line, at + 2) }
    print "| program | here | compute-sanitizer | remark |"
    print "|---|---|---|---|"
  }
  {
    split($0, f, ",")
    theirs = !known[f[1]] ? "not recorded" : said[f[1]] ? said[f[1]] : "none"
    printf "| %s | %s | %s | %s |\n", f[1], f[2], theirs, remark[f[1]]
  }' "$1"
