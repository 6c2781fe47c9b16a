#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: product, tiles, banks or errors. The banks are computed here, and the errors are those of the page's tables.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small tiny bold mid end light on on2 cell off link axis fp32 tf32 fp16 half bf16"
  looks["axis"] = "stroke: #c4c4c4; stroke-width: 1;"
  looks["fp32"] = "stroke: #1a1a1a; stroke-width: 2; fill: none;"
  looks["tf32"] = "stroke: #1f5fa8; stroke-width: 2; fill: none; stroke-dasharray: 9 4;"
  looks["fp16"] = "stroke: #1f5fa8; stroke-width: 2; fill: none;"
  looks["half"] = "stroke: #8a8a8a; stroke-width: 2; fill: none; stroke-dasharray: 3 3;"
  looks["bf16"] = "stroke: #8a8a8a; stroke-width: 2; fill: none;"
}

# A square of 16 x 16 elements.
function square(x, y, class, name, below) {
  rect(x, y, 112, 112, class)
  text(x + 56, y + 62, class == "on" ? "bold mid light" : "bold mid", name)
  text(x + 56, y + 130, "small mid", below)
}
function product() {
  begin(800, 216, "What one wmma::mma_sync does", "Sum, 16 x 16 elements of fp32, becomes A, 16 x 16 of fp16, times B, 16 x 16 of fp16, plus sum: 4096 multiply-adds by one warp. Each lane holds 8 elements of A, of B and of sum, which of them is not said.")
  text(24, 34, "bold", "sum = A * B + sum: 4096 multiply-adds, asked for by one warp")
  square(24, 54, "on", "sum", "16 x 16, fp32")
  text(160, 116, "bold mid", "=")
  square(184, 54, "on2", "A", "16 x 16, fp16")
  text(318, 116, "bold mid", "*")
  square(340, 54, "on2", "B", "16 x 16, fp16")
  text(474, 116, "bold mid", "+")
  square(496, 54, "on", "sum", "16 x 16, fp32")
  text(628, 84, "small", "32 lanes hold them,")
  text(628, 104, "small", "8 elements of each")
  text(628, 124, "small", "matrix per lane. Which")
  text(628, 144, "small", "ones is not said.")
}

# The block of versions 4 to 7: 128 x 128, a warp 64 x 32, fragments of 16 x 16.
function tiles(    i, j) {
  begin(800, 330, "Who computes what in version 4", "A block computes 128 x 128 elements of C. Its 8 warps have 64 x 32 of them each, in 2 rows of 4. A warp has 4 x 2 fragments of 16 x 16. For a step of 16 along K it loads 4 fragments of A and 2 of B, and does 8 products.")
  text(24, 30, "bold", "a block: 128 x 128 elements of C")
  for (i = 0; i < 2; i++) for (j = 0; j < 4; j++) {
    rect(24 + 60 * j, 44 + 120 * i, 60, 120, i + j == 0 ? "on" : "cell")
    text(54 + 60 * j, 108 + 120 * i, i + j == 0 ? "small mid light" : "small mid", "warp " (4 * i + j))
  }
  text(24, 308, "small", "8 warps, 64 x 32 each")
  text(340, 30, "bold", "a warp, for each 16 of K")
  for (i = 0; i < 4; i++) {
    rect(350, 104 + 44 * i, 44, 44, "on2")
    text(372, 131 + 44 * i, "small mid", "a[" i "]")
  }
  for (j = 0; j < 2; j++) {
    rect(410 + 44 * j, 44, 44, 44, "on2")
    text(432 + 44 * j, 71, "small mid", "b[" j "]")
  }
  for (i = 0; i < 4; i++) for (j = 0; j < 2; j++) {
    rect(410 + 44 * j, 104 + 44 * i, 44, 44, "on")
    text(432 + 44 * j, 131 + 44 * i, "small mid light", i "," j)
  }
  text(530, 124, "", "6 fragments are loaded,")
  text(530, 146, "", "8 products are made of them.")
  text(530, 186, "", "Version 3 loads 2 fragments")
  text(530, 208, "", "for each product.")
  text(340, 308, "small", "fragments of 16 x 16; sum[4][2] stays in registers")
}

