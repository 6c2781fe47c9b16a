#!/bin/sh
# draw.sh NAME draws a figure of this page: lanes, swizzle, ring or shares. Nothing of it is measured.
set -eu
cd "$(dirname "$0")"

awk -v name="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
  BEGIN {
    classes = "small+tiny+bold+mid+end+light r0+r1+r2+r3 cell+grey+on way"
    looks["r0"] = "fill: #1f5fa8; stroke: #ffffff;"
    looks["r1"] = "fill: #a9c6e8; stroke: #ffffff;"
    looks["r2"] = "fill: #5b8f5b; stroke: #ffffff;"
    looks["r3"] = "fill: #cfe3c6; stroke: #ffffff;"
    looks["cell"] = "fill: #ffffff; stroke: #b0b0b0;"
    looks["grey"] = "fill: #e4e4e4; stroke: #b0b0b0;"
    looks["on"] = "fill: #1f5fa8; stroke: #1a1a1a;"
    looks["way"] = "stroke: #5a5a5a; stroke-width: 1;"
  }

  # A matrix of lanes: which = A, B or C; the register chooses the colour.
  function fragments(x, y, which, rows, cols,   r, c, lane, q) {
    for (r = 0; r < rows; r++)
      for (c = 0; c < cols; c++) {
        if (which == "B") { lane = c * 4 + int(r % 8 / 2); q = int(r / 8) }
        else { lane = r % 8 * 4 + int(c % 8 / 2); q = int(r / 8) + 2 * int(c / 8) }
        rect(x + c * 24, y + r * 18, 24, 18, "r" q)
        text(x + c * 24 + 12, y + r * 18 + 13, q % 2 ? "tiny mid" : "tiny mid light", lane)
      }
    for (r = 0; r < rows; r += 8) text(x - 6, y + r * 18 + 13, "tiny end", r)
    for (c = 0; c < cols; c += 8) text(x + c * 24 + 12, y - 5, "tiny mid", c)
  }

  function lanes() {
    begin(760, 700, "Which lane holds which number when a warp multiplies 16 x 16 by 16 x 8", "Three grids of lane numbers. A, 16 rows of 16: lane g * 4 + t holds columns 2t and 2t + 1 of row g in register 0, of row g + 8 in register 1, and the columns 8 further in registers 2 and 3. B, 16 rows of 8: lane g * 4 + t holds rows 2t and 2t + 1 of column g in register 0, and the rows 8 further in register 1. C, 16 rows of 8: lane g * 4 + t holds columns 2t and 2t + 1 of row g, and of row g + 8.")
    text(40, 60, "bold", "A, 16 x 16: four registers"); text(40, 80, "small", "a register has two neighbours of a row")
    for (q = 0; q < 4; q++) { rect(40 + q * 86, 96, 18, 18, "r" q); text(62 + q * 86, 110, "small", "a[" q "]") }
    text(40, 146, "small", "Lane 9, for example: g = 2, t = 1. In A rows 2 and 10,")
    text(40, 164, "small", "columns 2, 3, 10 and 11. In B column 2, rows 2, 3, 10")
    text(40, 182, "small", "and 11. In C rows 2 and 10, columns 2 and 3.")
    fragments(40, 380, "A", 16, 16)
    text(500, 30, "bold", "B, 16 x 8: two registers"); text(500, 48, "small", "two neighbours of a column")
    fragments(500, 72, "B", 16, 8)
    for (q = 0; q < 2; q++) { rect(704, 72 + q * 24, 18, 18, "r" q); text(726, 86 + q * 24, "small", "b" q) }
    fragments(500, 380, "C", 16, 8)
    for (q = 0; q < 2; q++) { rect(704, 380 + q * 24, 18, 18, "r" q); text(726, 394 + q * 24, "tiny", q ? "c[2,3]" : "c[0,1]") }
    text(500, 690, "bold", "C, 16 x 8: four sums")
    text(40, 690, "small", "The numbers in the cells are lanes.")
  }

  # Eight rows of a tile: where the piece of column 1 lies in the 128 bytes that are all banks.
  function places(x, y, pieces, swizzled,   r, p, at, per) {
    per = 8 / pieces
    for (r = 0; r < 8; r++) {
      for (p = 0; p < pieces; p++) {
        at = r % per * pieces + (swizzled ? xor(p, int(r / per) % pieces) : p)
        rect(x + at * 40, y + int(r / per) * 22, 40, 22, p == 1 ? "on" : "cell")
        text(x + at * 40 + 20, y + int(r / per) * 22 + 15, p == 1 ? "small mid light" : "small mid", r "," p)
      }
      if (r % per == 0) text(x - 8, y + r / per * 22 + 15, "tiny end", per > 1 ? "rows " r ", " r + 1 : "row " r)
    }
    for (p = 0; p < 8; p++) text(x + p * 40 + 20, y - 5, "tiny mid", p * 4 "-" p * 4 + 3)
  }
  function xor(a, b,   bit, result) {
    result = 0
    for (bit = 1; bit < 8; bit *= 2) if (int(a / bit) % 2 != int(b / bit) % 2) result += bit
    return result
  }
  function swizzle() {
    begin(840, 480, "Eight rows of a tile in the 32 banks, without and with the swizzle", "Pieces of 16 bytes, named row, column. Without a swizzle the pieces of column 1 of eight rows lie in the same four banks, where rows have 128 bytes, or in two places, where two rows share 128 bytes. With it they lie in eight different places.")
    text(70, 30, "bold", "rows of 128 bytes (64 numbers), as they are"); places(70, 62, 8, 0)
    text(480, 30, "bold", "piece ^ row % 8"); places(480, 62, 8, 1)
    text(70, 296, "bold", "rows of 64 bytes (32 numbers), as they are"); places(70, 328, 4, 0)
    text(480, 296, "bold", "piece ^ row / 2 % 4"); places(480, 328, 4, 1)
    text(70, 446, "small", "Each column of the picture is four banks (their numbers above it). Blue: what ldmatrix reads as one matrix, the pieces of")
    text(70, 464, "small", "column 1 of eight rows. Blue ones above each other: a bank conflict.")
  }

  # Three stages over six steps.
  function ring(    s, k, x, y, what) {
    begin(840, 210, "A ring of three stages", "While tile i is multiplied in one stage, the tiles i + 1 and i + 2 are arriving in the two others. The stage of tile i - 1 is free when the step begins, and tile i + 2 goes there.")
    for (k = 0; k < 6; k++) text(170 + k * 110, 32, "small mid", "step " k)
    for (s = 0; s < 3; s++) {
      y = 46 + s * 42
      text(24, y + 22, "bold", "stage " s)
      for (k = 0; k < 6; k++) {
        x = 118 + k * 110
        if (k % 3 == s) { rect(x, y, 104, 34, "on"); text(x + 52, y + 22, "small mid light", "multiply " k) }
        else {
          what = (k + 1) % 3 == s ? k + 1 : k + 2
          rect(x, y, 104, 34, "r1"); text(x + 52, y + 22, "small mid", (what == k + 2 ? "asked for: " : "arriving: ") what)
        }
      }
    }
    text(118, 192, "small", "At the beginning of a step: wait for its tile, barrier, ask for the tile two further.")
  }

  # Five tiles of four steps on four multiprocessors.
  function bar(x, y, from, width, tile, steps) {
    rect(x + from * 26, y, width * 26, 24, "r" tile % 4)
    text(x + (from + width / 2) * 26, y + 16, tile % 2 ? "tiny mid" : "tiny mid light", "tile " tile (steps == "" ? "" : ", " steps))
  }
  function shares(    v, p, x, y, k, first, last, tile, e) {
    begin(900, 210, "Five tiles of four steps on four multiprocessors", "Version 6: four tiles at once, then one tile while three multiprocessors have nothing to do: 8 steps long. Split-K in two parts: ten halves in three rounds, 6 steps long, and then the sums. Stream-K: each multiprocessor has five steps, wherever tiles begin.")
    split("version 6: 8 steps long|split-K: 6 steps, then the sums|stream-K: 5 steps", heading, "|")
    for (v = 0; v < 3; v++) {
      x = 60 + v * 286
      text(x, 30, "bold", heading[v + 1])
      for (p = 0; p < 4; p++) {
        y = 46 + p * 32
        if (v == 0) text(x - 8, y + 16, "tiny end", "SM " p)
        rect(x, y, 8 * 26, 24, "grey")
        if (v == 0) { bar(x, y, 0, 4, p, ""); if (p == 0) bar(x, y, 4, 4, 4, "") }
        if (v == 1) for (k = p; k < 10; k += 4) bar(x, y, int(k / 4) * 2, 2, int(k / 2), "")
        if (v == 2) {
          e = 0
          for (first = p * 5; first < p * 5 + 5; first = last) {
            tile = int(first / 4); last = tile * 4 + 4; if (last > p * 5 + 5) last = p * 5 + 5
            bar(x, y, e, last - first, tile, ""); e += last - first
          }
        }
      }
    }
    text(60, 194, "small", "Grey: nothing to do. SM: multiprocessor. (A block of stream-K goes through its share from the end.)")
  }

  BEGIN {
    if (name == "lanes") lanes(); else if (name == "swizzle") swizzle(); else if (name == "ring") ring(); else if (name == "shares") shares()
    else { print "draw.sh: no figure " name >"/dev/stderr"; exit 1 }
    print "</svg>"
  }'
