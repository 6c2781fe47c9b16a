#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: trees, segments or queue. What the cells say is computed here, as the lanes do.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small tiny mono bold mid end light on on2 cell useless link"; cell_height = "24"
  looks["useless"] = looks["off"]
}
function range(a, b) { return a == b ? a "" : a "-" b }

# One of the three, for eight lanes: what each lane has after each step. Lane l has the sum of low[l] to high[l].
function steps(x, kind, title,   lane, k, step, y, other, takes, newlow, newhigh, class) {
  text(x, 62, "bold", title)
  for (lane = 0; lane < 8; lane++) {
    low[lane] = high[lane] = lane
    useless[lane] = 0
    text(x + 34 * lane + 17, 80, "tiny mid", lane)
    cell(x + 34 * lane, 86, 34, "cell", lane)
  }
  for (k = 1; k <= 3; k++) {
    step = kind == "up" ? 2 ^ (k - 1) : 2 ^ (3 - k)
    y = 86 + 72 * k
    for (lane = 0; lane < 8; lane++) {
      other = kind == "down" ? lane + step : kind == "up" ? lane - step : int(lane / step) % 2 ? lane - step : lane + step
      takes = kind == "xor" || kind == "up" && other >= 0 || kind == "down" && other < 8 && lane < step
      useful[lane] = kind != "down" || lane < step
      newlow[lane] = takes && low[other] < low[lane] ? low[other] : low[lane]
      newhigh[lane] = takes && high[other] > high[lane] ? high[other] : high[lane]
      if (takes) arrow(x + 34 * other + 17, y - 48, x + 34 * lane + 17, y - 2)
    }
    text(x - 8, y + 16, "small end", step)
    for (lane = 0; lane < 8; lane++) {
      low[lane] = newlow[lane]; high[lane] = newhigh[lane]
      class = !useful[lane] ? "useless" : high[lane] - low[lane] == 7 ? "on" : "on2"
      if (kind == "up" && low[lane] == 0 && class == "on2") class = "on"
      if (kind != "up") cell(x + 34 * lane, y, 34, class, useful[lane] ? every(lane, k) : "")
      else cell(x + 34 * lane, y, 34, class, range(low[lane], high[lane]))
    }
  }
}
# Down and xor: after step k a lane has every 8 / 2^k-th element.
function every(lane, k,   step, i, s) {
  if (k == 3) return "0-7"
  step = 2 ^ (3 - k); s = ""
  for (i = lane % step; i < 8; i += step) s = s i
  return s
}

function trees() {
  begin(958, 372, "A sum and a scan in three steps of eight lanes", "Three panels; rows are steps, cells say whose elements a lane has added up. Shuffle down: in the step of 4 lanes 0 to 3 get the value of the lane four further on, then lanes 0 and 1 that of the lane two further on, then lane 0 that of lane 1; lane 0 has the sum of all, the other lanes nothing useful. Shuffle xor: in each step two lanes exchange, four, two and one apart; after three steps all lanes have the sum of all. Shuffle up: in the steps of 1, 2 and 4 a lane adds what the lane before it has; after three steps lane k has the sum of 0 to k.")
  text(24, 32, "", "Eight lanes are drawn; a warp has 32 and takes five steps. A cell says whose elements its lane has added up.")
  steps(40, "down", "shuffle down: lane 0 has the sum")
  steps(356, "xor", "shuffle xor: all lanes have it")
  steps(672, "up", "shuffle up: each lane has its own")
  text(40, 352, "small", "The numbers at the left are the steps. Dark: done. Grey: a sum that nobody wants.")
  print "</svg>"
}

