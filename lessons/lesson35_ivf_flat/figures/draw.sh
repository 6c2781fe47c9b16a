#!/bin/sh
# draw.sh NAME > NAME.svg: draws the page's figures: index, groups, queue. Positions come from a small generator, lists and sorting are computed.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small bold mid end light mono on on2 cell off link dot spot near"
  looks["dot"] = "fill: #b4b4b4;"
  looks["spot"] = "fill: #1f5fa8;"
  looks["near"] = "stroke: #c04a1a; stroke-width: 1.6; fill: none;"
}
function circle(x, y, r, class) { printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"/>\n", x, y, r, class }
function chance() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
function square(x1, y1, x2, y2) { return (x1 - x2) ^ 2 + (y1 - y2) ^ 2 }
function nearest(x, y,   c, found) {
  found = 1
  for (c = 2; c <= lists; c++) if (square(x, y, cx[c], cy[c]) < square(x, y, cx[found], cy[found])) found = c
  return found
}
function index_of_lists(   i, c, m, x, y, r, qx, qy, first, second, shown, reached) {
  begin(860, 350, "An index of six lists", "On the left vectors as points in a plane, six centroids among them, and a query with lines to its two nearest centroids. On the right the six lists, each with a box for a vector. Only the two lists of these centroids are read.")
  seed = 35; lists = 6; qx = 196; qy = 196
  split("90 330 215 95 330 205", cx, " ")
  split("95 85 160 250 225 300", cy, " ")
  for (i = 1; i <= 130; i++) {
    m = 1 + int(chance() * lists)
    x = cx[m] + (chance() + chance() + chance() - 1.5) * 110
    y = cy[m] + (chance() + chance() + chance() - 1.5) * 90
    if (x < 24 || x > 400 || y < 48 || y > 334) continue
    px[i] = x; py[i] = y; c = at[i] = nearest(x, y); length_of[c]++
  }
  first = nearest(qx, qy)
  second = first == 1 ? 2 : 1
  for (c = 1; c <= lists; c++) if (c != first && square(qx, qy, cx[c], cy[c]) < square(qx, qy, cx[second], cy[second])) second = c
  text(212, 30, "mid bold", "vectors, centroids, and a query")
  for (i = 1; i <= 130; i++) if (i in px) circle(px[i], py[i], 3, at[i] == first || at[i] == second ? "spot" : "dot")
  line(qx, qy, cx[first], cy[first], "near")
  line(qx, qy, cx[second], cy[second], "near")
  for (c = 1; c <= lists; c++) {
    rect(cx[c] - 8, cy[c] - 8, 16, 16, "cell")
    text(cx[c], cy[c] + 5, "mid small bold", c - 1)
  }
  circle(qx, qy, 7, "near")
  text(qx - 14, qy + 5, "end small bold", "query")
  text(640, 30, "mid bold", "the lists: two of six are read")
  for (c = 1; c <= lists; c++) {
    y = 14 + 46 * c
    text(446, y + 17, "small", "list " (c - 1))
    for (i = 0; i < length_of[c]; i++) rect(490 + 10 * i, y, 8, 24, c == first || c == second ? "on" : "off")
    shown += length_of[c]
    reached += c == first || c == second ? length_of[c] : 0
  }
  text(640, 336, "mid small", reached " of " shown " vectors: " sprintf("%.0f", 100 * reached / shown) " %")
  print "</svg>"
}
function groups(   v, u, k) {
  begin(860, 330, "Rows and groups", "Above: vectors in rows, one behind the other. The first units of neighbouring vectors are 512 bytes apart. Below: a group: the first units of all vectors lie side by side, then the second ones.")
  text(20, 30, "bold", "rows (version 3): what the lanes of a warp load at the same time lies 512 bytes apart")
  for (v = 0; v < 4; v++) for (u = 0; u < 4; u++) {
    rect(20 + 205 * v + 48 * u, 46, 46, 40, u == 0 ? "on" : "cell")
    text(43 + 205 * v + 48 * u, 71, u == 0 ? "mid mono light" : "mid mono", "v" v "." u)
  }
  text(20, 110, "small", "four vectors of four units. With 128 floats a vector has 32 units: a request touches 32 sectors for 32 numbers.")
  text(20, 166, "bold", "a group (version 4): unit 0 of all vectors, then unit 1 of all vectors, ...")
  for (u = 0; u < 4; u++) for (v = 0; v < 4; v++) {
    rect(20 + 205 * u + 48 * v, 182, 46, 40, u == 0 ? "on" : "cell")
    text(43 + 205 * u + 48 * v, 207, u == 0 ? "mid mono light" : "mid mono", "v" v "." u)
  }
  text(20, 246, "small", "A unit is 16 bytes: 4 floats, or 8 halves. A group has 32 vectors, so a request is one piece of 512 bytes: 16 sectors, all of it used.")
  text(20, 286, "small", "place of unit u of slot s:   rows: s * units + u      groups: (s / 32 * units + u) * 32 + s % 32")
  text(20, 308, "small", "A list begins at a multiple of 32. Behind its end there are slots of zeros, up to the next multiple.")
  print "</svg>"
}
function row_of_lanes(y, name, v, mark,   i, shown) {
  text(20, y + 16, "small", name)
  for (i = 0; i < 8; i++) {
    shown = v[i] >= 999 ? "-" : v[i]
    cell(330 + 62 * i, y, 58, mark[i] ? "on" : v[i] >= 999 ? "off" : "cell", shown)
  }
}
function sort_up(v,   i, j, t) { for (i = 0; i < 8; i++) for (j = 0; j < 7; j++) if (v[j] > v[j + 1]) { t = v[j]; v[j] = v[j + 1]; v[j + 1] = t } }
function queue(   i, n, w, threshold) {
  begin(860, 392, "The warp: what is kept, what waits", "Eight lanes. The keys that are kept are sorted. Candidates below the threshold wait. When a lane gets a second one, what waits is sorted, turned round and merged with what is kept, and the threshold falls.")
  split("1 3 4 6 9 12 15 20", n, " "); for (i = 0; i < 8; i++) kept[i] = n[i + 1]
  split("14 5 30 18 13 25 11 40", n, " "); for (i = 0; i < 8; i++) one[i] = n[i + 1]
  split("22 8 17 2 35 19 28 16", n, " "); for (i = 0; i < 8; i++) two[i] = n[i + 1]
  threshold = kept[5]
  for (i = 0; i < 8; i++) { text(359 + 62 * i, 26, "mid small", "lane " i); last[i] = i == 5 }
  row_of_lanes(36, "kept; k = 6, so the threshold is " threshold, kept, last)
  for (i = 0; i < 8; i++) { low[i] = one[i] < threshold; wait[i] = low[i] ? one[i] : 999 }
  row_of_lanes(76, "the lanes&#8217; next keys: which are below?", one, low)
  row_of_lanes(116, "they wait", wait, low)
  for (i = 0; i < 8; i++) low[i] = two[i] < threshold
  row_of_lanes(156, "the next ones: lane 1 has no room, so merge", two, low)
  sort_up(wait)
  row_of_lanes(206, "1. what waits, sorted", wait, none)
  for (i = 0; i < 8; i++) turned[i] = wait[7 - i]
  row_of_lanes(238, "2. turned round", turned, none)
  for (i = 0; i < 8; i++) low[i] = turned[i] < kept[i]
  for (i = 0; i < 8; i++) kept[i] = low[i] ? turned[i] : kept[i]
  row_of_lanes(270, "3. the smaller one of it and what was kept", kept, low)
  sort_up(kept)
  row_of_lanes(302, "4. finished: kept; the threshold is now " kept[5], kept, last)
  for (i = 0; i < 8; i++) { low[i] = two[i] < kept[5]; wait[i] = low[i] ? two[i] : 999 }
  row_of_lanes(342, "now these wait", wait, low)
  print "</svg>"
}
BEGIN {
  if (figure == "index") index_of_lists()
  else if (figure == "groups") groups()
  else if (figure == "queue") queue()
  else { print "draw.sh: index, groups or queue" >"/dev/stderr"; exit 2 }
}' </dev/null
