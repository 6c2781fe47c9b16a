#!/bin/sh
# roofline_figure.sh < points > roofline.svg: how fast versions run, over the floating-point operations that they do for each byte.
#
# A line for each version, `name | FLOP per byte loaded | FLOP per byte of memory | TFLOP/s | where its name stands`:
#     title: A product of 4096 x 4096 matrices     (needed)
#     note: NVIDIA H200, 2026-11-21                (machine and date, needed: a value without them says nothing)
#     memory: 4231 | copy kernel, same run         (GB/s, needed, with its source: the roof that rises)
#     peak: 66.9 | 132 multiprocessors x ...       (TFLOP/s, needed, with its source: the flat roof)
#     sgemm_kernel2 | 0.40 | 7.7 | 5.66 | left
# The first number counts the bytes that the loads ask for (a circle), the second those that came from memory (a dot); `-` leaves one
# out. Where: left, right, above or below. Keep it as lessons/lessonNN_name/figures/roofline.svg, with a script measured/roofline.sh beside
# the record that prints the points from it: tests/lessons/tables.test.sh looks whether the two agree.
set -eu

awk "$(cat "$(dirname "$0")/figure.awk")"'
function refuse(why) { print "roofline_figure.sh: line " FNR ": " why ": " $0 >"/dev/stderr"; failed = 1; exit 1 }
function show(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : v >= 0.1 ? sprintf("%.2f", v) : sprintf("%.3f", v) }
function log2(v) { return log(v) / log(2) }
function across(v) { return left + (log2(v) - x0) / (x1 - x0) * (right - left) }
function up(v) { return bottom - (log2(v) - y0) / (y1 - y0) * (bottom - top) }
function floor(v,    i) { i = int(v); return i > v ? i - 1 : i }
function include(x) { if (x < least) least = x; if (x > most) most = x }