function segments(   keys, key, x, lane, heads, head, first, count, k, group, mask, n) {
  begin(800, 322, "Runs and groups", "Twelve lanes with the keys A A B B B A C C C C A A. Heads: lanes 0, 2, 5, 6 and 10, a bit of a word each. First lane of the run: 0 0 2 2 2 5 6 6 6 6 10 10. The sums of runs count from there on. Groups: lanes 0, 1, 5, 10 and 11 have the same mask, those of key A; lanes 2, 3 and 4 that of B; lanes 6 to 9 that of C.")
  n = split("A A B B B A C C C C A A", keys, " ")
  text(24, 32, "", "Twelve lanes are drawn.")
  split("key|head of a run: ballot|first lane of my run|lanes that I add up", names, "|")
  for (k = 1; k <= 4; k++) text(230, 52 + 40 * k, "small end", names[k])
  text(230, 252, "small end", "lanes with my key: match")
  text(230, 268, "tiny end", "lane 0 is the leftmost bit here")
  for (lane = 0; lane < n; lane++) {
    x = 240 + 44 * lane
    key = keys[lane + 1]
    head = lane == 0 || key != keys[lane]
    if (head) first = lane
    text(x + 22, 66, "tiny mid", "lane " lane)
    cell(x, 76, 44, key == "A" ? "on2" : key == "B" ? "cell" : "useless", key)
    cell(x, 116, 44, head ? "on" : "cell", head)
    cell(x, 156, 44, "cell", first)
    cell(x, 196, 44, "cell", range(first, lane))
  }
  for (group = 0; group < 3; group++) {
    key = substr("ABC", group + 1, 1)
    text(248, 252 + 24 * group, "mono", key)
    for (lane = 0; lane < n; lane++) {
      printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"44\" height=\"20\" class=\"%s\"/>\n", 240 + 44 * lane, 238 + 24 * group, keys[lane + 1] == key ? "on" : "cell"
      text(262 + 44 * lane, 252 + 24 * group, keys[lane + 1] == key ? "mono mid light" : "mono mid", keys[lane + 1] == key ? 1 : 0)
    }
  }
  for (group = 0; group < 3; group++) text(778, 253 + 24 * group, "mono", substr("ABC", group + 1, 1))
  print "</svg>"
}

function queue(   bits, lane, warp, x, rank, count, start, total) {
  begin(800, 360, "Places in a queue", "Three warps of eight lanes. Lanes that want a place: 1 0 1 1 0 0 1 0, 0 0 1 0 0 0 0 0 and 1 1 0 1 1 0 1 0. Ranks of those lanes within their warp: 0 1 2 3, 0, and 0 1 2 3 4. Numbers of the warps: 4, 1, 5, in shared memory. Scanned: 0, 4, 5, total 10. The block takes 10 places from the counter, which was 70: places 70 to 73, 74, and 75 to 79.")
  split("10110010|00100000|11011010", words, "|")
  text(24, 32, "", "Three warps of eight lanes are drawn.")
  split("wants a place: ballot|1s before my bit|the warp: __popc(word)|before this warp: scan|the block: one atomicAdd|place", names, "|")
  for (k = 1; k <= 6; k++) text(206, 52 + 46 * k, "small end", names[k])
  start = 0
  for (warp = 0; warp < 3; warp++) {
    rank = 0
    text(216 + 192 * warp + 88, 66, "tiny mid", "warp " warp)
    for (lane = 0; lane < 8; lane++) {
      x = 216 + 192 * warp + 22 * lane
      bits = substr(words[warp + 1], lane + 1, 1) + 0
      cell(x, 82, 22, bits ? "on2" : "cell", bits)
      cell(x, 128, 22, bits ? "on2" : "cell", bits ? rank : "")
      if (bits) place[warp, lane] = start + rank
      rank += bits
    }
    cell(216 + 192 * warp, 174, 176, "on2", rank)
    cell(216 + 192 * warp, 220, 176, "on2", start)
    start += rank
  }
  cell(216, 266, 560, "on", "10 places, from 70 on")
  for (warp = 0; warp < 3; warp++) for (lane = 0; lane < 8; lane++)
    cell(216 + 192 * warp + 22 * lane, 312, 22, (warp, lane) in place ? "on" : "cell", (warp, lane) in place ? 70 + place[warp, lane] : "")
  print "</svg>"
}
BEGIN {
  if (figure == "trees") trees()
  else if (figure == "segments") segments()
  else if (figure == "queue") queue()
  else { print "draw.sh: trees, segments or queue" >"/dev/stderr"; exit 2 }
}' </dev/null
