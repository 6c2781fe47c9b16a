#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: passes or words. The words are computed here, as exercise 03b computes them.
set -eu
cd "$(dirname "$0")"

seed=42 call=5
low=$((0xffffffff))

# philox C0 C1 C2 C3 KEY0 KEY1: the four words, in hexadecimal.
philox() {
  c0=$1 c1=$2 c2=$3 c3=$4 k0=$5 k1=$6
  for round in 1 2 3 4 5 6 7 8 9 10; do
    a=$((0xD2511F53 * c0)) b=$((0xCD9E8D57 * c2)) # what does not fit into 64 bits is a sign here, and no bit is lost
    c0=$(((b >> 32 & low) ^ c1 ^ k0)) c1=$((b & low)) c2=$(((a >> 32 & low) ^ c3 ^ k1)) c3=$((a & low))
    k0=$((k0 + 0x9E3779B9 & low)) k1=$((k1 + 0xBB67AE85 & low))
  done
  printf '%08x %08x %08x %08x ' "$c0" "$c1" "$c2" "$c3"
}

words=$(for quad in 0 1 2; do philox $quad 0 $call 0 $seed 0; done)

awk -v figure="$1" -v words="$words" -v seed=$seed -v call=$call "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small mono bold mid end light on on2 cell off link"; cell_height = "24"
  looks["mono"] = mono " font-size: 10px;"
}

# A kernel at x, with what it loads and what it stores; names are apart by commas.
function box(x, width, name, loads, stores,   list, count, k, at) {
  cell(x, 132, width, "on2", name)
  count = split(loads, list, ",")
  for (k = 1; k <= count; k++) {
    at = x + 16 + 44 * (k - 1)
    arrow(at, 64, at, 130)
    text(at + 3, 86, "small", list[k])
  }
  count = split(stores, list, ",")
  for (k = 1; k <= count; k++) {
    at = x + width - 38 + 44 * (k - count)
    arrow(at, 132, at, 66)
    text(at + 3, 116, "small", list[k])
  }
}
function passes() {
  begin(800, 190, "Four kernels and one", "Above a bar, the memory; below it kernels, with arrows for the arrays that they load and store. Four kernels: bias loads x and stores y; GELU loads y and stores y; dropout loads y and stores y and a mask; add loads y and the residual and stores y. One kernel loads x and the residual and stores y.")
  printf "  <rect x=\"16\" y=\"40\" width=\"768\" height=\"24\" class=\"off\"/>\n"
  text(400, 57, "small mid", "memory (the bias comes from a cache)")
  text(16, 28, "bold", "four kernels")
  text(648, 28, "bold", "one kernel")
  box(16, 110, "bias", "x", "y")
  box(142, 110, "GELU", "y", "y")
  box(268, 164, "dropout", "y", "y,mask")
  box(448, 150, "add", "y,res.", "y")
  printf "  <line x1=\"624\" y1=\"16\" x2=\"624\" y2=\"176\" stroke=\"#8a8a8a\" stroke-dasharray=\"4 4\"/>\n"
  box(634, 150, "all of it", "x,res.", "y")
  text(307, 176, "small mid", "an arrow: 4 bytes for an element; of the mask 1 byte")
  print "</svg>"
}

function picture(   i, quad, word, x, drop, said) {
  split(words, word, " ")
  for (i = 0; i < 12; i++) said = said (i ? ", " : "") i " " word[i + 1] (word[i + 1] < "80000000" ? " dropped" : " kept")
  begin(800, 250, "Which word belongs to which element", "Twelve elements in three groups of four. Group 0, 1 and 2 have the counters (0, 0, " call ", 0), (1, 0, " call ", 0) and (2, 0, " call ", 0); Philox with the key (" seed ", 0) makes four words of each. A word below 80000000 drops its element: " said ".")
  text(24, 32, "", "Seed " seed ", call " call ", p = 0.5. Words are in hexadecimal, the threshold is 80000000.")
  split("counter|key (" seed ", 0)|word|word &lt; threshold?|element", name, "|")
  for (i = 1; i <= 5; i++) text(124, 28 + 40 * i, "small end", name[i])
  for (quad = 0; quad < 3; quad++) {
    x = 134 + 216 * quad
    cell(x, 52, 216, "cell", "(" quad ", 0, " call ", 0)")
    arrow(x + 108, 76, x + 108, 90)
    cell(x, 92, 216, "on2", "Philox4x32-10")
    for (i = 0; i < 4; i++) {
      drop = word[4 * quad + i + 1] < "80000000"
      arrow(x + 54 * i + 27, 116, x + 54 * i + 27, 130)
      cell(x + 54 * i, 132, 54, "cell", word[4 * quad + i + 1])
      cell(x + 54 * i, 172, 54, drop ? "off" : "on", drop ? "drop" : "keep")
      cell(x + 54 * i, 212, 54, "cell", 4 * quad + i)
    }
  }
  print "</svg>"
}
BEGIN {
  if (figure == "passes") passes()
  else if (figure == "words") picture()
  else { print "draw.sh: passes or words" >"/dev/stderr"; exit 2 }
}' </dev/null
