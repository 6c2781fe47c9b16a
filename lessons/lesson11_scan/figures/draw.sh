#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: trees, look_back or waiting. What the cells say is computed here, as the threads do.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small tiny mono bold mid end light on on2 cell idle link"
  looks["idle"] = looks["off"]
}

# Eight elements, and what stands in shared memory after each step.
function hillis(x,   t, step, y, k, s, next_s) {
  text(x, 62, "bold", "Hillis and Steele (version 1)")
  for (t = 0; t < 8; t++) { s[t] = input[t + 1]; cell(x + 40 * t, 80, 40, "cell", s[t]) }
  y = 80
  for (step = 1; step < 8; step *= 2) {
    y += 66
    text(x - 8, y + 16, "small end", step)
    for (t = 0; t < 8; t++) {
      next_s[t] = s[t] + (t >= step ? s[t - step] : 0)
      if (t >= step) arrow(x + 40 * (t - step) + 20, y - 42, x + 40 * t + 16, y - 2)
    }
    for (t = 0; t < 8; t++) { s[t] = next_s[t]; cell(x + 40 * t, y, 40, step == 4 || t < 2 * step ? "on" : "on2", s[t]) }
  }
  text(x, y + 52, "small", "7 + 6 + 4 = 17 additions, 3 steps. Dark: done.")
}
function blelloch(x,   t, step, y, s, left, right, class) {
  text(x, 62, "bold", "Blelloch (version 2)")
  for (t = 0; t < 8; t++) { s[t] = input[t + 1]; cell(x + 40 * t, 80, 40, "cell", s[t]) }
  y = 80
  for (step = 1; step < 8; step *= 2) {
    y += 48
    text(x - 8, y + 16, "small end", "up " step)
    for (t = 0; t < 8; t++) class[t] = "idle"
    for (right = 2 * step - 1; right < 8; right += 2 * step) {
      s[right] += s[right - step]
      class[right] = "on2"
      arrow(x + 40 * (right - step) + 20, y - 24, x + 40 * right + 16, y - 2)
    }
    for (t = 0; t < 8; t++) cell(x + 40 * t, y, 40, class[t], s[t])
  }
  s[7] = 0
  y += 34
  text(x - 8, y + 16, "small end", "root")
  for (t = 0; t < 8; t++) cell(x + 40 * t, y, 40, t == 7 ? "on2" : "idle", s[t])
  for (step = 4; step >= 1; step /= 2) {
    y += 48
    text(x - 8, y + 16, "small end", "down " step)
    for (t = 0; t < 8; t++) class[t] = "idle"
    for (right = 2 * step - 1; right < 8; right += 2 * step) {
      left = s[right - step]; s[right - step] = s[right]; s[right] += left
      class[right] = class[right - step] = step == 1 ? "on" : "on2"
      arrow(x + 40 * right + 20, y - 24, x + 40 * (right - step) + 24, y - 2)
      arrow(x + 40 * (right - step) + 20, y - 24, x + 40 * right + 12, y - 2)
    }
    for (t = 0; t < 8; t++) cell(x + 40 * t, y, 40, class[t], s[t])
  }
  text(x, y + 46, "small", "7 + 7 = 14 additions, 6 steps; exclusive.")
}
function trees() {
  begin(800, 470, "Two scans of eight numbers in shared memory", "Left, Hillis and Steele: 3 1 4 1 5 9 2 6; in the step of 1 each adds its left neighbour, then what stands 2 before, then 4 before; the last row is 3 4 8 9 14 23 25 31. Right, Blelloch: on the way up pairs, fours and eight are summed; the root becomes 0; on the way down each node hands what is before it to its left child, and that plus the left sum to its right child; the last row is 0 3 4 8 9 14 23 25.")
  split("3 1 4 1 5 9 2 6", input, " ")
  text(24, 32, "", "Eight elements are drawn; a block has 512. Rows are steps, and between two of them is a barrier.")
  hillis(40)
  blelloch(450)
  print "</svg>"
}

