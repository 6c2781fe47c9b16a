#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: steps, images or parts. Which device runs which image is computed here, by the rules.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" '
function text(x, y, class, s) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, s }
function rect(x, y, width, height, class) {
  printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" class=\"%s\"/>\n", x, y, width, height, class
}
function file(x, y, width, s) { rect(x, y, width, 28, "file"); text(x + width / 2, y + 19, "mono mid", s) }
function program(x, y, width, s) { rect(x, y, width, 28, "program"); text(x + width / 2, y + 19, "mid light", s) }
function arrow(x1, y1, x2, y2) { printf "  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"link\"/>\n", x1, y1, x2, y2 }
function begin(width, height, title, description) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" ", width, height, width, height
  print "aria-labelledby=\"title desc\">"
  print "  <title id=\"title\">" title "</title>"
  print "  <desc id=\"desc\">" description "</desc>"
  print "  <style>"
  print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
  print "    .small { font-size: 12px; }"
  print "    .mono { font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace; font-size: 12px; }"
  print "    .bold { font-weight: bold; }"
  print "    .mid { text-anchor: middle; }"
  print "    .end { text-anchor: end; }"
  print "    .light { fill: #ffffff; }"
  print "    .program, .code { fill: #1f5fa8; stroke: #1a1a1a; }"
  print "    .ptx { fill: #a9c6e8; stroke: #1a1a1a; }"
  print "    .file, .none { fill: #ffffff; stroke: #1a1a1a; }"
  print "    .none { stroke: #c4c4c4; }"
  print "    .zone { fill: #f3f3f3; stroke: #c4c4c4; }"
  print "    .link { stroke: #1a1a1a; stroke-width: 1.2; fill: none; marker-end: url(#tip); }"
  print "  </style>"
  print "  <defs>"
  print "    <marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1a1a1a\"/></marker>"
  print "  </defs>"
  printf "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n", width - 2, height - 2
}

# A row of files and the programs between them.
function chain(x, y, list,    k, n, part, width) {
  n = split(list, part, "|")
  for (k = 1; k <= n; k++) {
    width = k % 2 ? 108 : 104
    if (k % 2) file(x, y, width, part[k]); else program(x, y, width, part[k])
    if (k < n) arrow(x + width, y + 14, x + width + 20, y + 14)
    x += width + 20
  }
  return x - 20
}
function steps() {
  begin(944, 344, "From walk.cu to a program", "The host way: walk.cu goes through the preprocessor, cudafe++, which takes device code out and puts launches in, and the C++ compiler to walk.o. The device way, once for each virtual architecture: the preprocessor with __CUDA_ARCH__, cicc, which makes PTX, ptxas, which makes a cubin. fatbinary packs PTX and cubins, and the C++ compiler embeds them in walk.o. At run time the driver takes a cubin that fits, or compiles PTX.")
  rect(14, 14, 892, 76, "zone"); text(26, 34, "bold", "host"); chain(26, 46, "walk.cu|preprocessor|.cpp4.ii|cudafe++|.cudafe1.cpp|C++ compiler|walk.o")
  rect(14, 110, 892, 88, "zone"); text(26, 130, "bold", "device, once for each compute_N"); chain(26, 142, "walk.cu|preprocessor|.cpp1.ii|cicc|.ptx|ptxas|.cubin")
  text(154, 188, "small", "__CUDA_ARCH__ = 800"); text(406, 188, "small", "compute_80"); text(658, 188, "small", "sm_80")
  program(632, 222, 104, "fatbinary"); file(756, 222, 108, ".fatbin.c")
  arrow(584, 170, 660, 220); arrow(836, 170, 712, 220); arrow(736, 236, 754, 236)
  printf "  <path d=\"M864 236 L926 236 L926 100 L710 100 L710 76\" class=\"link\"/>\n"
  text(26, 232, "", "Both kinds of images, PTX and machine code (cubin), go into the fat"); text(26, 250, "", "binary, which becomes a piece of constant data in walk.o.")
  rect(14, 272, 892, 58, "zone"); text(26, 292, "bold", "at run time"); file(130, 286, 108, "program"); arrow(238, 300, 256, 300); program(258, 286, 104, "driver")
  arrow(362, 300, 380, 300); text(386, 296, "", "takes machine code that fits, or compiles the newest PTX that fits"); text(386, 316, "", "(JIT) and keeps what came out in a cache: ~/.nv/ComputeCache")
}

