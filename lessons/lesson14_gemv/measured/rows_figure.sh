#!/bin/sh
# rows_figure.sh: prints figures/rows.svg: which weights are read at the same time in versions 1, 2 and 5. Nothing of it is measured; it stands here
# because tests/lessons/figures.test.sh looks for such scripts here.
set -eu

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function rect(x, y, w, h, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, w, h, class }
  # A matrix of 8 rows and 24 columns at (x, y); what is read first is dark, what is read next is lighter.
  function matrix(kind, x, y,    r, c, class) {
    for (r = 0; r < 8; r++)
      for (c = 0; c < 24; c++) {
        class = "word"
        if (kind == "lanes") class = c == 0 ? "strong" : c == 1 ? "next" : "word"
        if (kind == "warps") class = c < 4 ? "strong" : c < 8 ? "next" : "word"
        if (kind == "block") class = r < 2 && c < 16 ? "strong" : r < 2 ? "next" : "word"
        rect(x + c * 11, y + r * 18, 11, 18, class)
      }
  }
  BEGIN {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 290\" width=\"940\" height=\"290\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">What is read at the same time</title>"
    print "  <desc id=\"desc\">Three times a matrix of 8 rows. Version 1, a thread for each row: the lanes of a warp read the first word of each row, then the"
    print "  second one. Version 2, a warp for each row: each of 8 warps reads 4 neighbouring words of its row, then the next 4. Version 5, two rows for"
    print "  a block: the 8 warps of the block together read 16 neighbouring words of two rows, then the rest of these rows.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; }"
    print "    .word { fill: #ffffff; stroke: #8a8a8a; } .strong { fill: #1f5fa8; stroke: #1a1a1a; } .next { fill: #a9c8e8; stroke: #8a8a8a; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"938\" height=\"288\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    split("lanes warps block", kind, " ")
    split("version 1: a thread for each row|version 2: a warp for each row|version 5: two rows for a block", title, "|")
    split("a load of a warp: a column,|a load of a warp: neighbours;|8 warps: neighbours of two rows,", first, "|")
    split("each word in another sector|each warp in another row|a long piece of memory", second, "|")
    for (k = 1; k <= 3; k++) {
      x = 28 + (k - 1) * 306
      text(x, 36, "bold", title[k])
      matrix(kind[k], x, 52)
      text(x, 224, "small", first[k])
      text(x, 242, "small", second[k])
    }
    rect(28, 258, 11, 14, "strong"); text(46, 270, "small", "read at the same time")
    rect(208, 258, 11, 14, "next"); text(226, 270, "small", "read next")
    print "</svg>"
  }'
