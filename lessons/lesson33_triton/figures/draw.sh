#!/bin/sh
# draw.sh NAME > NAME.svg: draws the page's figures: program. Boxes, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small mono bold mid end light on on2 cell link" }
function program(    i) {
  begin(860, 230, "Threads, and a program with a block of values", "Above, CUDA C: sixteen elements, and a thread writes what it does with one of them. Below, Triton: a program works on sixteen elements at once, and the compiler gives four neighbours to each of four threads.")
  text(20, 30, "bold", "CUDA C: you write what a thread does with its element")
  for (i = 0; i < 16; i++) {
    rect(20 + 51 * i, 44, 47, 40, i % 2 ? "cell" : "on2")
    text(43 + 51 * i, 69, "mid small", "t" i)
  }
  text(20, 128, "bold", "Triton: you write what a program does with its block, and the compiler gives it to threads")
  rect(16, 138, 822, 52, "link")
  for (i = 0; i < 16; i++) {
    rect(20 + 51 * i, 144, 47, 40, int(i / 4) % 2 ? "cell" : "on2")
    text(43 + 51 * i, 169, "mid small", i)
  }
  for (i = 0; i < 4; i++) text(122 + 204 * i, 212, "mid small", "thread " i ": one load of four")
  print "</svg>"
}
BEGIN {
  if (figure == "program") program()
  else { print "draw.sh: program" >"/dev/stderr"; exit 2 }
}' </dev/null
