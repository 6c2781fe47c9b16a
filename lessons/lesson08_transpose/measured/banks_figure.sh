#!/bin/sh
# banks_figure.sh: prints figures/banks.svg: in which bank each word of a tile lies, for 8 banks and a tile of 8 x 8: plain, with padding, and with a
# swizzle. Nothing of it is measured; it stands here because tests/lessons/figures.test.sh looks for such scripts here.
set -eu

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function box(x, y, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n", x, y, side, side, class }
  # XOR of two numbers below 8.
  function xor(a, b,    bit, sum) { for (bit = 1; bit < 8; bit *= 2) if (int(a / bit) % 2 != int(b / bit) % 2) sum += bit; return sum + 0 }
  # Tile `kind`, its upper left corner at (x, y). Each word: its column in the matrix; above: its bank.
  function tile(kind, x, y,    r, w, c, words, class) {
    words = kind == "padding" ? 9 : 8
    for (r = 0; r < 8; r++) {
      text(x - 10, y + r * side + 17, "small end", "row " r)
      for (w = 0; w < words; w++) {
        c = kind == "swizzle" ? xor(w, r) : w
        class = w == 8 ? "empty" : c == 3 ? "strong" : "word"
        box(x + w * side, y + r * side, class)
        if (w < 8) text(x + (w + 0.5) * side, y + r * side + 17, c == 3 ? "mid light" : "mid", kind == "padding" ? (9 * r + w) % 8 : w)
      }
    }
  }
  BEGIN {
    side = 25
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 330\" width=\"980\" height=\"330\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">The banks of a tile: plain, with padding, with a swizzle</title>"
    print "  <desc id=\"desc\">A tile of 8 x 8 words in a shared memory of 8 banks. The number in a word is its bank. Column 3 is dark. In the plain"
    print "  tile all of its words lie in bank 3. With padding, a word more in each row, they lie in the banks 3 4 5 6 7 0 1 2. With the swizzle, where"
    print "  word c of row r is stored in place c xor r, they lie in the banks 3 2 1 0 7 6 5 4. A row lies in 8 banks in all three.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .bold { font-weight: bold; } .mid { text-anchor: middle; } .end { text-anchor: end; } .light { fill: #ffffff; }"
    print "    .word { fill: #ffffff; stroke: #8a8a8a; } .strong { fill: #1f5fa8; stroke: #1a1a1a; } .empty { fill: #eeeeee; stroke: #8a8a8a; stroke-dasharray: 3 3; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"978\" height=\"328\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    split("plain padding swizzle", kind, " ")
    split("plain: tile[8][8]|padding: tile[8][9]|swizzle: tile[r][c ^ r]", title, "|")
    split("column 3: eight times bank 3|column 3: banks 3 4 5 6 7 0 1 2|column 3: banks 3 2 1 0 7 6 5 4", below, "|")
    split("8 wavefronts|1 wavefront|1 wavefront", cost, "|")
    for (k = 1; k <= 3; k++) {
      x = 80 + (k - 1) * 310 - (k == 3) * 4
      text(x, 40, "bold", title[k])
      tile(kind[k], x, 60)
      text(x, 60 + 8 * side + 26, "small", below[k])
      text(x, 60 + 8 * side + 46, "small bold", cost[k])
    }
    print "</svg>"
  }'
