#!/bin/sh
# order_figure.sh: prints figures/order.svg: which tiles are under way together, in versions 7 and 8. Nothing of it is measured (see banks_figure.sh).
set -eu

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function rect(x, y, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"24\" height=\"24\" class=\"%s\"/>\n", x, y, class }
  # 8 x 8 tiles; the first 12 in the order of the rows (down = 0) or of the columns (down = 1) are under way.
  function matrix(x, y, down,    r, c, number) {
    for (r = 0; r < 8; r++)
      for (c = 0; c < 8; c++) {
        number = down ? c * 8 + r : r * 8 + c
        rect(x + 24 * c, y + 24 * r, number < 12 ? "strong" : "word")
        if (number < 12) text(x + 24 * c + 12, y + 24 * r + 17, "small mid light", number)
      }
  }
  BEGIN {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 310\" width=\"960\" height=\"310\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">Which tiles are under way together</title>"
    print "  <desc id=\"desc\">Two pairs of matrices of 8 x 8 tiles, each with blocks 0 to 11 under way. Version 7: in the matrix in they fill row 0 of"
    print "  the tiles and half of row 1, so in the matrix out they fill column 0 and half of column 1. Version 8: in the matrix in they fill column 0"
    print "  and half of column 1, so in the matrix out they fill row 0 and half of row 1.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; } .mid { text-anchor: middle; } .light { fill: #ffffff; }"
    print "    .word { fill: #ffffff; stroke: #8a8a8a; } .strong { fill: #1f5fa8; stroke: #1a1a1a; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"958\" height=\"308\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    for (v = 0; v < 2; v++) {
      x = 30 + v * 480
      text(x, 32, "bold", v ? "version 8: down the columns of in" : "version 7: along the rows of in")
      text(x, 60, "small", "in (read)")
      text(x + 224, 60, "small", "out (written)")
      matrix(x, 70, v)
      matrix(x + 224, 70, !v)
      text(x, 288, "small", v ? "long pieces are written, short ones read" : "long pieces are read, short ones written")
    }
    print "</svg>"
  }'
