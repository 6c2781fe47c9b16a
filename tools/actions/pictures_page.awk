# The report of a run with pictures becomes a page that shows them, each with the line that it is about: index.html in their folder.
function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}
BEGIN {
  print "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>" escaped(title) "</title>"
  print "<style>body { font-family: sans-serif; margin: 2em } img { max-width: 100% } h2 { font-size: 1em }</style>"
  print "<h1>" escaped(title) "</h1>"
}
/\.svg$/ {
  sub(/.*\//, "")
  picture = escaped($0)
  if ((getline about) <= 0 || about == "") about = $0
  sub(/^ */, "", about)
  print "<h2>" picture ": " escaped(about) "</h2>\n<img src=\"" picture "\" alt=\"" escaped(about) "\">"
}
