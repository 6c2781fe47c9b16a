#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: ring or shots. The sums in the ring's cells are added up here, step by step.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" '
function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, s }
function cell(x, y, width, class, s) {
  printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"24\" class=\"%s\"/>\n", x, y, width, class
  text(x + width / 2, y + 16, class == "on" ? "mono mid light" : "mono mid", s)
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
  print "    .mono { font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace; font-size: 12px; }"
  print "    .bold { font-weight: bold; }"
  print "    .mid { text-anchor: middle; }"
  print "    .end { text-anchor: end; }"
  print "    .light { fill: #ffffff; }"
  print "    .on { fill: #1f5fa8; stroke: #1a1a1a; }"
  print "    .on2 { fill: #a9c6e8; stroke: #1a1a1a; }"
  print "    .cell { fill: #ffffff; stroke: #1a1a1a; }"
  print "    .link { stroke: #1a1a1a; stroke-width: 1.2; fill: none; marker-end: url(#tip); }"
  print "  </style>"
  print "  <defs>"
  print "    <marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1a1a1a\"/></marker>"
  print "  </defs>"
  printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
}

# Device d, chunk c: from which device on it is added up, and how many there are.
function ring_row(step, y,   d, c, label) {
  for (d = 0; d < 4; d++)
    for (c = 0; c < 4; c++) {
      label = count[d, c] == 4 ? "all" : count[d, c] == 1 ? d : first[d, c] "-" (first[d, c] + count[d, c] - 1) % 4
      cell(90 + 190 * d + 42 * c, y, 42, count[d, c] == 4 ? "on" : moved[d, c] ? "on2" : "cell", label)
    }
  text(76, y + 16, "small end", step == 0 ? "before" : "step " step)
}
function ring(   d, c, step, from, y, old, start) {
  begin(870, 440, "A ring of four devices", "Four devices with four chunks each. In steps 1 to 3 each device adds a chunk of the device before it to its own; then each has one chunk with all four. In steps 4 to 6 the finished chunks go round.")
  text(24, 28, "bold", "Reduce-scatter (steps 1 to 3), then all-gather (4 to 6)")
  for (d = 0; d < 4; d++) { text(90 + 190 * d + 84, 56, "mid bold", "device " d); for (c = 0; c < 4; c++) { count[d, c] = 1; first[d, c] = d } }
  ring_row(0, 66)
  for (step = 1; step <= 6; step++) {
    y = 66 + 52 * step
    for (d = 0; d < 4; d++) for (c = 0; c < 4; c++) { old[d, c] = count[d, c]; start[d, c] = first[d, c]; moved[d, c] = 0 }
    for (d = 0; d < 4; d++) {
      from = (d + 3) % 4
      c = (from - (step - 1) + 8) % 4
      moved[d, c] = 1
      first[d, c] = start[from, c]
      count[d, c] = step <= 3 ? old[from, c] + 1 : old[from, c]
      if (d > 0) arrow(90 + 190 * from + 42 * c + 21, y - 28, 90 + 190 * d + 42 * c + 16, y - 2)
    }
    ring_row(step, y)
  }
  text(24, 430, "small", "2-0 is the sum of devices 2, 3 and 0. Light: what came in this step (to device 0 from device 3). Dark: complete.")
}

# What comes in through the link of a device, in arrays, for 4 devices.
function bar(y, name, steps, device0, others) {
  text(24, y + 16, "mono", name)
  text(170, y + 16, "small", steps)
  if (device0 != others) {
    printf "  <rect x=\"330\" y=\"%.1f\" width=\"%.1f\" height=\"12\" class=\"on\"/>\n", y, 120 * device0
    printf "  <rect x=\"330\" y=\"%.1f\" width=\"%.1f\" height=\"12\" class=\"on2\"/>\n", y + 12, 120 * others
  } else
    printf "  <rect x=\"330\" y=\"%.1f\" width=\"%.1f\" height=\"24\" class=\"on2\"/>\n", y, 120 * others
  text(340 + 120 * (device0 > others ? device0 : others), y + 16, "small", device0 == others ? others : device0 " (device 0), " others)
}
function shots() {
  begin(870, 306, "What comes in through a link", "Arrays that come in through the link of a device, and steps one after the other, for four devices. Gather: 3 arrays to device 0, 1 to the others, 4 steps or more. Ring: 1.5, 6 steps. Tree: 2 to device 0, at most 2 to others, 4 steps. One shot: 3 arrays, 1 step. Two shots: 1.5 arrays, 2 steps.")
  text(24, 28, "bold", "Arrays that come in through the link of a device; four devices")
  text(170, 52, "small", "one after the other")
  bar(64, "gather1", "4 steps", 3, 1)
  bar(108, "ring2", "6 steps", 1.5, 1.5)
  bar(152, "tree3", "4 steps", 2, 1)
  bar(196, "oneshot 4 to 6", "1 step", 3, 3)
  bar(240, "twoshot 7", "2 steps", 1.5, 1.5)
  text(24, 292, "small", "With tree3, device 2 has two arrays coming in as well: one to be added, one with the sums.")
}
BEGIN {
  if (figure == "ring") ring()
  else shots()
  print "</svg>"
}'
