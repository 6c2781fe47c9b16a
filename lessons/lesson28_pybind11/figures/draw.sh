#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: build or exchange. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small bold mid light on on2 cell bare link"; looks["bare"] = "stroke: #1a1a1a; stroke-width: 1.2;" }
function box(x, y, width, class, head, words) {
  rect(x, y, width, 54, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function build() {
  begin(860, 300, "From sources to an import", "pip reads pyproject.toml and calls scikit-build-core, which calls CMake. CMake has nvcc compile gelu.cu and the C++ compiler binding.cpp, and links both, with libcudart, to the module _gelu. The module and __init__.py are packed to a wheel. Installing unpacks the wheel; import loads the module, and the dynamic linker finds libcudart.")
  text(130, 28, "mid bold", "who is asked")
  text(430, 28, "mid bold", "what is compiled")
  text(730, 28, "mid bold", "what is carried away")
  box(30, 44, 200, "on2", "pip", "pyproject.toml: who builds?")
  box(30, 128, 200, "cell", "scikit-build-core", "for which Python, where to")
  box(30, 212, 200, "cell", "CMake", "CMakeLists.txt")
  arrow(130, 98, 130, 126)
  arrow(130, 182, 130, 210)
  box(330, 44, 200, "cell", "gelu.cu", "nvcc")
  box(330, 128, 200, "cell", "binding.cpp", "c++, pybind11, CUDA::cudart")
  box(330, 212, 200, "on", "_gelu.cpython-311-….so", "PyInit__gelu")
  arrow(230, 224, 328, 84)
  arrow(230, 234, 328, 160)
  arrow(430, 182, 430, 210)
  line(530, 71, 556, 71, "bare")
  line(556, 71, 556, 232, "bare")
  arrow(556, 232, 532, 232)
  box(630, 212, 200, "on2", "a wheel", "for one Python, one system")
  box(630, 128, 200, "cell", "site-packages", "unpacked: nothing is run")
  box(630, 44, 200, "cell", "import", "ld.so looks for libcudart")
  arrow(532, 250, 628, 250)
  arrow(730, 210, 730, 184)
  arrow(730, 126, 730, 100)
  print "</svg>"
}
function exchange() {
  begin(860, 230, "DLPack: one array, two libraries", "The consumer calls __dlpack_device__ and __dlpack__ of the producer, and gets a capsule named dltensor with the address, shape and type, and a deleter. It renames the capsule to used_dltensor and uses the memory where it is. When it is done it calls the deleter, and the producer may free the memory.")
  box(30, 40, 220, "on2", "the producer", "DeviceArray, torch.Tensor, ...")
  box(610, 40, 220, "on", "the consumer", "forward(x)")
  arrow(608, 56, 252, 56)
  text(430, 50, "mid small", "__dlpack__(stream=1): my work will come in this stream")
  arrow(252, 84, 608, 84)
  text(430, 78, "mid small", "a capsule, dltensor: address, shape, type, deleter")
  box(320, 126, 220, "cell", "device memory", "it stays where it is")
  arrow(140, 94, 318, 152)
  arrow(720, 94, 542, 152)
  text(160, 146, "small", "owns it")
  text(650, 146, "small", "reads it, meanwhile")
  text(430, 210, "mid small", "the consumer renames the capsule to used_dltensor, and calls the deleter when it is done: once")
  print "</svg>"
}
BEGIN {
  if (figure == "build") build()
  else if (figure == "exchange") exchange()
  else { print "draw.sh: build or exchange" >"/dev/stderr"; exit 2 }
}' </dev/null
