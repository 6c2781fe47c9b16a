#!/bin/sh
# The texts hold together: links lead somewhere, lessons that do not exist are called planned, "Read next" names the next that exists, a
# lesson's minutes are the same wherever they stand, the glossary's words are defined where they are first used, and words that the project has
# replaced do not come back.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tools/folders.sh
make_scratch

# result NAME: passes if $scratch/found is empty, and shows it if not.
result() {
  if [ -s "$scratch/found" ]; then
    no "$1" "$(wc -l <"$scratch/found") found:"
    sed 's/^/    | /' "$scratch/found" | head -n 40
  else
    pass "$1"
  fi
}

pages=$(all_folders | sed 's|$|/README.md|')
texts=$(find . -name '*.md' ! -path './build/*' ! -path './.*/*' ! -path './third_party/*' \
  ! -path './tools/authoring/skeleton*' | sed 's|^\./||' | sort)
folders=$(lesson_folders | folder_numbers | tr '\n' ' ')

# Headings as GitHub makes anchors of them.
anchors() {
  sed -n 's/^##* //p' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'
}
# The links of a text, one in a line; what stands in code is none.
links() {
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$1" | tr '\n' ' ' | grep -o '\](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' || true
}

for text in $texts; do
  # ../../actions/ is a page of GitHub's about the repository.
  links "$text" | grep -v '^\.\./\.\./actions/' | sort -u | while read -r link; do
    file=$(dirname "$text")/${link%%#*}
    [ -n "${link%%#*}" ] || file=$text
    if [ ! -e "$file" ]; then
      echo "$text: $link"
    elif [ "$link" != "${link#*#}" ] && ! anchors "$file" | grep -qx -e "${link#*#}"; then
      echo "$text: $link (no such heading)"
    fi
  done
done >"$scratch/found"
result "every link leads somewhere"

# Paragraph by paragraph, and in a list point by point.
for text in $texts $(ls lessons/*/*.cu lessons/*/*.h solutions/*/*.cu 2>/dev/null); do
  sed 's/^- /\n- /; s/^[0-9]\. /\n&/' "$text" | awk -v RS= -v folders=" $folders" -v text="$text" '
    tolower($0) !~ /planned/ {
      unit = $0
      gsub(/[*\n]+/, " ", unit)
      while (match(unit, /[Ll]essons? +[0-9][0-9]((,| and| or| to|, and) [0-9][0-9])*/)) {
        named = substr(unit, RSTART, RLENGTH)
        unit = substr(unit, RSTART + RLENGTH)
        count = split(named, word, /[^0-9]+/)
        for (k = 1; k <= count; k++)
          if (word[k] != "" && index(folders, " " word[k] " ") == 0) print text ": " named " (there is no lesson " word[k] " yet: planned?)"
      }
    }'
done >"$scratch/found"
result "lessons that do not exist are called planned"