# Eight rows of 16 bytes, four banks each.
function rows_at(x, pitch, title,    r, k, bank) {
  text(x, 34, "bold", title)
  for (k = 0; k < 8; k++) text(x + 28 * k + 14, 56, "tiny mid", 4 * k)
  for (r = 0; r < 8; r++) {
    bank = r * pitch / 4 % 32
    for (k = 0; k < 8; k++) {
      rect(x + 28 * k, 62 + 22 * r, 28, 22, 4 * k == bank ? "on" : "cell")
      if (4 * k == bank) text(x + 28 * k + 14, 77 + 22 * r, "tiny mid light", r)
    }
  }
}
function banks() {
  begin(800, 290, "In which banks the eight rows of a fragment lie", "Eight rows of a fragment, 16 bytes of each, and the 32 banks in groups of four. With 64 bytes from row to row they lie in two groups, four rows in each: 4 wavefronts. With 256 bytes all eight lie in one: 8 wavefronts. With 80 bytes each lies in another one: 1 wavefront. So it is with 272.")
  rows_at(24, 64, "64 bytes apart: 4 wavefronts")
  rows_at(288, 256, "256 bytes apart: 8")
  rows_at(552, 80, "80 (or 272) apart: 1")
  text(24, 268, "small", "Columns: the 32 banks, four at a time, with the number of the first. Rows: the eight rows of a fragment, 16 bytes each.")
}

# Curves over K, 16 to 4096, from 1e-8 to 1e-2.
function at_x(left, K) { return left + 300 * log(K / 16) / log(256) }
function at_y(e) { return 300 - 240 * (log(e) / log(10) + 8) / 6 }
function panel(left, from, title,    r, c, k, points, kind) {
  text(left, 34, "bold", title)
  for (k = -8; k <= -2; k++) {
    line(left, at_y(10 ^ k), left + 300, at_y(10 ^ k), "axis")
    text(left - 6, at_y(10 ^ k) + 4, "tiny end", "1e" k)
  }
  split("fp32 tf32 fp16 half bf16", kind, " ")
  for (r = from; r < from + 5; r++) text(at_x(left, depth[r]), 318, "tiny mid", depth[r])
  text(left + 150, 336, "small mid", "K")
  for (c = 1; c <= 5; c++) {
    points = ""
    for (r = from; r < from + 5; r++) points = points sprintf("%.1f,%.1f ", at_x(left, depth[r]), at_y(error[r, c]))
    printf "  <polyline points=\"%s\" class=\"%s\"/>\n", points, kind[c]
  }
}
function legend(x, y, class, words) {
  line(x, y, x + 36, y, class)
  text(x + 42, y + 4, "small", words)
}
function errors(    k) {
  if (found != 10) { print "draw.sh: the page has " found " rows of errors, not 10" >"/dev/stderr"; exit 1 }
  begin(800, 390, "Errors against fp64, by K and type", "Two diagrams of the root mean square error over that of the result, by K from 16 to 4096. Left, inputs from -1 to 1: bf16 stays at 2e-3, fp16 and TF32 at 2.6e-4, fp16 with sums in fp16 grows from 3e-4 to 2e-3, fp32 from 7e-8 to 1e-6. Right, the sums alone, inputs from 0 to 1: fp32 grows to 9e-7, bf16 to 1e-5, fp16 to 2e-5, TF32 to 4e-5, sums in fp16 to 2e-3.")
  panel(60, 1, "all errors, A and B from -1 to 1")
  panel(460, 6, "of the sums alone, A and B from 0 to 1")
  legend(60, 366, "fp32", "fp32")
  legend(170, 366, "tf32", "TF32")
  legend(280, 366, "fp16", "fp16")
  legend(390, 366, "bf16", "bf16")
  legend(500, 366, "half", "fp16 with sums in fp16")
}
/^\| (16|64|256|1024|4096) \| [0-9.]+e-[0-9]+ \|/ {
  found++
  depth[found] = $2
  for (c = 1; c <= 5; c++) error[found, c] = $(2 + 2 * c) + 0
}
END {
  if (figure == "product") product()
  if (figure == "tiles") tiles()
  if (figure == "banks") banks()
  if (figure == "errors") errors()
  print "</svg>"
}' ../README.md