/^[ \t]*(#|$)/ { next }
/^(title|note|memory|peak):/ {
  key = $0; sub(/:.*/, "", key)
  value = $0; sub(/^[a-z]*:/, "", value)
  if (key == "memory" || key == "peak") { split(value, part, "|"); roof[key] = number(part[1]); value = part[2] }
  word[key] = trim(value)
  next
}
{
  if (split($0, part, "|") != 5) refuse("not `name | loaded | memory | TFLOP/s | where`")
  count++
  name[count] = trim(part[1]); where[count] = trim(part[5])
  loaded[count] = trim(part[2]) == "-" ? 0 : number(part[2])
  real[count] = trim(part[3]) == "-" ? 0 : number(part[3])
  speed[count] = number(part[4])
  if (!loaded[count] && !real[count]) refuse("no FLOP per byte")
  if (where[count] !~ /^(left|right|above|below)$/) refuse("not left, right, above or below")
}

END {
  if (failed) exit 1
  if (!count || !("title" in word) || !("note" in word) || !("memory" in word) || !("peak" in word)) {
    print "roofline_figure.sh: a title, a note, memory, peak and at least one version are needed" >"/dev/stderr"
    exit 1
  }
  least = 1; most = 4 * roof["peak"] * 1000 / roof["memory"]; slowest = speed[1]
  for (i = 1; i <= count; i++) {
    if (loaded[i]) include(loaded[i])
    if (real[i]) include(real[i])
    if (speed[i] < slowest) slowest = speed[i]
  }
  width = 820; height = 540; left = 76; right = 790; top = 84; bottom = 470
  x0 = floor(log2(least)) - 1; x1 = floor(log2(most)) + 1; y0 = floor(log2(slowest)) - 1; y1 = floor(log2(roof["peak"])) + 1

  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n", width, height, width, height
  printf "  <title id=\"title\">%s</title>\n", xml(word["title"])
  description = word["note"] ". Roofs: memory " show(roof["memory"]) " GB/s (" word["memory"] "), arithmetic " show(roof["peak"]) " TFLOP/s (" word["peak"] ")."
  for (i = 1; i <= count; i++) {
    description = description " " name[i] ": " show(speed[i]) " TFLOP/s"
    if (loaded[i]) description = description ", " show(loaded[i]) " FLOP per byte loaded"
    if (real[i]) description = description ", " show(real[i]) " per byte of memory"
    description = description "."
  }
  printf "  <desc id=\"desc\">%s</desc>\n", xml(description)
  print "  <style>"
  print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
  print "    .small { font-size: 12px; }"
  print "    .bold { font-weight: bold; }"
  print "    .end { text-anchor: end; }"
  print "    .mid { text-anchor: middle; }"
  print "    .roof { stroke: #1a1a1a; stroke-width: 2.5; fill: none; }"
  print "    .grid { stroke: #e2e2e2; stroke-width: 1; }"
  print "    .link { stroke: #1f5fa8; stroke-width: 1.5; stroke-dasharray: 3 3; }"
  print "    .loaded { fill: #ffffff; stroke: #1f5fa8; stroke-width: 2; }"
  print "    .real { fill: #1f5fa8; stroke: #1f5fa8; stroke-width: 2; }"
  print "    .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 4; }"
  print "  </style>"
  printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
  text(24, 30, "bold", word["title"])
  text(24, 50, "small", word["note"])

  for (e = x0; e <= x1; e++) {
    line(across(2 ^ e), top, across(2 ^ e), bottom, "grid")
    if (e % 2 == 0) text(across(2 ^ e), bottom + 18, "small mid", e < 0 ? "1/" 2 ^ -e : 2 ^ e)
  }
  for (e = y0; e <= y1; e++) {
    line(left, up(2 ^ e), right, up(2 ^ e), "grid")
    if (e % 2 == 0) text(left - 8, up(2 ^ e) + 4, "small end", e < 0 ? "1/" 2 ^ -e : 2 ^ e)
  }
  text((left + right) / 2, bottom + 38, "small mid", "floating-point operations per byte")
  printf "  <text transform=\"translate(26 %.1f) rotate(-90)\" class=\"small mid\">TFLOP/s</text>\n", (top + bottom) / 2

  # The roofs: bandwidth times operations per byte, as far as the peak.
  ridge = roof["peak"] * 1000 / roof["memory"]
  start = 2 ^ y0 * 1000 / roof["memory"]
  if (start < 2 ^ x0) start = 2 ^ x0
  printf "  <path class=\"roof\" d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f\"/>\n", across(start), up(start * roof["memory"] / 1000), across(ridge), up(roof["peak"]), right, up(roof["peak"])
  angle = atan2(up(1) - up(2), across(2) - across(1)) * 180 / 3.14159265
  middle = exp((2 * log(start) + log(ridge)) / 3)
  printf "  <text transform=\"translate(%.1f %.1f) rotate(%.1f)\" class=\"small mid halo\">%s</text>\n", across(middle) - 8, up(middle * roof["memory"] / 1000) - 8, -angle, xml("memory: " show(roof["memory"]) " GB/s, " word["memory"])
  text(right - 4, up(roof["peak"]) - 8, "small end", "fp32: " show(roof["peak"]) " TFLOP/s, " word["peak"])

  for (i = 1; i <= count; i++) {
    y = up(speed[i]); first = loaded[i] ? loaded[i] : real[i]; last = real[i] ? real[i] : loaded[i]
    if (last < first) { other = first; first = last; last = other }
    if (first != last) line(across(first), y, across(last), y, "link")
    if (loaded[i]) printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"loaded\"/>\n", across(loaded[i]), y
    if (real[i]) printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"real\"/>\n", across(real[i]), y
    label = name[i] " " show(speed[i])
    if (where[i] == "left") text(across(first) - 10, y + 4, "small end halo", label)
    if (where[i] == "right") text(across(last) + 10, y + 4, "small halo", label)
    if (where[i] == "above") text((across(first) + across(last)) / 2, y - 10, "small mid halo", label)
    if (where[i] == "below") text((across(first) + across(last)) / 2, y + 20, "small mid halo", label)
  }
  y = height - 14
  printf "  <circle cx=\"84\" cy=\"%.1f\" r=\"5\" class=\"loaded\"/>\n", y - 4
  text(96, y, "small", "per byte that the loads ask for")
  printf "  <circle cx=\"300\" cy=\"%.1f\" r=\"5\" class=\"real\"/>\n", y - 4
  text(312, y, "small", "per byte that came from the device'"'"'s memory (the caches answered the rest)")
  print "</svg>"
}'
