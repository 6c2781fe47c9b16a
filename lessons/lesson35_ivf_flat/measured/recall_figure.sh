#!/bin/sh
# recall_figure.sh: prints figures/recall.svg, recall against what is read, from recall.txt (which recall.py printed).
set -eu
cd "$(dirname "$0")"

awk "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small bold mid end grid ours faiss even limit"
  looks["grid"] = "stroke: #dddddd; stroke-width: 1;"
  looks["limit"] = "stroke: #c04a1a; stroke-width: 1.2; stroke-dasharray: 4 3;"
  looks["ours"] = "stroke: #1f5fa8; stroke-width: 2.2; fill: none;"
  looks["faiss"] = "stroke: #1a1a1a; stroke-width: 1.2; stroke-dasharray: 6 4; fill: none;"
  looks["even"] = "stroke: #8a8a8a; stroke-width: 2.2; fill: none;"
}
function across(read) { return 90 + 640 * log(read / 0.05) / log(2000) }
function up(recall) { return 300 - 250 * recall }
/^n = / { sub(/,$/, "", $3); n = $3; lists = $7 }
/^--- / { kind = $2; sub(/,/, "", kind); seed = $4 }
($1 == "ours" || $1 == "faiss") && NF == 4 && seed == 1 { points[kind, $1] = points[kind, $1] sprintf(" %.1f,%.1f", across($3), up($4)) }
function curve(points, class) { if (points) printf "  <polyline points=\"%s\" class=\"%s\"/>\n", substr(points, 2), class }
function named(y, class, words) { line(520, y, 560, y, class); text(568, y + 4, "small", words) }
END {
  begin(860, 350, "Recall against what is read", "Two curves rise with the share of the vectors that is read, from 0.1 to 100 percent. That of clustered vectors is above 0.95 before 5 percent; that of uniform vectors rises late. A line for faiss-cpu lies on ours.")
  count = split("0.1 1 5 10 100", ticks, " ")
  for (i = 1; i <= count; i++) {
    line(across(ticks[i]), 50, across(ticks[i]), 300, ticks[i] == 5 ? "limit" : "grid")
    text(across(ticks[i]), 318, "mid small", ticks[i] " %")
  }
  count = split("0 0.25 0.5 0.75 0.95 1", ticks, " ")
  for (i = 1; i <= count; i++) {
    line(90, up(ticks[i]), 730, up(ticks[i]), ticks[i] == 0.95 ? "limit" : "grid")
    text(82, up(ticks[i]) + (ticks[i] == 0.95 ? 8 : 4), "end small", ticks[i])
  }
  text(410, 338, "mid small", "vectors that are read")
  text(90, 34, "bold", "recall@10, " n " vectors of 128 numbers, " lists " lists")
  curve(points["uniform", "ours"], "even")
  curve(points["clustered", "ours"], "ours")
  curve(points["clustered", "faiss"], "faiss")
  curve(points["uniform", "faiss"], "faiss")
  named(214, "ours", "clustered")
  named(236, "even", "uniform")
  named(258, "faiss", "faiss-cpu, the same vectors")
  print "</svg>"
}' recall.txt
