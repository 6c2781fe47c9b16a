#!/bin/sh
# tile_figure.sh: prints figures/tile.svg: the way of a tile through shared memory. Nothing of it is measured (see banks_figure.sh).
set -eu

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function rect(x, y, w, h, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, w, h, class }
  function arrow(x1, y1, x2, y2) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"arrow\" marker-end=\"url(#tip)\"/>\n", x1, y1, x2, y2 }
  # A matrix of tiles; the tile in (row, col) is dark.
  function matrix(x, y, rows, cols, row, col,    r, c) {
    for (r = 0; r < rows; r++)
      for (c = 0; c < cols; c++) rect(x + c * 36, y + r * 36, 36, 36, r == row && c == col ? "strong" : "word")
  }
  # Rows of a tile, or its columns, as stripes with arrows.
  function stripes(x, y, side, down,    k, p) {
    rect(x, y, side, side, "word")
    for (k = 0; k < 4; k++) {
      p = side * (k + 0.5) / 4
      if (down) arrow(x + p, y + 6, x + p, y + side - 8)
      else arrow(x + 6, y + p, x + side - 8, y + p)
    }
  }
  BEGIN {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 300\" width=\"940\" height=\"300\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">A tile on its way through shared memory</title>"
    print "  <desc id=\"desc\">Left, the matrix in, 4 rows and 6 columns of tiles; the tile in row 1, column 4 is dark. Its rows are read into a tile in shared"
    print "  memory, row by row. There they are read column by column, and written as rows into the matrix out, 6 rows and 4 columns of tiles, in row 4,"
    print "  column 1.</desc>"
    print "  <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#1a1a1a\"/></marker></defs>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; } .mid { text-anchor: middle; }"
    print "    .word { fill: #ffffff; stroke: #8a8a8a; } .strong { fill: #1f5fa8; stroke: #1a1a1a; } .arrow { stroke: #1a1a1a; stroke-width: 1.5; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"938\" height=\"298\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    text(30, 32, "bold", "in: rows x cols")
    matrix(30, 46, 4, 6, 1, 4)
    text(30, 216, "small", "the tile at (r0, c0)")
    text(400, 32, "bold mid", "the tile, twice")
    stripes(300, 70, 88, 0)
    stripes(416, 70, 88, 1)
    text(344, 180, "small mid", "filled row by row")
    text(460, 180, "small mid", "emptied column")
    text(460, 196, "small mid", "by column")
    text(402, 236, "small mid", "all threads wait in between: __syncthreads()")
    arrow(256, 118, 292, 118)
    arrow(392, 118, 412, 118)
    arrow(508, 118, 700, 190)
    text(700, 32, "bold", "out: cols x rows")
    matrix(710, 46, 6, 4, 4, 1)
    text(710, 284, "small", "belongs to (c0, r0)")
    print "</svg>"
  }'
