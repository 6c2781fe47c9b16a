#!/bin/sh
# skew_figure.sh: prints figures/skew.svg, how fast each version is on each kind of bytes, from h200.txt.
set -eu
cd "$(dirname "$0")"

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function line(x1, y1, x2, y2, class) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class }
  function at(gb) { return 210 + gb * 0.16 }
  function mark(kind, x, y) {
    if (kind == "uniform") printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" class=\"full\"/>\n", x, y
    else if (kind == "one value") printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" class=\"empty\"/>\n", x - 6, y - 6
    else if (kind == "Zipf") printf "  <path d=\"M %.1f %.1f l 7 12 l -14 0 z\" class=\"half\"/>\n", x, y - 7
    else printf "  <path d=\"M %.1f %.1f l 12 12 m 0 -12 l -12 12\" class=\"cross\"/>\n", x - 6, y - 6
  }
  /^--- machine/ { machine = 1 }
  machine && /^20[0-9][0-9]-/ { date = $1; machine = 0 }
  /^--- / { section = $0 }
  section !~ /SEED=1/ { next }
  /^n = / { n = $3 + 0; kind = $4 ($5 == "" ? "" : " " $5); next }
  n == 268435456 && /^(CUB|\(only reading\)|histogram_kernel[0-9]+) / {
    name = $1; shift = 0
    if (name == "(only") { name = "only reading"; shift = 1 }
    if (!(name in place)) { place[name] = ++names; label[names] = name }
    speed[name, kind] = $(6 + shift)
  }
  END {
    split("uniform|one value|Zipf|sorted", kinds, "|")
    height = 110 + 34 * names
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 %d\" width=\"980\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n", height, height
    print "  <title id=\"title\">How fast each version is, on four kinds of bytes</title>"
    printf "  <desc id=\"desc\">A row for each version, with a mark for each of the four kinds of bytes along a scale in GB/s. NVIDIA H200, %s. The numbers are those of the table.</desc>\n", date
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; } .mid { text-anchor: middle; } .end { text-anchor: end; }"
    print "    .full { fill: #1f5fa8; } .half { fill: #9fc3ea; stroke: #1f5fa8; } .empty { fill: none; stroke: #1a1a1a; stroke-width: 2; } .cross { fill: none; stroke: #b04a00; stroke-width: 2; }"
    print "    .row { stroke: #d8d8d8; } .scale { stroke: #eeeeee; }"
    print "  </style>"
    printf "  <rect x=\"1\" y=\"1\" width=\"978\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", height - 2
    for (k = 1; k <= 4; k++) { mark(kinds[k], 230 + 150 * (k - 1), 26); text(244 + 150 * (k - 1), 31, "small", kinds[k]) }
    for (gb = 0; gb <= 4500; gb += 500) { line(at(gb), 50, at(gb), height - 50, "scale"); if (gb % 1000 == 0) text(at(gb), height - 30, "small mid", gb) }
    text(at(2250), height - 10, "small mid", "GB/s, 2^28 bytes; NVIDIA H200, " date)
    for (r = 1; r <= names; r++) {
      y = 40 + 34 * r
      text(195, y + 5, label[r] ~ /^histogram/ ? "end" : "bold end", label[r])
      line(at(0), y, at(4500), y, "row")
      for (k = 1; k <= 4; k++) mark(kinds[k], at(speed[label[r], kinds[k]]), y)
    }
    print "</svg>"
  }' h200.txt
