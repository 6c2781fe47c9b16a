#!/bin/sh
# map_figure.sh > lessons/map.svg: which lesson needs which, from what their pages say (needs.sh). A lesson stands in the
# row below the last of those that it needs. Of what it needs only those are drawn that none of the others needs already.
set -eu
cd "$(dirname "$0")/../.."

sh tools/authoring/needs.sh | awk "$(cat tools/authoring/figure.awk)"'
  function refuse(why) { print "map_figure.sh: " why >"/dev/stderr"; exit 1 }
  # need[a, b]: lesson a needs lesson b, itself or through others
  function reaches(a, b,    k) {
    for (k = 1; k <= count; k++)
      if (direct[a, number_of[k]] && (number_of[k] == b || reaches(number_of[k], b))) return 1
    return 0
  }
  function level_of(a,    k, most) {
    most = 0
    for (k = 1; k <= count; k++) if (direct[a, number_of[k]] && level_of(number_of[k]) + 1 > most) most = level_of(number_of[k]) + 1
    return most
  }
  {
    me = $1 + 0
    number_of[++count] = me
    name[me] = $2; gsub(/_/, " ", name[me])
    minutes[me] = $3
    for (k = 4; k <= NF; k++) direct[me, $k + 0] = 1
  }
  END {
    if (!count) refuse("no page says what it needs")
    width_of_box = 150; height_of_box = 46; step_x = 186; step_y = 84; left = 24; top = 24
    for (i = 1; i <= count; i++) {
      me = number_of[i]
      level[me] = level_of(me)
      place[me] = filled[level[me]]++
      if (level[me] > deepest) deepest = level[me]
      if (filled[level[me]] > most) most = filled[level[me]]
    }
    width = 2 * left + (most - 1) * step_x + width_of_box; height = 2 * top + deepest * step_y + height_of_box
    for (i = 1; i <= count; i++) {
      me = number_of[i]
      x[me] = left + (place[me] + (most - filled[level[me]]) / 2) * step_x
      y[me] = top + level[me] * step_y
    }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n", width, height, width, height
    print "  <title id=\"title\">Which lesson needs which</title>"
    printf "  <desc id=\"desc\">"
    for (i = 1; i <= count; i++) {
      me = number_of[i]; listed = ""
      for (k = 1; k <= count; k++) if (direct[me, number_of[k]]) listed = listed sprintf("%s%02d", listed ? ", " : "", number_of[k])
      printf "%02d %s needs %s. ", me, xml(name[me]), listed ? listed : "no other"
    }
    print "</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; fill: #4a4a4a; } .box { fill: #eef3f9; stroke: #1f5fa8; } .need { fill: none; stroke: #8a8a8a; stroke-width: 1.5; }"
    print "  </style>"
    printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
    for (i = 1; i <= count; i++)
      for (k = 1; k <= count; k++) {
        a = number_of[i]; b = number_of[k]
        if (!direct[a, b]) continue
        through = 0
        for (m = 1; m <= count; m++) if (direct[a, number_of[m]] && number_of[m] != b && reaches(number_of[m], b)) through = 1
        if (through) continue
        x1 = x[b] + width_of_box / 2; y1 = y[b] + height_of_box; x2 = x[a] + width_of_box / 2; y2 = y[a]
        printf "  <path class=\"need\" d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n", x1, y1, x1, y1 + 26, x2, y2 - 26, x2, y2
      }
    for (i = 1; i <= count; i++) {
      me = number_of[i]
      printf "  <rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", x[me], y[me], width_of_box, height_of_box
      text(x[me] + 8, y[me] + 19, "", sprintf("%02d %s", me, name[me]))
      text(x[me] + 8, y[me] + 37, "small", minutes[me] " minutes")
    }
    print "</svg>"
  }'
