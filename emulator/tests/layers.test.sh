#!/bin/sh
# The folders of the emulator are layers: README.md draws them, and what is in one may use what stands below it there and what is
# in its own folder, nothing else. Read from the objects' symbols, and from the #include lines. With all edges downwards no cycle of
# objects goes through two folders.
# quick
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
. tests/build_emulator.sh

make_scratch

# The picture: "NAME ... NAME   words", a line for each layer, the highest first. Prints "NAME HEIGHT".
list_layers() {
  awk '
    /^<!-- layers -->/ { inside = 1; next }
    inside && /^```/ { if (++fences == 2) exit; next }
    inside {
      line++
      sub(/   .*/, "")
      for (i = 1; i <= NF; i++) print $i, 1000 - line
    }' README.md
}
list_layers >"$scratch/layers"

# Edges between folders that do not lead down: "FILE FILE WHY" lines in, those against the order out. Two folders of one layer
# know nothing of each other.
against_order() {
  awk '
    function folder(path, parts) { split(path, parts, "/"); return parts[1] }
    NR == FNR { height[$1] = $2; next }
    folder($1) != folder($2) && !(height[folder($1)] > height[folder($2)]) { print }' "$scratch/layers" -
}

# "OBJECT OBJECT SYMBOL" for each symbol that one object needs and another has, from `nm -A -P`.
symbol_edges() {
  awk '
    { sub(/\.o:$/, "", $1) }
    $3 ~ /^[Uvw]$/ { needs[$1 " " $2]; next }
    $3 ~ /^[A-Z]$/ { owner[$2] = $1 }
    END {
      for (need in needs) {
        split(need, part, " ")
        if (part[2] in owner && owner[part[2]] != part[1]) print part[1], owner[part[2]], part[2]
      }
    }' | sort
}

none() { # NAME WHAT THERE IS
  if [ -z "$2" ]; then
    pass "$1"
  else
    no "$1" "there are some"
    printf '%s\n' "$2" | head -n 40 | sed 's/^/    | /'
  fi
}

# ---- the picture ----

folders=$(ls -- */*.c | sed 's|/.*||' | sort -u)
drawn=$(cut -d' ' -f1 "$scratch/layers" | sort)
if [ "$folders" = "$drawn" ]; then
  pass "the README draws every folder"
else
  no "the README draws every folder" "there are: $(echo $folders); it draws: $(echo $drawn)"
fi

# ---- symbols ----

capture build_emulator "$plain_emulator"
if [ "$status" != 0 ]; then
  no "the emulator builds" "its compiler reports errors"
  show_output
  exit
fi
sources=$(ls -- */*.c)
objects=$(for source in $sources; do # there may be others, of files that are gone
  [ ! -e "$plain_emulator/${source%.c}.o" ] || echo "${source%.c}.o"
done)
(cd "$plain_emulator" && nm -A -P $objects) >"$scratch/symbols"
symbol_edges <"$scratch/symbols" >"$scratch/edges"
if [ "$(wc -l <"$scratch/edges")" -gt 1000 ]; then
  pass "the objects' symbols are read"
else
  no "the objects' symbols are read" "there are $(wc -l <"$scratch/edges") edges, which cannot be all"
fi
none "no object needs one above it" "$(against_order <"$scratch/edges")"

# Would it be found?
low=$(tail -n 1 "$scratch/layers" | cut -d' ' -f1)
high=$(head -n 1 "$scratch/layers" | cut -d' ' -f1)
printf '%s/x.o: something T 0 0\n%s/y.o: something U\n' "$high" "$low" >>"$scratch/symbols"
output=$(symbol_edges <"$scratch/symbols" | against_order)
expect "an edge upwards is found" 0 "^$low/y $high/x something\$"

# ---- headers and declarations ----

grep -E '^#include "[a-z_]+/' -- */*.[ch] | sed 's/^\(.*\):#include "\(.*\)".*/\1 \2 include/' >"$scratch/includes"
none "no file includes one above it" "$(against_order <"$scratch/includes")"
none "nothing is declared where it is used" \
  "$(grep -nE '^[[:space:]]*extern ' -- */*.c | grep -v '__start_\|__stop_' || true)"
none "one file of the library reads the environment" \
  "$(grep -nE '\<(secure_)?getenv\(' -- */*.[ch] | grep -vE '^(base/settings\.c|launcher/.*|toolkit/.*|driver/.*):' || true)"

# The emulator runs any program, and is a project of its own: what a course makes of it is not its business. Neither a text here nor
# the name of a file has the word, which this file therefore spells as a pattern.
of_courses() { # FOLDER
  (cd "$1" && grep -rniIE 'les[s]on' --exclude-dir=build . || true)
  (cd "$1" && find . -path ./build -prune -o -iname '*les[s]on*' -print)
}
none "nothing here knows of a course around it" "$(of_courses .)"

# Would it be found?
course=$(echo les son | tr -d ' ')
mkdir -p "$scratch/course/api" "$scratch/course/build"
echo "/* for ${course}s */" >"$scratch/course/api/planted.c"
touch "$scratch/course/api/${course}01.ptx" "$scratch/course/build/$course"
output=$(of_courses "$scratch/course")
expect "a course's word is found" 0 '^./api/planted\.c:1:'
expect "a course's file is found" 0 "^./api/${course}01\.ptx\$"
none "of builds nothing is found" "$(printf '%s\n' "$output" | grep build || true)"

# observe.c and observer.h are the same in each layer that has them: who watches, and for whom.
none "no two folders have a file of one name" \
  "$(ls -- */*.c */*.h | sed 's|\(.*\)/\(.*\)\.[ch]$|\2 \1|' | sort -u | awk '$1 !~ /^observer?$/' |
    awk '$1 == last { print $2 "/" $1 ", " folder "/" $1 } { last = $1; folder = $2 }')"
