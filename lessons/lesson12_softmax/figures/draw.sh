#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: online, places or exchange. What the cells of `online` say is computed here, as the kernel does.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small mono bold mid end light on on2 cell link"
}

# The pair after each element, and the last one by another way: two halves joined.
function online(    n, x, k, largest, sum, larger, half_largest, half_sum, high, high_sum) {
  begin(760, 206, "The largest element and the sum, kept while the elements come", "Elements 1, 3, 2, 5, 4. After each one: the largest so far, and the sum of exp(x - largest) of those so far. When 3 and 5 come, the sum is scaled.")
  n = split("1 3 2 5 4", x, " ")
  text(30, 48, "bold", "x comes")
  text(30, 92, "bold", "largest so far")
  text(30, 132, "bold", "sum so far")
  largest = x[1]; sum = 1
  for (k = 1; k <= n; k++) {
    cell(170 + (k - 1) * 112, 32, 92, "cell", x[k])
    if (k > 1) {
      larger = x[k] > largest ? x[k] : largest
      text(170 + (k - 1) * 112 + 46, 170, "small mid", x[k] > largest ? sprintf("%.3f exp(%d - %d)", sum, largest, larger) : sprintf("%.3f", sum))
      text(170 + (k - 1) * 112 + 46, 188, "small mid", x[k] > largest ? "+ 1" : sprintf("+ exp(%d - %d)", x[k], larger))
      sum = sum * exp(largest - larger) + exp(x[k] - larger)
      if (x[k] > largest) scaled = 1; else scaled = 0
      largest = larger
      arrow(170 + (k - 1) * 112 - 20, 128, 170 + (k - 1) * 112 - 2, 128)
    } else scaled = 0
    cell(170 + (k - 1) * 112, 76, 92, scaled || k == 1 ? "on2" : "cell", largest)
    cell(170 + (k - 1) * 112, 116, 92, scaled ? "on" : "cell", sprintf("%.3f", sum))
  }
}

# Who has a row, and how its threads learn the pair.
function places(    k, j, y) {
  begin(870, 338, "Where a row can stay", "Six ways to keep a row: a few lanes of a warp for a row of up to 64 floats; a warp; a block, in registers; a block, in shared memory; a block, in both; several blocks. To the right how the threads of a row meet: in shuffles, at a barrier, through global memory.")
  text(30, 34, "bold", "a row of")
  text(160, 34, "bold", "stays with")
  text(600, 34, "bold", "its threads meet")
  row(56, "64 floats", "4 to 16 lanes, in registers", 1, 8, "in 2 to 4 shuffles for each value")
  row(104, "up to 512", "a warp, in registers", 1, 16, "in 5 shuffles for each value")
  row(152, "up to 16384", "a block, in registers", 4, 10, "in shuffles, and at one barrier")
  row(200, "up to 58000", "a block, in shared memory", 4, 10, "in shuffles, and at two barriers")
  row(248, "up to 65536", "a block, in both", 4, 10, "in shuffles, and at one barrier")
  row(296, "more", "several blocks", 8, 6, "and through words in global memory")
}
function row(y, length_, who, groups, width, meet,    k) {
  text(30, y + 16, "", length_)
  text(160, y + 16, "", who)
  for (k = 0; k < groups; k++) rect(370 + k * (200 / groups), y, 200 / groups - (groups > 1 ? 4 : 0), 24, groups == 8 ? "on" : "on2")
  text(600, y + 16, "small", meet)
}

# What the blocks of a row write and read.
function exchange(    k, j) {
  begin(760, 250, "Three blocks of a row exchange their pairs", "Each of three blocks writes its pair three times, once for each reader: a row of the table of words. Each reads a column, and clears it. A word that is 0 has not been written yet.")
  text(30, 34, "bold", "block")
  text(270, 34, "bold", "words, from each block to each block")
  text(620, 34, "bold", "reads")
  for (k = 0; k < 3; k++) {
    rect(30, 60 + k * 56, 110, 32, "on2")
    text(85, 81 + k * 56, "mid", "part " k)
    arrow(144, 76 + k * 56, 262, 76 + k * 56)
    for (j = 0; j < 3; j++) cell(270 + j * 84, 64 + k * 56, 76, k == 2 ? "cell" : "on", k == 2 ? "0" : "pair " k)
    rect(620, 60 + k * 56, 110, 32, "on2")
    text(675, 81 + k * 56, "mid", "part " k)
    arrow(308 + k * 84, 200, 308 + k * 84, 222)
    text(308 + k * 84, 240, "small mid", "to part " k)
  }
  text(530, 120, "small", "all three wait")
  text(530, 136, "small", "for part 2")
}

BEGIN {
  if (figure == "online") online()
  else if (figure == "places") places()
  else exchange()
  print "</svg>"
}'
