#!/bin/sh
# race_figure.sh: prints figures/race.svg, how many times as fast as NCCL versions 4 to 7 are when launched, for each size, from h200.txt: the race
# with the most GPUs of it.
set -eu
cd "$(dirname "$0")"

awk "$(cat ../../../tools/authoring/drawing.awk)"'
  BEGIN {
    classes = "small+bold+mid+end scale+even v4 v5 v6 v7 d4 d5 d6 d7"
    looks["scale"] = "stroke: #e4e4e4;"
    looks["even"] = "stroke: #1a1a1a; stroke-dasharray: 5 4;"
    split("#8a8a8a #1f7a5a #b04a00 #1f5fa8", colour, " ")
    for (v = 4; v <= 7; v++) {
      looks["v" v] = "fill: none; stroke: " colour[v - 3] "; stroke-width: 2;"
      looks["d" v] = "fill: " colour[v - 3] ";"
    }
    split("oneshot_kernel4 oneshot_kernel5 oneshot_kernel6 twoshot_kernel7", name, " ")
  }
  function across(bytes) { return 80 + (log(bytes) / log(2) - 10) * 36 }
  function up(ratio) { return 380 - ratio * 140 }
  /^--- machine/ { machine = 1 }
  machine && /^20[0-9][0-9]-/ { date = $1; machine = 0 }
  /^--- / { race = /multicast off/; if (race) { split("", ratio); sizes = 0 } }
  race && NF == 9 && $3 ~ /_kernel[4-7]$/ {
    gpus = $1; v = substr($3, length($3))
    if (!(($2) in ratio)) { size[++sizes] = $2; ratio[$2] = 1 }
    ratio[$2, v] = $8
  }
  END {
    begin(960, 440, "How many times as fast as NCCL", "A line for each of versions 4 to 7 over the sizes from 1 KiB to 1 GiB, launched, on " gpus " GPUs. The numbers are those of the table.")
    text(24, 28, "bold", "How many times as fast as NCCL, launched; " gpus " GPUs, NCCL_NVLS_ENABLE=0")
    for (r = 0; r <= 2; r += 0.5) { line(80, up(r), 800, up(r), r == 1 ? "even" : "scale"); text(70, up(r) + 4, "small end", sprintf("%.1f", r)) }
    for (k = 1; k <= sizes; k++)
      if (k % 5 == 1) {
        unit = size[k] >= 1073741824 ? size[k] / 1073741824 " GiB" : size[k] >= 1048576 ? size[k] / 1048576 " MiB" : size[k] / 1024 " KiB"
        line(across(size[k]), up(2.3), across(size[k]), up(0), "scale"); text(across(size[k]), 400, "small mid", unit)
      }
    text(440, 426, "small mid", "on each GPU; NVIDIA H200, " date)
    text(812, up(1) + 4, "small", "as fast as NCCL")
    for (v = 4; v <= 7; v++) {
      points = ""
      for (k = 1; k <= sizes; k++)
        if ((size[k], v) in ratio) {
          points = points sprintf(" %.1f,%.1f", across(size[k]), up(ratio[size[k], v]))
          printf "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=\"d%d\"/>\n", across(size[k]), up(ratio[size[k], v]), v
        }
      printf "  <polyline points=\"%s\" class=\"v%d\"/>\n", substr(points, 2), v
      line(812, 60 + 22 * (v - 4), 836, 60 + 22 * (v - 4), "v" v); text(842, 64 + 22 * (v - 4), "small", name[v - 3])
    }
    print "</svg>"
  }' h200.txt