# Behind a further exercise, 03b, comes the next lesson, too.
for page in $pages; do
  number=${page#lessons/lesson}
  next=$(echo "$folders" | tr ' ' '\n' | awk -v number="${number%%[!0-9]*}" '$1 > number { print $1; exit }')
  [ -z "$next" ] || sed -n '/^## Read next/,$p' "$page" | grep -q "](\.\./lesson${next}_[a-z0-9_]*/README.md)" || echo "$page: lesson $next is next"
done >"$scratch/found"
result "'Read next' leads to the next lesson that exists"

for page in $pages; do
  minutes=$(sed -n 's/^\*About \([0-9]*\) minutes.*/\1/p' "$page")
  for text in README.md TEACHING.md; do
    grep -q "($page) | ${minutes:-unknown} |" "$text" || echo "$text: $page says ${minutes:-nothing}"
  done
done >"$scratch/found"
result "a lesson takes as many minutes wherever it is named"

sh tools/authoring/map_figure.sh | cmp - lessons/map.svg >"$scratch/found" 2>&1 || true
result "the map is drawn from what the pages say (sh tools/authoring/map_figure.sh > lessons/map.svg)"

# A path has, before each lesson, those that it needs; its minutes add up; the last one has all lessons.
sh tools/authoring/needs.sh >"$scratch/needs"
awk '
  NR == FNR { minutes[$1] = $3; name[$1] = $2; for (k = 4; k <= NF; k++) need[$1] = need[$1] " " $k; count++; next }
  /^## / { path = $0; sum = 0; delete seen; met = 0 }
  /^\| .*lessons\/lesson/ {
    row = $0; here = 0
    while (match(row, /lessons\/lesson[0-9][0-9]_[a-z0-9_]*/)) {
      number = substr(row, RSTART + 14, 2)
      if (substr(row, RSTART + 17, RLENGTH - 17) != name[number]) print path ": lesson " number " has another name"
      row = substr(row, RSTART + RLENGTH)
      wanted = split(need[number], before, " ")
      for (k = 1; k <= wanted; k++) if (!seen[before[k]]) print path ": lesson " number " needs lesson " before[k]
      seen[number] = 1; met++; here += minutes[number]
    }
    split($0, cell, "|")
    if (cell[4] + 0 != here) print path ": " $0 " (they are " here " minutes)"
    sum += here
  }
  /^In all/ { if ($3 + 0 != sum) print path ": in all " sum " minutes"; paths++; last = met }
  END { if (paths != 3 || last != count) print paths " paths, the last with " last " of " count " lessons" }
' "$scratch/needs" MAP.md >"$scratch/found"
[ "$(wc -l <"$scratch/needs")" = "$(lesson_folders | wc -w)" ] || echo "a page does not say what it needs" >>"$scratch/found"
result "the paths of the map have what their lessons need"

# A command of its own becomes a cell of the notebook, with its output below: no sentence may go around it.
for page in $pages; do
  awk -v page="$page" '
    /^```/ { open = !open; if (open) { command = ""; lines = 0 } else cell = lines == 1 && command ~ /^make /; next }
    open { command = $0; lines++; next }
    cell && NF && !/^<!--/ { if (/^[a-z]/) print page ": " $0; cell = 0 }' "$page"
done >"$scratch/found"
result "no sentence goes around a cell"

# What is folded begins and ends in lines of its own, or neither GitHub nor a notebook folds it.
for text in $texts; do
  awk -v text="$text" '
    /^```/ { code = !code }
    code { next }
    /^<details>/ { if (open++) print text ":" NR ": a fold in a fold" }
    /<\/details>/ { if (open-- != 1 || !/^<\/details>$/ && !/^<details>/) print text ":" NR ": " $0 }
    END { if (open) print text ": a fold is not closed" }' "$text"
done >"$scratch/found"
result "every fold is opened and closed"

# 35 lessons, each of them there or planned, and none of them both or twice. There may be more.
{
  sed -n 's/^| \[\([0-9][0-9]\) .*/\1/p' README.md
  sed -n '/^Planned/,/^$/p' README.md | grep -oE '(^| )[0-9]{2} [a-z]' | tr -dc '0-9\n'
} | sort >"$scratch/named"
{ seq -f %02g 1 35 | comm -23 - "$scratch/named"; uniq -d "$scratch/named"; sed -n 's/^| \[\([0-9][0-9]\) .*/\1/p' README.md | tr '\n' ' ' |
  grep -vxF -e "$folders"; } >"$scratch/found" || true
result "the syllabus has 35 lessons, those that exist and those that are planned"

grep -rn 'FILL IN' README.md TEACHING.md lessons solutions tests/lessons/change_it >"$scratch/found" || true
result "what make new has left to be written is written"

# The glossary: WORD<tab>PAGE where it is explained.
awk '/^## / { word = substr($0, 4) }
  match($0, /\(lessons\/[a-z0-9_]*\/README\.md/) { print word "\t" substr($0, RSTART + 1, RLENGTH - 1); word = "" }' GLOSSARY.md >"$scratch/words"
words=$(grep -c '^## ' GLOSSARY.md)
if [ "$words" -ge 40 ] && [ "$(grep -c '^[^	]' "$scratch/words")" = "$words" ]; then
  pass "each word of the glossary names the lesson that explains it"
else
  no "each word of the glossary names the lesson that explains it" "$words words, $(wc -l <"$scratch/words") lessons"
fi
sed -n 's/^## //p' GLOSSARY.md >"$scratch/order"
LC_ALL=C sort -f "$scratch/order" | diff - "$scratch/order" >"$scratch/found" || true
result "the glossary is in order"

# A page as running text, from its idea on: no code, no figures, no comments, no headings.
running_text() {
  sed '1,/^## The idea/d; /^```/,/^```/d; s/^#.*//' "$1" | tr '\n' ' ' |
    sed 's/<!--[^>]*-->/ /g; s/`[^`]*`/ /g; s/!\[[^]]*\]([^)]*)/ /g; s/<[^>]*>/ /g; s/](\([^)]*\))/](/g'
}
for page in $pages; do
  running_text "$page" >"$scratch/$(echo "$page" | tr '/' '-')"
done
# Where a word first occurs, it is set in italics or bold, or is a link to the glossary: in the lesson that explains it, and in the first
# that uses it.
while IFS='	' read -r word explained; do
  first=''
  for page in $pages; do
    awk -v word="$word" -v page="$page" '{
        text = marked = " " tolower($0)
        while (match(marked, /\*+[^*]+\*+|\[[^]]*\]\(/)) {
          span = substr(marked, RSTART, RLENGTH)
          gsub(/./, "~", span)
          marked = substr(marked, 1, RSTART - 1) span substr(marked, RSTART + RLENGTH)
        }
        if (!match(text, "[^a-z_-]" tolower(word) "(s|es)?[^a-z_-]")) exit 1
        if (substr(marked, RSTART + 1, 1) != "~") print page ": " word " (..." substr(text, RSTART - 40, 100) "...)"
      }' "$scratch/$(echo "$page" | tr '/' '-')" >"$scratch/unmarked" || continue
    if [ -z "$first" ] || [ "$page" = "$explained" ]; then cat "$scratch/unmarked"; fi
    first=$page
    [ "$page" != "$explained" ] || break
  done
  [ "$page" = "$explained" ] && [ -n "$first" ] || echo "$explained: $word is not there"
done <"$scratch/words" >"$scratch/found"
result "the glossary's words are marked where they are first used"

# --- words that the field's have replaced: words_gone.txt ---

sources=$(find common emulator tools tests lessons solutions notebooks bench -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' -o -name '*.sh' \
  -o -name '*.py' \) ! -path '*/build/*')
grep -v '^#' tests/words_gone.txt | while IFS="$(printf '\t')" read -r word instead; do
  # shellcheck disable=SC2086
  grep -nE -e "$word" $(echo "$texts" | grep -vx CONTRIBUTING.md) $sources Makefile emulator/Makefile | sed "s|\$| (say: $instead)|" || true
done >"$scratch/found"
result "no word of words_gone.txt is used"
