# What the scripts that draw figures share: reading fields, writing SVG. Each has a refuse() of its own, which does not return.
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function xml(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
function number(s) { s = trim(s); if (s !~ /^[0-9]+(\.[0-9]+)?$/ || s + 0 <= 0) refuse("not a positive number"); return s + 0 }
function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, class ? " class=\"" class "\"" : "", xml(s) }
function line(x1, y1, x2, y2, class) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class }
