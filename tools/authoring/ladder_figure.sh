#!/bin/sh
# ladder_figure.sh < rungs > ladder.svg: a lesson's versions as bars, next to the library that they are compared with.
#
# A line for each rung, `name | value | the peer's value | unit`, and a few lines of words:
#     title: Sum of 2^28 floats                    (needed)
#     peer: CUB DeviceReduce                       (needed: whose value the third column is)
#     note: NVIDIA H200, 2026-11-21                (machine and date, needed: a value without them says nothing)
#     limit: 4800 | the memory's data sheet        (a line that nothing can cross, may be left out)
#     sum_kernel1 | 812.5 | 4380.1 | GB/s
# Keep it as lessons/lessonNN_name/figures/ladder.svg, with a script measured/ladder.sh beside the record that prints the rungs from
# it: tests/lessons/tables.test.sh looks whether the two agree.
# Lines that are empty or begin with # are skipped. Every value is from a record; this script computes only percentages.
set -eu

awk "$(cat "$(dirname "$0")/figure.awk")"'
function refuse(why) { print "ladder_figure.sh: line " FNR ": " why ": " $0 >"/dev/stderr"; failed = 1; exit 1 }
function show(v) { return v >= 1000 ? sprintf("%.0f", v) : v >= 100 ? sprintf("%.1f", v) : sprintf("%.2f", v) }
function at(v) { return left + v / scale * span }
# The next round number that five steps of an axis can have.
function step_for(v,    power) {
  power = exp(log(10) * int(log(v / 5) / log(10) - (v < 5)))
  return power * (v / 5 <= power ? 1 : v / 5 <= 2 * power ? 2 : v / 5 <= 5 * power ? 5 : 10)
}

/^[ \t]*(#|$)/ { next }
/^(title|peer|note|limit):/ {
  key = $0; sub(/:.*/, "", key)
  value = $0; sub(/^[a-z]*:/, "", value)
  if (key == "limit") { split(value, part, "|"); limit = number(part[1]); limit_name = trim(part[2]) }
  word[key] = trim(value)
  next
}
{
  if (split($0, part, "|") != 4) refuse("not `name | value | peer | unit`")
  count++
  name[count] = trim(part[1]); mine[count] = number(part[2]); peer[count] = number(part[3])
  if (count > 1 && trim(part[4]) != unit) refuse("another unit than " unit)
  unit = trim(part[4])
  if (mine[count] > most) most = mine[count]
  if (peer[count] > most) most = peer[count]
}

END {
  if (failed) exit 1
  for (key in word) seen[key] = 1
  if (!count || !seen["title"] || !seen["peer"] || !seen["note"]) {
    print "ladder_figure.sh: a title, a peer, a note and at least one rung are needed" >"/dev/stderr"
    exit 1
  }
  if (limit > most) most = limit
  width = 820; left = 190; right = 130; span = width - left - right; row = 30; top = 92
  step = step_for(most); scale = most * 1.02
  bottom = top + count * row; height = bottom + 64

  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n", width, height, width, height
  printf "  <title id=\"title\">%s</title>\n", xml(word["title"])
  description = word["note"] ". In " unit ":"
  for (i = 1; i <= count; i++) description = description " " name[i] " " show(mine[i]) " (" sprintf("%.0f", 100 * mine[i] / peer[i]) " % of " word["peer"] ")" (i < count ? "," : ".")
  printf "  <desc id=\"desc\">%s</desc>\n", xml(description)
  print "  <style>"
  print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
  print "    .small { font-size: 12px; }"
  print "    .bold { font-weight: bold; }"
  print "    .end { text-anchor: end; }"
  print "    .mid { text-anchor: middle; }"
  print "    .bar { fill: #a9c6e8; stroke: #1a1a1a; }"
  print "    .best { fill: #1f5fa8; stroke: #1a1a1a; }"
  print "    .peer { stroke: #1a1a1a; stroke-width: 2; stroke-dasharray: 6 4; }"
  print "    .halo { stroke: #ffffff; stroke-width: 5; }"
  print "    .limit { stroke: #8a8a8a; stroke-width: 2; }"
  print "    .grid { stroke: #d8d8d8; stroke-width: 1; }"
  print "  </style>"
  printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
  text(24, 30, "bold", word["title"])
  text(24, 50, "small", word["note"])

  for (v = 0; v <= most * 1.001; v += step) {
    line(at(v), top - 6, at(v), bottom, "grid")
    text(at(v), bottom + 18, "small mid", v)
  }
  text(left + span / 2, bottom + 40, "small mid", unit)

  # The peer is a line where it has one value, a mark in each row otherwise.
  best = 1
  for (i = 2; i <= count; i++) if (mine[i] > mine[best]) best = i
  for (i = 1; i <= count; i++) {
    y = top + (i - 1) * row
    text(left - 10, y + 18, "end", name[i])
    printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", left, y + 4, at(mine[i]) - left, row - 8, i == best ? "best" : "bar"
    text(width - right + 8, y + 18, i == best ? "bold" : "", show(mine[i]) " (" sprintf("%.0f", 100 * mine[i] / peer[i]) " %)")
    line(at(peer[i]), y - 1, at(peer[i]), y + row - 1, "halo") # so that the line is seen on a bar as well
    line(at(peer[i]), y - 1, at(peer[i]), y + row - 1, "peer")
  }
  text(at(peer[1]) - 6, top - 12, "small end", word["peer"] " " show(peer[1]) " = 100 %")
  if (limit) {
    line(at(limit), top - 6, at(limit), bottom, "limit")
    text(at(limit) - 6, top - 26, "small end", limit_name " " show(limit))
    line(at(limit), top - 36, at(limit), top - 6, "limit")
  }
  print "</svg>"
}'
