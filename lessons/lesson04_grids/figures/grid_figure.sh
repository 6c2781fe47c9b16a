#!/bin/sh
# grid_figure.sh > grid.svg: blocks of 8 x 4 threads over a picture of 21 x 10 pixels, and one thread of them.
set -eu
awk '
  function text(x, y, class, what) { printf "  <text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, what }
  BEGIN {
    cell = 20; left = 60; top = 64; wide = 21; high = 10; bx = 8; by = 4; tx = 11; ty = 6
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 340\" width=\"820\" height=\"340\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">A grid over a picture</title>"
    print "  <desc id=\"desc\">A picture of 21 x 10 pixels is covered by 3 x 3 blocks of 8 x 4 threads. The blocks stick out by three columns on the right and by two rows at the bottom; these threads have no pixel. The thread 3, 2 of the block 1, 1 has the pixel x = 1 times 8 plus 3 = 11, y = 1 times 4 plus 2 = 6.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1a1a1a; }"
    print "    .mid { text-anchor: middle; } .end { text-anchor: end; } .bold { font-weight: bold; } .small { font-size: 11px; }"
    print "    .pixel { fill: #dbe9f8; stroke: #8fa9c4; } .none { fill: #ffffff; stroke: #c4c4c4; stroke-dasharray: 2 3; }"
    print "    .this { fill: #ffd24d; stroke: #1a1a1a; stroke-width: 2; } .block { fill: none; stroke: #1a1a1a; stroke-width: 2.5; }"
    print "    .axis { stroke: #1a1a1a; stroke-width: 1.5; fill: none; } .frame { fill: #ffffff; stroke: #c4c4c4; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"818\" height=\"338\" rx=\"8\" class=\"frame\"/>"
    for (y = 0; y < 12; y++) for (x = 0; x < 24; x++)
      printf "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n", left + x * cell, top + y * cell, cell, cell,
        x < wide && y < high ? "pixel" : "none"
    printf "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"this\"/>\n", left + tx * cell, top + ty * cell, cell, cell
    for (y = 0; y < 3; y++) for (x = 0; x < 3; x++)
      printf "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"block\"/>\n", left + x * bx * cell, top + y * by * cell, bx * cell, by * cell
    for (x = 0; x < 3; x++) text(left + (x + 0.5) * bx * cell, top - 10, "mid small", "blockIdx.x " x)
    for (y = 0; y < 3; y++) printf "  <text transform=\"translate(%d %d) rotate(-90)\" class=\"mid small\">blockIdx.y %d</text>\n", left - 10, top + (y + 0.5) * by * cell, y
    printf "  <path class=\"axis\" d=\"M%d 30h80m-8 -4l8 4l-8 4\"/>\n", left
    text(left + 88, 34, "bold", "x")
    printf "  <path class=\"axis\" d=\"M24 %dv60m-4 -8l4 8l4 -8\"/>\n", top
    text(20, top + 78, "bold", "y")
    right = left + 24 * cell + 20
    text(right, 90, "bold", "threadIdx (3, 2)")
    text(right, 110, "bold", "of blockIdx (1, 1)")
    text(right, 140, "", "x = 1 * 8 + 3 = 11")
    text(right, 162, "", "y = 1 * 4 + 2 = 6")
    text(right, 204, "", "white: threads that")
    text(right, 222, "", "have no pixel, on the")
    text(right, 240, "", "right and at the bottom")
    print "</svg>"
  }'
