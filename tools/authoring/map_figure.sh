#!/bin/sh
# map_figure.sh > lessons/map.svg: which lesson needs which, from what their pages say (needs.sh). A row for each lesson, a column for each that
# it could need: dark where its page names it, light where another one that it needs does.
set -eu
cd "$(dirname "$0")/../.."

sh tools/authoring/needs.sh | awk "$(cat tools/authoring/figure.awk)"'
  function refuse(why) { print "map_figure.sh: " why >"/dev/stderr"; exit 1 }
  function through_others(a, b,    k) {
    for (k = 1; k <= count; k++)
      if (direct[a, number_of[k]] && (direct[number_of[k], b] || through_others(number_of[k], b))) return 1
    return 0
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
    left = 240; top = 60; cell = 28
    width = left + (count - 1) * cell + 24; height = top + count * cell + 54
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
    print "    .small { font-size: 12px; fill: #4a4a4a; } .mid { text-anchor: middle; } .end { text-anchor: end; }"
    print "    .line { stroke: #e2e2e2; } .dark { fill: #1f5fa8; } .light { fill: #bcd3ec; }"
    print "  </style>"
    printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
    text(16, 26, "small", "lesson, minutes"); text(left, 26, "small", "needs")
    for (i = 1; i <= count; i++) {
      me = number_of[i]; y = top + (i - 1) * cell
      line(16, y + cell, width - 16, y + cell, "line")
      text(16, y + 19, "", sprintf("%02d %s", me, name[me]))
      text(left - 24, y + 19, "small end", minutes[me])
      if (i < count) text(left + (i - 1) * cell + cell / 2, top - 10, "small mid", sprintf("%02d", me))
      for (k = 1; k < i; k++) {
        class = direct[me, number_of[k]] ? "dark" : through_others(me, number_of[k]) ? "light" : ""
        if (class) printf "  <rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", class, left + (k - 1) * cell + 5, y + 5, cell - 10, cell - 10
      }
    }
    y = top + count * cell + 16
    printf "  <rect class=\"dark\" x=\"16\" y=\"%d\" width=\"18\" height=\"18\" rx=\"4\"/>\n", y
    text(42, y + 14, "small", "its page names this one")
    printf "  <rect class=\"light\" x=\"200\" y=\"%d\" width=\"18\" height=\"18\" rx=\"4\"/>\n", y
    text(226, y + 14, "small", "needed by one that it needs")
    print "</svg>"
  }'