function look_back(   sums, status, t, x, before, prefix) {
  begin(800, 300, "Decoupled look-back", "Eight tiles with the sums 5 2 7 1 4 3 6 2. Tiles 0 to 2 have said a prefix: 5, 7, 14. Tiles 3 to 6 have said their sum only: 1, 4, 3, 6. Tile 7 looks at all of them at once: the nearest prefix is that of tile 2, so what is before tile 7 is 14 + 1 + 4 + 3 + 6 = 28, and it says the prefix 30.")
  split("5 2 7 1 4 3 6 2", sums, " ")
  text(24, 32, "", "Eight tiles; one word of each is drawn: status and number, written and read in one piece.")
  prefix = 0
  for (t = 0; t < 8; t++) {
    x = 110 + 84 * t
    prefix += sums[t + 1]
    text(x + 38, 66, "small mid", "tile " t)
    cell(x, 76, 76, "cell", "sum " sums[t + 1])
    if (t < 3) cell(x, 120, 76, "on", "PREFIX " prefix)
    else if (t < 7) cell(x, 120, 76, "on2", "SUM " sums[t + 1])
    else cell(x, 120, 76, "idle", "SUM " sums[t + 1])
    if (t < 7) {
      text(x + 38, 176, "small mid", "lane " 6 - t)
      cell(x, 184, 76, t == 2 ? "on" : t > 2 ? "on2" : "cell", t < 2 ? "" : t == 2 ? prefix : sums[t + 1])
      arrow(x + 38, 146, x + 38, 160)
    }
  }
  text(96, 136, "small end", "words")
  text(96, 200, "small end", "warp of tile 7")
  text(110, 240, "", "ballot: the nearest PREFIX is lane 4. Lanes 0 to 4 add up: 6 + 3 + 4 + 1 + 14 = 28 is before tile 7.")
  text(110, 268, "", "It says PREFIX 30: who comes later need not look further back than here.")
  print "</svg>"
}

# A multiprocessor over time: what is on its way, and what the warps do.
function bar(x, y, width, class, s) { rect(x, y, width, 26, class); text(x + width / 2, y + 17, class == "on" ? "small mid light" : "small mid", s) }
function waiting(   k, x) {
  begin(800, 330, "Who waits for what", "Above, version 8: load tile 0, scan, wait for others, store, and only then load the next tile; nothing is on its way while it waits. Below, version 9: loads follow one another without a gap, and while the tile after it is loaded and scanned, a tile is held; then warp 0 finds what is before it, and it is stored.")
  text(24, 32, "", "One block over time, not to scale.")
  text(24, 64, "bold", "version 8: a block for each tile")
  x = 110
  for (k = 0; k < 2; k++) {
    bar(x, 78, 90, "on2", "load " k)
    bar(x + 90, 110, 50, "cell", "scan " k)
    bar(x + 140, 142, 120, "idle", "wait for others")
    bar(x + 260, 110, 60, "on", "store " k)
    x += 320
  }
  text(100, 95, "small end", "on its way")
  text(100, 127, "small end", "warps")
  text(100, 159, "small end", "warp 0")
  text(24, 204, "bold", "version 9: blocks that stay")
  x = 110
  for (k = 0; k < 5; k++) {
    bar(x + 130 * k, 218, 130, "on2", "load " k)
    if (k < 4) bar(x + 130 + 130 * k, 250, 46, "cell", "scan " k)
    if (k > 0 && k < 4) bar(x + 176 + 130 * k, 282, 34, "idle", "find")
    if (k > 0 && k < 4) bar(x + 210 + 130 * k, 250, 50, "on", "store " k - 1)
  }
  text(100, 235, "small end", "on its way")
  text(100, 267, "small end", "warps")
  text(100, 299, "small end", "warp 0")
  print "</svg>"
}
BEGIN {
  if (figure == "trees") trees()
  else if (figure == "look_back") look_back()
  else if (figure == "waiting") waiting()
  else { print "draw.sh: trees, look_back or waiting" >"/dev/stderr"; exit 2 }
}' </dev/null
