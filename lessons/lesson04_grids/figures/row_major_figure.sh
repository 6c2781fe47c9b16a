#!/bin/sh
# row_major_figure.sh > row_major.svg: a picture of 6 x 3 numbers with a pitch of 8, and how it lies in memory.
set -eu
awk '
  function text(x, y, class, what) { printf "  <text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, what }
  function box(x, y, class) { printf "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"26\" class=\"%s\"/>\n", x, y, cell, class }
  function kind(column, row) { return column >= 6 ? "gap" : column == 2 && row == 1 ? "this" : "row" row }
  BEGIN {
    cell = 32
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 300\" width=\"820\" height=\"300\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">Row-major order</title>"
    print "  <desc id=\"desc\">Above: a picture of three rows with six numbers each, and a gap of two behind each row, so that the pitch is 8. The number at x = 2, y = 1 is marked. Below: the same numbers in one line of memory, row after row. The marked one has the index 1 times 8 plus 2, which is 10.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1a1a1a; }"
    print "    .mid { text-anchor: middle; } .end { text-anchor: end; } .bold { font-weight: bold; } .small { font-size: 11px; }"
    print "    rect { stroke: #1a1a1a; } .row0 { fill: #dbe9f8; } .row1 { fill: #a9c6e8; } .row2 { fill: #7fa8d8; }"
    print "    .gap { fill: #ffffff; stroke-dasharray: 3 3; } .this { fill: #ffd24d; stroke-width: 2.5; }"
    print "    .measure { stroke: #1a1a1a; stroke-width: 1.5; fill: none; } .frame { fill: #ffffff; stroke: #c4c4c4; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"818\" height=\"298\" rx=\"8\" class=\"frame\"/>"
    left = 130
    for (column = 0; column < 6; column++) text(left + column * cell + cell / 2, 30, "mid small", column)
    text(left - 10, 30, "end", "x =")
    for (row = 0; row < 3; row++) {
      text(left - 10, 40 + row * 26 + 18, "end", "y = " row)
      for (column = 0; column < 8; column++) box(left + column * cell, 40 + row * 26, kind(column, row))
    }
    y = 40 + 3 * 26 + 14
    printf "  <path class=\"measure\" d=\"M%d %dv8m0 -4h%dm0 -4v8\"/>\n", left, y - 4, 6 * cell - 2
    text(left + 3 * cell, y + 20, "mid", "width 6")
    printf "  <path class=\"measure\" d=\"M%d %dv8m0 -4h%dm0 -4v8\"/>\n", left, y + 28, 8 * cell - 2
    text(left + 4 * cell, y + 52, "mid", "pitch 8")
    text(420, 66, "bold", "index = y * pitch + x")
    text(420, 90, "", "the marked number: x = 2, y = 1")
    text(420, 110, "", "index = 1 * 8 + 2 = 10")
    text(420, 134, "small", "dashed: between the rows, nobody\047s")
    left = 26
    text(left, 212, "bold", "in memory")
    for (i = 0; i < 24; i++) {
      box(left + i * cell, 222, kind(i % 8, int(i / 8)))
      text(left + i * cell + cell / 2, 264, "mid small", i)
    }
    for (row = 0; row < 3; row++) text(left + (row * 8 + 3) * cell, 284, "mid small", "row y = " row)
    print "</svg>"
  }'
