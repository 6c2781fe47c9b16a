# awk -v first=LINE -v source=FILE -f one_kernel.awk OUTPUT OUTPUT: the kernel that begins in that line of a PTX or SASS file, below the lines of
# the source. The file is read twice: which file a .loc of PTX means is said at its end.
FNR == 1 { pass++ }
pass == 1 {
  if ($1 == ".file" && index($0, source)) number = $2
  next
}
FNR == 1 { while ((getline line <source) > 0) text[++lines] = line }
FNR < first { next }
done { exit }

# PTX ends with a brace, SASS where the next section begins.
FNR > first && (/^\/\/-----/ || /^\t?\.section/) { exit }
/^}/ { done = 1 }

$1 == ".loc" {
  if ($2 == number && $3 != shown) printf "// line %d: %s\n", shown = $3, text[$3]
  next
}
/\/\/## File "/ {
  if (index($0, source) && match($0, /line [0-9]+/)) {
    at = substr($0, RSTART + 5, RLENGTH - 5)
    if (at != shown) printf "// line %d: %s\n", shown = at, text[at]
  }
  next
}
{ print }