# Does it run? 1: as machine code, 2: compiled at run time, 0: no. The letter a: on this capability alone.
function runs(kind, arch, exact, device) {
  if (exact && arch != device) return 0
  if (kind == "sm") return int(arch / 10) == int(device / 10) && arch <= device ? 1 : 0
  return arch <= device ? 2 : 0
}
function images(    r, c, name, part, arch, kind, exact, how, x, y) {
  rows = split("sm_75 sm_80 sm_86 sm_90 sm_90a sm_100 compute_75 compute_80 compute_90 compute_90a compute_100", row, " ")
  columns = split("75 80 86 89 90 100 120", device, " ")
  begin(760, 432, "Which image runs on which device", "Rows are images, columns compute capabilities from 7.5 to 12.0. Machine code runs on devices with its own major version and no lower minor version: sm_80 on 8.0, 8.6 and 8.9, sm_86 on 8.6 and 8.9. PTX runs on its own compute capability and all later ones, compiled at run time. With the letter a, sm_90a and compute_90a, either runs on 9.0 alone.")
  text(20, 30, "bold", "image"); text(200, 30, "bold", "device of compute capability")
  for (c = 1; c <= columns; c++) text(240 + 74 * (c - 1), 52, "mono mid", int(device[c] / 10) "." device[c] % 10)
  for (r = 1; r <= rows; r++) {
    split(row[r], part, "_"); kind = part[1]; exact = part[2] ~ /a$/; arch = part[2] + 0
    y = 62 + 28 * (r - 1) + (kind == "compute" ? 10 : 0)
    text(20, y + 17, "mono", row[r])
    for (c = 1; c <= columns; c++) {
      how = runs(kind, arch, exact, device[c] + 0)
      x = 206 + 74 * (c - 1)
      rect(x, y, 68, 24, how == 1 ? "code" : how == 2 ? "ptx" : "none")
      if (how) text(x + 34, y + 16, "small mid" (how == 1 ? " light" : ""), how == 1 ? "runs" : "JIT")
    }
  }
  rect(20, 396, 24, 18, "code"); text(52, 410, "", "machine code, taken first")
  rect(270, 396, 24, 18, "ptx"); text(302, 410, "", "PTX, compiled by the driver")
  rect(530, 396, 24, 18, "none"); text(562, 410, "", "does not run")
}

function object(x, y, name, host, device_text) {
  rect(x, y, 170, 84, "file"); text(x + 85, y + 18, "mono mid", name)
  rect(x + 8, y + 26, 154, 22, "none"); text(x + 85, y + 41, "small mid", host)
  rect(x + 8, y + 54, 154, 22, "ptx"); text(x + 85, y + 69, "small mid", device_text)
}
function parts() {
  begin(960, 330, "Two linkers", "kernels.cu and device.cu are compiled with nvcc -dc to objects that hold host code and relocatable device code; main.cpp is compiled by g++ and has host code alone. nvlink takes the device code of all objects and makes one piece of machine code in which the call to silu is resolved; it becomes link.o. The linker of the host takes main.o, kernels.o, device.o, link.o and the runtime library and makes the program.")
  file(20, 40, 120, "main.cpp"); file(20, 120, 120, "kernels.cu"); file(20, 230, 120, "device.cu")
  text(166, 46, "small", "g++ -c"); text(156, 126, "small", "nvcc -dc"); text(156, 236, "small", "nvcc -dc")
  arrow(140, 54, 218, 54); arrow(140, 134, 218, 134); arrow(140, 244, 218, 244)
  rect(220, 34, 170, 40, "file"); text(305, 59, "mono mid", "main.o")
  object(220, 100, "kernels.o", "silu_all, launches", "silu_kernel: call silu")
  object(220, 210, "device.o", "(nothing)", "silu")
  program(470, 196, 110, "nvlink"); text(470, 240, "small", "nvcc -dlink")
  arrow(390, 166, 468, 206); arrow(390, 276, 468, 216)
  rect(630, 184, 130, 52, "file"); text(695, 202, "mono mid", "link.o"); rect(638, 208, 114, 22, "code"); text(695, 223, "small mid light", "silu_kernel, silu")
  arrow(580, 210, 628, 210)
  program(640, 80, 110, "g++ (ld)"); file(810, 80, 120, "program")
  arrow(390, 54, 638, 88); arrow(390, 126, 638, 98); arrow(695, 184, 695, 110); arrow(750, 94, 808, 94)
  printf "  <path d=\"M390 288 L600 288 L600 112 L638 104\" class=\"link\"/>\n"
  text(770, 140, "mono", "libcudart"); text(770, 158, "mono", "libcudadevrt"); arrow(768, 134, 742, 110)
  text(470, 316, "small", "the device linker resolves silu; the linker of the host resolves silu_all")
}

BEGIN {
  if (figure == "steps") steps()
  else if (figure == "images") images()
  else if (figure == "parts") parts()
  else { print "no such figure: " figure > "/dev/stderr"; exit 1 }
  print "</svg>"
}' </dev/null
