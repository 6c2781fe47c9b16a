#!/bin/sh
# walk.sh ptx|sass: compiles walk.cu and prints each line of it with what became of it, and a note for each instruction (notes_ptx.txt and
# notes_sass.txt: a pattern, a tab, what to say). PTX for compute capability 7.5, machine code for 9.0.
set -eu
cd "$(dirname "$0")/../../.."
. build/configuration
here=lessons/lesson23_nvcc/reading
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

case $1 in
ptx)
  "$NVCC" -O3 -lineinfo -arch=compute_75 -ptx $here/walk.cu -o "$made/walk"
  ;;
sass)
  nvdisasm=$(sh tools/toolchain/find_tool.sh nvdisasm "$NVCC" "$TOOLKIT_LIB")
  [ -n "$nvdisasm" ] || { echo "there is no nvdisasm here: make lesson23 sass says how to get it" >&2; exit 1; }
  "$NVCC" -O3 -lineinfo -arch=sm_90 -cubin $here/walk.cu -o "$made/walk.cubin"
  "$nvdisasm" -c -g "$made/walk.cubin" >"$made/walk"
  ;;
esac

# .loc 1 LINE COLUMN in PTX, //## File "...", line LINE in a disassembly: the line that the next instructions come from.
awk -v kind="$1" -v notes="$here/notes_$1.txt" -v source="$here/walk.cu" '
  function note(instruction,    k) {
    for (k = 1; k <= patterns; k++) if (instruction ~ pattern[k]) return said[k]
    return "?"
  }
  function show(instruction,    text) {
    if (line != shown) { printf "%d %s\n", line, of[line]; shown = line }
    text = note(instruction)
    if (text == "") print "      " instruction
    else printf "      %-38s %s\n", instruction, text
  }
  BEGIN {
    while ((getline text <notes) > 0) { split(text, part, "\t"); pattern[++patterns] = "^(@!?%?[pP][0-9]+ )?" part[1]; said[patterns] = part[2] }
    while ((getline text <source) > 0) of[++lines] = text
  }
  kind == "ptx" && $1 == ".loc" { line = $3; next }
  kind == "ptx" && /^\t[@a-z{].*;/ {
    gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/;$/, ""); gsub(/_Z[A-Za-z0-9]*_param/, "param"); gsub(/\$L__BB0_2/, "END")
    show($0)
  }
  kind == "sass" && /## File/ { line = $NF; next }
  kind == "sass" && /^ *\/\*[0-9a-f]+\*\// {
    sub(/^ *\/\*[0-9a-f]+\*\/ */, ""); sub(/ *;.*/, ""); gsub(/ +/, " ")
    if (/^(NOP|BRA `)/) next # behind the last instruction: what is fetched and never executed
    show($0)
  }' "$made/walk"
