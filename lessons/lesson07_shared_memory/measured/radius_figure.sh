#!/bin/sh
# radius_figure.sh: prints figures/radius.svg, made from h200.txt: how close to a copy four versions come, by radius.
# tests/lessons/tables.test.sh looks whether the two agree.
set -eu
cd "$(dirname "$0")"

awk '
  function x(r) { return 90 + 110 * r }             # r = 1 ... 5
  function y(percent) { return 330 - 2.5 * percent } # 0 ... 100
  function text(at_x, at_y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", at_x, at_y, class, what }
  function mark(v, at_x, at_y) {
    if (v == 7) printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" class=\"mark%d\"/>\n", at_x - 5, at_y - 5, v
    else printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"mark%d\"/>\n", at_x, at_y, v
  }
  /^--- machine/ { machine = 1 }
  machine && /^20[0-9][0-9]-/ { date = $1; machine = 0 }
  /^--- / { section = $2 ~ /^radius/ ? substr($2, 7) : /SEED=1/ ? 16 : 0 }
  section && $1 ~ /_kernel[1267]$/ { percent[section, substr($1, length($1))] = $5 }
  END {
    split("4 8 16 32 64", radius, " ")
    count = split("1 2 6 7", version, " ")
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 400\" width=\"820\" height=\"400\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">Percent of a copy, by radius</title>"
    printf "  <desc id=\"desc\">NVIDIA H200, %s.", date
    for (v = 1; v <= count; v++) {
      printf " stencil_kernel%d:", version[v]
      for (r = 1; r <= 5; r++) printf " %.0f %% for radius %d%s", percent[radius[r], version[v]], radius[r], (r < 5 ? "," : ".")
    }
    print "</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; } .mid { text-anchor: middle; } .end { text-anchor: end; }"
    print "    .grid { stroke: #dcdcdc; } .line { fill: none; stroke: #1a1a1a; stroke-width: 2; }"
    print "    .line1 { stroke-dasharray: 2 4; } .line2 { stroke-dasharray: 8 4; } .line6 { stroke: #1f5fa8; stroke-width: 3; }"
    print "    .mark1, .mark2 { fill: #ffffff; stroke: #1a1a1a; } .mark6 { fill: #1f5fa8; stroke: #1a1a1a; } .mark7 { fill: #ffffff; stroke: #1a1a1a; stroke-width: 2; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"818\" height=\"398\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    text(24, 32, "bold", "Percent of the speed of a copy, by radius")
    text(24, 52, "small", "NVIDIA H200, " date)
    for (p = 0; p <= 100; p += 25) {
      printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", x(1) - 30, y(p), x(5) + 10, y(p)
      text(x(1) - 40, y(p) + 4, "small end", p)
    }
    for (r = 1; r <= 5; r++) text(x(r), y(0) + 22, "small mid", radius[r])
    text(x(3), y(0) + 46, "small mid", "radius")
    for (v = 1; v <= count; v++) {
      printf "  <polyline class=\"line line%d\" points=\"", version[v]
      for (r = 1; r <= 5; r++) printf "%s%.1f,%.1f", (r > 1 ? " " : ""), x(r), y(percent[radius[r], version[v]])
      print "\"/>"
      for (r = 1; r <= 5; r++) mark(version[v], x(r), y(percent[radius[r], version[v]]))
    }
    key = 240
    for (v = count; v >= 1; v--) {
      key -= 26
      printf "  <line x1=\"666\" y1=\"%d\" x2=\"706\" y2=\"%d\" class=\"line line%d\"/>\n", key, key, version[v]
      mark(version[v], 686, key)
      text(714, key + 5, "small", version[v] == 7 ? "7: registers" : version[v] == 6 ? "6: tile, registers" : version[v] == 2 ? "2: tile" : "1: neither")
    }
    print "</svg>"
  }' h200.txt
