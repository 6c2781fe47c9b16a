#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: path or copies. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small mono bold mid end light on on2 cell link" }
function box(x, y, width, height, class, head, words) {
  rect(x, y, width, height, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function path() {
  begin(860, 250, "From a function to a kernel", "Above, the way of a function through the compiler: the function and the types of its arguments become typed intermediate code, that becomes PTX, and PTX runs on the emulator or becomes machine code for a GPU. Below, the simulator: the function itself runs, once for each thread, as Python, without a compiler.")
  box(20, 30, 150, 60, "on2", "a function", "and its arguments")
  box(210, 30, 170, 60, "cell", "types", "float32[::1], int64 ...")
  box(420, 30, 150, 60, "cell", "PTX", "by NVVM")
  box(640, 10, 200, 60, "on", "GPU", "machine code, by ptxas")
  box(640, 82, 200, 60, "on", "emulator", "PTX, each access watched")
  arrow(170, 60, 208, 60)
  arrow(380, 60, 418, 60)
  arrow(570, 52, 638, 40)
  arrow(570, 68, 638, 106)
  text(189, 22, "mid small", "first call")
  box(210, 170, 360, 60, "cell", "simulator", "a thread of Python for each thread of a block")
  arrow(95, 90, 208, 190)
  text(600, 205, "small", "no types, no PTX, one thread at a time")
  print "</svg>"
}
function copy(x, y, way, label) {
  if (way > 0) arrow(x, y, x + 190, y)
  else arrow(x + 190, y, x, y)
  text(x + 95, y - 6, "mid small", label)
}
function copies() {
  begin(860, 250, "What a launch copies", "On the left arrays of NumPy: before the kernel both go to the device, behind it both come back, the input too. On the right arrays of the device: nothing is copied.")
  text(210, 24, "mid bold", "kernel(x, y), both of NumPy")
  box(20, 60, 90, 60, "on2", "x", "CPU")
  box(20, 160, 90, 60, "on2", "y", "CPU")
  box(310, 60, 90, 60, "cell", "a copy of x", "device")
  box(310, 160, 90, 60, "cell", "a copy of y", "device")
  copy(115, 80, 1, "before the kernel")
  copy(115, 108, -1, "behind it, unchanged")
  copy(115, 180, 1, "before, and for nothing")
  copy(115, 208, -1, "the result")
  text(650, 24, "mid bold", "both on the device")
  box(560, 60, 180, 60, "cell", "x", "device")
  box(560, 160, 180, 60, "cell", "y", "device")
  text(650, 145, "mid small", "nothing, and nobody waits")
  print "</svg>"
}
BEGIN {
  if (figure == "path") path()
  else if (figure == "copies") copies()
  else { print "draw.sh: path or copies" >"/dev/stderr"; exit 2 }
}' </dev/null
