#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: border or gil. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small mono bold mid end light on on2 cell link" }
function box(x, y, width, height, class, head, words) {
  rect(x, y, width, height, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function border() {
  begin(860, 250, "From Python to the GPU", "Three regions side by side. Python: an array, and ctypes, which turns objects into numbers and addresses. The library: C functions, which know nothing of Python. The device: memory and kernels. Over the first border go addresses, lengths and a return code; over the second, copies and launches.")
  box(20, 50, 230, 60, "on2", "x, an array of NumPy", "type, shape, strides, owner")
  box(20, 140, 230, 60, "cell", "ctypes", "argtypes, restype")
  arrow(135, 110, 135, 138)
  box(340, 95, 200, 60, "on", "libgelu.so", "gelu_forward(x, y, n, stream)")
  arrow(250, 160, 338, 130)
  arrow(338, 146, 252, 184)
  text(262, 128, "small", "address, n")
  text(276, 192, "small", "a code")
  box(630, 50, 210, 60, "cell", "device memory", "whoever allocates frees")
  box(630, 140, 210, 60, "cell", "gelu_kernel", "runs when the stream is there")
  arrow(540, 112, 628, 82)
  arrow(540, 138, 628, 168)
  text(556, 82, "small", "copies")
  text(552, 176, "small", "a launch")
  text(135, 30, "mid bold", "Python")
  text(440, 30, "mid bold", "C")
  text(735, 30, "mid bold", "GPU, or emulator")
  text(430, 232, "mid small", "type, shape and owner stay on the left: an address takes none of them along")
  print "</svg>"
}
function threads(y, head, back, second, words) {
  text(20, y - 12, "bold", head)
  text(110, y + 16, "small end", "thread 1")
  cell(120, y, 110, "cell", "hold, launch")
  cell(230, y, back - 230, "on", "synchronize")
  cell(back, y, 100, "cell", "goes on")
  text(110, y + 56, "small end", "thread 2")
  cell(second, y + 40, 100, "on2", "release")
  text(660, y + 36, "small", words)
}
function gil() {
  begin(860, 250, "Two threads and the GIL", "Thread 1 waits in the library for work that stands behind a gate, and thread 2 opens the gate. With CDLL thread 2 runs while thread 1 waits. With PyDLL it runs only when thread 1 has come back, because the gate has given up.")
  threads(40, "CDLL gives the GIL back", 400, 290, "thread 2 opens the gate")
  threads(160, "PyDLL keeps it", 540, 540, "the gate has given up")
  arrow(390, 80, 399, 66)
  print "</svg>"
}
BEGIN {
  if (figure == "border") border()
  else if (figure == "gil") gil()
  else { print "draw.sh: border or gil" >"/dev/stderr"; exit 2 }
}' </dev/null
