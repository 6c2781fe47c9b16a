#!/bin/sh
# timeline.sh FILE > picture.svg: draws what the program has written to the file that TIMELINE names:
#     TIMELINE=order.txt make lesson22 run V=4
#     sh lessons/lesson22_streams/timeline.sh order.txt > order.svg
# A row is a stream, a box is an operation. Columns are steps (the order that is forced), or time, where a GPU has measured it.
set -eu

awk '
  function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, s }
  $1 == "title" { title = $2; next }
  $1 == "unit" { unit = $2; next }
  { count++; what[count] = $1; chunk[count] = $2; row[count] = $3; from[count] = $4; to[count] = $5
    if ($5 > length_of_all) length_of_all = $5
    if ($3 > rows) rows = $3 }
  END {
    rows++; left = 96; top = 56; high = 34; wide = 700
    scale = unit == "step" ? 56 : wide / length_of_all
    if (unit == "step" && scale * length_of_all > wide) scale = wide / length_of_all
    width = left + scale * length_of_all + 20; width = width < 470 ? 470 : width; height = top + rows * high + 20
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" ", width, height, width, height
    print "aria-labelledby=\"title desc\">"
    caption = unit == "step" ? "the order that is forced, in steps; no times" : "times in ms"
    print "  <title id=\"title\">" title ": " caption "</title>"
    printf "  <desc id=\"desc\">"
    for (k = 1; k <= count; k++) printf "%s%s %d in stream %d, %s %s to %s", (k > 1 ? "; " : ""), what[k], chunk[k], row[k], unit, (unit == "step" ? from[k] + 1 : from[k]), to[k]
    print ".</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1a1a1a; }"
    print "    .bold { font-weight: bold; } .mid { text-anchor: middle; } .small { font-size: 12px; fill: #4a4a4a; } .light { fill: #ffffff; }"
    print "    .in { fill: #a9c6e8; stroke: #1a1a1a; } .run { fill: #1f5fa8; stroke: #1a1a1a; }"
    print "    .out { fill: #f2c879; stroke: #1a1a1a; } .sum { fill: #ffffff; stroke: #1a1a1a; } .axis { stroke: #d0d0d0; }"
    print "  </style>"
    printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
    text(16, 24, "bold", title ": " caption)
    for (s = 0; s <= length_of_all && unit == "step"; s++) {
      printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>\n", left + s * scale, top - 4, left + s * scale, height - 12
      if (s < length_of_all) text(left + (s + 0.5) * scale, top - 8, "small mid", s + 1)
    }
    if (unit != "step") { text(left, top - 8, "small", "0"); text(left + wide - 40, top - 8, "small", sprintf("%.2f ms", length_of_all)) }
    for (r = 0; r < rows; r++) text(16, top + r * high + 20, "", "stream " r)
    for (k = 1; k <= count; k++) {
      x = left + from[k] * scale; w = (to[k] - from[k]) * scale; y = top + row[k] * high
      printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\" class=\"%s\"/>\n", x + 1, y + 3, (w > 3 ? w - 2 : 1), high - 8, what[k]
      if (w > 30) text(x + w / 2, y + 20, "mid" (what[k] == "run" ? " light" : ""), what[k] " " chunk[k])
    }
    print "</svg>"
  }' "$1"
