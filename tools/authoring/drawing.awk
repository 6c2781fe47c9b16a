# What the draw.sh of the pages share (text that is XML already; figure.awk is for figures that are made from records). begin() opens a picture:
# `classes` are those it draws in, a line of the style sheet for each word, and classes with + between them share a line. How a class looks stands
# in looks[], where a script may put others, in a BEGIN of its own. The script prints </svg> at the end.
BEGIN {
  mono = "font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace;"
  looks["small"] = "font-size: 12px;"
  looks["tiny"] = "font-size: 10px;"
  looks["mono"] = mono " font-size: 12px;"
  looks["bold"] = "font-weight: bold;"
  looks["mid"] = "text-anchor: middle;"
  looks["end"] = "text-anchor: end;"
  looks["light"] = "fill: #ffffff;"
  looks["on"] = "fill: #1f5fa8; stroke: #1a1a1a;"
  looks["on2"] = "fill: #a9c6e8; stroke: #1a1a1a;"
  looks["cell"] = "fill: #ffffff; stroke: #1a1a1a;"
  looks["off"] = "fill: #e4e4e4; stroke: #8a8a8a;"
  looks["link"] = "stroke: #1a1a1a; stroke-width: 1.2; fill: none; marker-end: url(#tip);"
  frame = "rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\""
  cell_height = "24.0"
}
function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, s }
function line(x1, y1, x2, y2, class) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class }
function arrow(x1, y1, x2, y2) { line(x1, y1, x2, y2, "link") }
function rect(x, y, width, height, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, class }
function cell(x, y, width, class, s) {
  printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%s\" class=\"%s\"/>\n", x, y, width, cell_height, class
  text(x + width / 2, y + 16, class == "on" ? "mono mid light" : "mono mid", s)
}
function begin(width, height, title, description,   lines, names, rows, count, k, i) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" ", width, height, width, height
  print "aria-labelledby=\"title desc\">"
  print "  <title id=\"title\">" title "</title>"
  print "  <desc id=\"desc\">" description "</desc>"
  print "  <style>"
  print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
  rows = split(classes, lines, " ")
  for (k = 1; k <= rows; k++) {
    printf "   "
    count = split(lines[k], names, "+")
    for (i = 1; i <= count; i++) printf " .%s { %s }", names[i], looks[names[i]]
    print ""
  }
  print "  </style>"
  if (classes ~ /link/) {
    print "  <defs>"
    print "    <marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1a1a1a\"/></marker>"
    print "  </defs>"
  }
  if (frame) printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" %s/>\n", width - 2, height - 2, frame
  else rect(1, 1, width - 2, height - 2, "cell")
}
