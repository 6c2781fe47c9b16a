#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: digits, merge or columns. Numbers in them are computed here.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small mono bold mid end light lost on on2 cell axis rule link"; frame = ""
  looks["mono"] = mono " font-size: 14px;"
  looks["lost"] = "fill: #b03a2e;"
  looks["axis"] = "stroke: #8a8a8a; stroke-width: 1.2;"
  looks["rule"] = "stroke: #1a1a1a; stroke-width: 1.2; stroke-dasharray: 4 3;"
  looks["link"] = "stroke: #1a1a1a; stroke-width: 1.4; fill: none; marker-end: url(#tip);"
}
function dot(x, y, class) { printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" class=\"%s\"/>\n", x, y, class }

# The squares of 1000.25 and 999.75, as a float has them: 24 bits, so at a million it counts in sixteenths.
function as_float(value, unit) { return int(value / unit + 0.5) * unit }
function digits(   a, b, exact, mean_of_squares, square_of_mean) {
  begin(760, 214, "What a float keeps of a square", "Two numbers, 1000.1 and 999.9, and their squares: exact, and as a float, which counts in sixteenths there. The mean of the exact squares less the square of the mean is 0.01; that of the floats is 0.")
  a = 1000.1 ^ 2; b = 999.9 ^ 2
  text(24, 34, "bold", "The variance of 1000.1 and 999.9 is 0.01. Near a million a float counts in steps of 1/16.")
  text(280, 66, "small end", "exact"); text(470, 66, "small end", "as a float")
  text(24, 92, "", "1000.1 squared"); text(280, 92, "mono end", sprintf("%.4f", a)); text(470, 92, "mono end", sprintf("%.4f", as_float(a, 1 / 16)))
  text(24, 116, "", "999.9 squared"); text(280, 116, "mono end", sprintf("%.4f", b)); text(470, 116, "mono end", sprintf("%.4f", as_float(b, 1 / 16)))
  line(24, 126, 500, 126, "axis")
  mean_of_squares = as_float((as_float(a, 1 / 16) + as_float(b, 1 / 16)) / 2, 1 / 16); square_of_mean = 1000 ^ 2
  text(24, 148, "", "their mean"); text(280, 148, "mono end", sprintf("%.4f", (a + b) / 2)); text(470, 148, "mono end", sprintf("%.4f", mean_of_squares))
  text(24, 172, "", "1000 squared"); text(280, 172, "mono end", sprintf("%.4f", square_of_mean)); text(470, 172, "mono end", sprintf("%.4f", square_of_mean))
  line(24, 180, 500, 180, "axis")
  text(24, 200, "bold", "the difference"); text(280, 200, "mono end", sprintf("%.4f", (a + b) / 2 - square_of_mean)); text(470, 200, "mono end lost", sprintf("%.4f", mean_of_squares - square_of_mean))
  text(520, 200, "small", "all ten digits agree: nothing is left")
}

# Two sets on a line, and what becomes of their triples.
function at(x) { return 60 + 64 * x }
function set(y, class, list,   n, v, k, mean, m2) {
  n = split(list, v, " ")
  for (k = 1; k <= n; k++) mean += v[k] / n
  for (k = 1; k <= n; k++) m2 += (v[k] - mean) ^ 2
  line(at(0), y, at(10), y, "axis")
  for (k = 1; k <= n; k++) dot(at(v[k]), y, class)
  line(at(mean), y - 22, at(mean), y + 14, "rule")
  text(at(mean), y - 28, "small mid", "mean " mean)
  count = n; the_mean = mean; the_m2 = m2
}
function merge(   na, ma, m2a, nb, mb, m2b, apart, m2) {
  begin(760, 330, "Two triples are merged", "Three numbers 1, 2 and 3 with mean 2 and squared distances 2; six numbers around 8 with squared distances 4. Together nine numbers, whose mean lies twice as near to the larger set, and whose squared distances are 2 plus 4 plus what the distance of the means adds.")
  text(24, 32, "", "A triple: how many numbers, their mean, and m2, the sum of their squared distances from the mean.")
  set(92, "on", "1 2 3"); na = count; ma = the_mean; m2a = the_m2
  text(24, 124, "small", sprintf("a: count %d, mean %g, m2 = %g", na, ma, m2a))
  set(182, "on2", "7 7 8 8 9 9"); nb = count; mb = the_mean; m2b = the_m2
  text(24, 214, "small", sprintf("b: count %d, mean %g, m2 = %g (each dot stands for two numbers)", nb, mb, m2b))
  apart = mb - ma
  m2 = m2a + m2b + apart ^ 2 * na * nb / (na + nb)
  line(at(0), 270, at(10), 270, "axis")
  for (k = 1; k <= 3; k++) { dot(at(k), 270, "on"); dot(at(6 + k), 270, "on2") }
  line(at(ma), 276, at(mb), 276, "link")
  line(at(ma + apart * nb / (na + nb)), 248, at(ma + apart * nb / (na + nb)), 284, "rule")
  text(at(ma + apart * nb / (na + nb)), 242, "small mid", "mean " ma + apart * nb / (na + nb))
  text(24, 308, "small", sprintf("both: count %d, mean %g + %g * %d/%d = %g, m2 = %g + %g + %g * %g * %d * %d / %d = %g", na + nb, ma, apart, nb, na + nb,
    ma + apart * nb / (na + nb), m2a, m2b, apart, apart, na, nb, na + nb, m2))
}

function columns(   block, row, c, y, x) {
  begin(760, 372, "The column sums of the backward pass", "Two blocks take the rows of x and dy in turns. Each keeps the sums of its eight columns in registers while it goes down its rows, and writes them to a row of partial. A second kernel adds up the rows of partial, column by column.")
  text(24, 32, "", "Each block takes every second row here, and keeps its columns&#8217; sums in registers.")
  text(48, 62, "small", "rows of x and dy")
  for (row = 0; row < 6; row++) {
    for (c = 0; c < 8; c++) rect(48 + 26 * c, 72 + 26 * row, 26, 26, row % 2 ? "on2" : "on")
    text(40, 90 + 26 * row, "small end", row)
    line(260, 85 + 26 * row, 326 - (row % 2 ? 0 : 0), row % 2 ? 196 : 110, "link")
  }
  for (block = 0; block < 2; block++) {
    y = block ? 184 : 98
    text(336, y - 8, "small", "block " block ": sums in registers")
    for (c = 0; c < 8; c++) rect(336 + 26 * c, y, 26, 26, block ? "on2" : "on")
    line(548, y + 13, 598, block ? 164 : 138, "link")
  }
  text(606, 112, "small", "partial")
  for (block = 0; block < 2; block++) for (c = 0; c < 8; c++) rect(606 + 15 * c, 124 + 26 * block, 15, 26, block ? "on2" : "on")
  for (c = 0; c < 8; c++) { line(613.5 + 15 * c, 180, 613.5 + 15 * c, 262, "link"); rect(606 + 15 * c, 268, 15, 26, "cell") }
  text(738, 312, "small end", "dgamma (dbeta likewise)")
  text(596, 226, "small end", "a second, small kernel adds up partial,")
  text(596, 244, "small end", "always in the same order")
  text(24, 344, "small", "dx of a row leaves at once. What goes through partial is one row of sums for each block, not for each row.")
}

BEGIN {
  if (figure == "digits") digits()
  else if (figure == "merge") merge()
  else columns()
  print "</svg>"
}'
