#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: call or rename. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN {
  classes = "small mono bold mid light on on2 cell off wire link"
  looks["wire"] = "stroke: #1a1a1a; stroke-width: 1.2;"
}
function box(x, y, width, class, head, words) {
  rect(x, y, width, 54, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function call() {
  begin(860, 270, "What a call does", "A call looks for its kernel in memory, by operator, type, width and flags. If it is not there, it looks on disk, by a hash of source, flags, architecture and compiler version. If it is not there either, the compiler is asked, and its image is put on disk. The image is loaded, and the kernel kept in memory. Then it is launched.")
  box(20, 100, 170, "on2", "call_jit(\"gelu\", x)", "type, width, flags")
  box(250, 20, 170, "cell", "memory", "of this process")
  box(250, 100, 170, "cell", "disk", "of all processes")
  box(250, 190, 170, "on", "compiler", "NVRTC, or nvcc")
  box(490, 145, 150, "cell", "load", "image to kernel")
  box(690, 20, 150, "on2", "launch", "every time")
  arrow(105, 100, 248, 52)
  text(104, 70, "small", "1. there?")
  arrow(335, 74, 335, 98)
  text(343, 91, "small", "no: 2. the key")
  arrow(335, 154, 335, 188)
  text(343, 176, "small", "no: 3. the source")
  arrow(420, 47, 688, 47)
  text(520, 40, "small", "yes")
  arrow(420, 127, 488, 160)
  text(450, 132, "small", "an image")
  arrow(420, 217, 488, 186)
  text(446, 220, "small", "an image")
  line(250, 217, 222, 217, "wire")
  line(222, 217, 222, 127, "wire")
  arrow(222, 127, 248, 127)
  text(130, 200, "small", "kept on disk")
  arrow(640, 160, 740, 76)
  text(700, 130, "small", "a kernel, for memory")
  print "</svg>"
}
function process(y, who, compiled, name) {
  text(20, y + 16, "small", who)
  cell(110, y, compiled, "on", "compile")
  cell(110 + compiled, y, 130, "on2", "write " name)
  cell(240 + compiled, y, 70, "cell", "rename")
}
function rename() {
  begin(860, 210, "Two processes make the same entry", "Processes A and B find no entry, and both compile. Each writes under a name of its own and renames that to the name of the entry. Up to the first rename a reader finds nothing, then the entry of A, then that of B, and never a part.")
  process(20, "process A", 180, "new-a")
  process(128, "process B", 330, "new-b")
  text(20, 78, "small", "who reads")
  text(20, 94, "small mono", "3f9c...")
  cell(110, 74, 310, "off", "finds nothing")
  cell(420, 74, 150, "cell", "finds all of A\047s")
  cell(570, 74, 260, "cell", "finds all of B\047s")
  line(420, 44, 420, 73, "link")
  line(570, 128, 570, 99, "link")
  text(430, 180, "mid small", "time: a name leads to a whole file or to none; whoever has opened the file of A reads that to its end")
  print "</svg>"
}
BEGIN {
  if (figure == "call") call()
  else if (figure == "rename") rename()
  else { print "draw.sh: call or rename" >"/dev/stderr"; exit 2 }
}' </dev/null
