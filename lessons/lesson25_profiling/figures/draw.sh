#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: method or timeline. The timeline shows an order, and no times.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" '
function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, s }
function box(x, y, width, height, class, s) {
  printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, class
  text(x + width / 2, y + height / 2 + 4, class == "on" ? "small mid light" : "small mid", s)
}
function arrow(x1, y1, x2, y2) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"link\"/>\n", x1, y1, x2, y2 }
function begin(width, height, title, description) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" ", width, height, width, height
  print "aria-labelledby=\"title desc\">"
  print "  <title id=\"title\">" title "</title>"
  print "  <desc id=\"desc\">" description "</desc>"
  print "  <style>"
  print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
  print "    .small { font-size: 12px; }"
  print "    .bold { font-weight: bold; }"
  print "    .mid { text-anchor: middle; }"
  print "    .light { fill: #ffffff; }"
  print "    .on { fill: #1f5fa8; stroke: #1a1a1a; }"
  print "    .cell { fill: #ffffff; stroke: #1a1a1a; }"
  print "    .idle { fill: #e4e4e4; stroke: #8a8a8a; stroke-dasharray: 4 3; }"
  print "    .link { stroke: #1a1a1a; stroke-width: 1.2; fill: none; marker-end: url(#tip); }"
  print "  </style>"
  print "  <defs>"
  print "    <marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1a1a1a\"/></marker>"
  print "  </defs>"
  printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
}

function method(   k, n, name, what) {
  begin(720, 190, "One turn of the method", "Five boxes from left to right: question, limit, counter, change, again. An arrow leads from the last one back to the first.")
  n = split("question|limit|counter|change|again", name, "|")
  split("what takes|how fast could|which number|one thing|is that|the time?|it be at best?|says why not?|alone|better? where?", what, "|")
  for (k = 1; k <= n; k++) {
    box(20 + 138 * (k - 1), 40, 118, 34, "on", name[k])
    text(79 + 138 * (k - 1), 96, "small mid", what[k])
    text(79 + 138 * (k - 1), 112, "small mid", what[k + n])
    if (k < n) arrow(138 + 138 * (k - 1), 57, 156 + 138 * (k - 1), 57)
  }
  printf "  <path d=\"M 631 122 V 152 H 79 V 122\" class=\"link\"/>\n"
  text(355, 170, "small mid", "until the limit is near, or what is left is not worth it")
}

# Host and device of one frame and a bit. A launch is short; the device begins when it has been told.
function timeline(   k, x, name, n) {
  begin(720, 300, "Who waits for whom", "Two pairs of rows. Above, the host launches a kernel, waits, launches the next: the device has a gap behind each kernel. Below, the host launches all and the device works without a gap.")
  n = split("scale turn shape energy scale", name, " ")
  text(20, 34, "bold", "pipeline5: the host waits after each kernel")
  text(20, 70, "small", "host")
  text(20, 114, "small", "device")
  for (k = 1; k <= n; k++) {
    x = 80 + 124 * (k - 1)
    box(x, 54, 26, 24, "cell", "L")
    box(x + 26, 54, 98, 24, "idle", "waits")
    box(x + 26, 98, 62, 24, "on", name[k])
    box(x + 88, 98, 36, 24, "idle", "idle")
    arrow(x + 13, 78, x + 28, 97)
  }
  text(20, 174, "bold", "pipeline6: the host queues everything")
  text(20, 210, "small", "host")
  text(20, 254, "small", "device")
  for (k = 1; k <= n; k++) {
    box(80 + 26 * (k - 1), 194, 26, 24, "cell", "L")
    box(106 + 62 * (k - 1), 238, 62, 24, "on", name[k])
  }
  arrow(93, 218, 108, 237)
  text(440, 254, "small", "... and so on, without a gap")
  text(230, 210, "small", "L: a launch. The host is free for other work.")
  text(20, 286, "small", "An order, not a measurement: how long each box is, nsys says.")
}

BEGIN {
  if (figure == "method") method()
  else if (figure == "timeline") timeline()
  else exit 1
  print "</svg>"
}'
