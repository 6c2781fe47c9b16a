# The hints of one tier (tier=2), of all TODOs or of one (todo=4). A paragraph that begins with **TODO 4.**, **TODO 3 and 4.** or
# **TODO 3 to 5.** is about these, and so is what follows until the next one. The status is 1 when there is nothing about that TODO.
function about(line,    text, number, count, i, within) {
  text = line
  sub(/^\*\*TODOs? */, "", text)
  sub(/\*\*.*/, "", text)
  sub(/ *\(.*/, "", text)
  within = text ~ /to|-|–/
  gsub(/[^0-9]+/, " ", text)
  count = split(text, number, " ")
  if (within && count == 2) return todo >= number[1] + 0 && todo <= number[2] + 0
  for (i = 1; i <= count; i++) if (number[i] + 0 == todo + 0) return 1
  return 0
}

/^## / { n++; if (n == tier) { print; if (todo != "") print "" } wanted = 0; next }
n != tier { next }
todo == "" { print; found = 1; next }
/^\*\*TODO/ { wanted = about($0) }
wanted { print; found = 1 }
END { exit !found }
