# Functions for tables in CSV, for gradebook.sh: fields in quotes may hold the separator; a field with a line's end in it is not known.

# split_csv(LINE, FIELD [, SEPARATOR]): how many fields there are; their values without quotes go to field[1], field[2] ...
function split_csv(line, field, separator,    count, c, i, quoted, value) {
  if (separator == "") separator = ","
  split("", field)
  sub(/\r$/, "", line)
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") { value = value c; i++ }
    else if (c == "\"") quoted = !quoted
    else if (c == separator && !quoted) { field[++count] = value; value = "" }
    else value = value c
  }
  field[++count] = value
  return count
}

function csv(text) {
  if (text !~ /[",]/) return text
  gsub(/"/, "\"\"", text)
  return "\"" text "\""
}
