#!/bin/sh
# layouts_figure.sh > layouts.svg: eight pixels of three colours as an array of structs and as a struct of arrays, and where red is.
set -eu
awk '
  function text(x, y, class, what) { printf "  <text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, what }
  function cell_at(i, y, colour, pixel) {
    printf "  <rect x=\"%d\" y=\"%d\" width=\"30\" height=\"30\" class=\"%s%s\"/>\n", 40 + i * 30, y, colour, colour == "red" ? " wanted" : ""
    text(40 + i * 30 + 15, y + 20, "mid", substr(colour, 1, 1) pixel)
  }
  function sectors(y,   s) { for (s = 0; s < 3; s++) printf "  <rect x=\"%d\" y=\"%d\" width=\"240\" height=\"38\" class=\"sector\"/>\n", 40 + s * 240, y - 4 }
  BEGIN {
    split("red green blue", colour, " ")
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 262\" width=\"800\" height=\"262\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">Array of structs, struct of arrays</title>"
    print "  <desc id=\"desc\">24 numbers, which are the red, green and blue of eight pixels, in three sectors of 32 bytes. Array of structs: red 0, green 0, blue 0, red 1 and so on; the eight reds lie in all three sectors. Struct of arrays: red 0 to red 7, then green 0 to green 7, then blue 0 to blue 7; the eight reds fill one sector.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1a1a1a; }"
    print "    .mid { text-anchor: middle; } .bold { font-weight: bold; } rect { stroke: #8a8a8a; }"
    print "    .red { fill: #f6c1bd; } .green { fill: #ffffff; } .blue { fill: #ffffff; } .wanted { stroke: #1a1a1a; stroke-width: 2; }"
    print "    .sector { fill: none; stroke: #1a1a1a; stroke-width: 3; } .frame { fill: #ffffff; stroke: #c4c4c4; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"798\" height=\"260\" rx=\"8\" class=\"frame\"/>"
    text(40, 34, "bold", "array of structs: eight lanes load red, and three sectors move")
    for (i = 0; i < 24; i++) cell_at(i, 52, colour[i % 3 + 1], int(i / 3))
    sectors(52)
    text(40, 138, "bold", "struct of arrays: eight lanes load red, and one sector moves")
    for (i = 0; i < 24; i++) cell_at(i, 156, colour[int(i / 8) + 1], i % 8)
    sectors(156)
    text(40, 230, "", "thick frames: sectors of 32 bytes; r3 is the red of pixel 3")
    print "</svg>"
  }'
