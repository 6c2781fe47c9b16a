#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: operator or streams. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small bold mid light on on2 cell bare link"; looks["bare"] = "stroke: #1a1a1a; stroke-width: 1.2;" }
function box(x, y, width, class, head, words) {
  rect(x, y, width, 54, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function operator() {
  begin(860, 330, "An operator is a name with several functions", "A call of torch.ops.gelu_torch.forward goes to the dispatcher, which looks at the tensor. If it requires a gradient, autograd notes the gradient, and calls again. A tensor of the CPU goes to forward_cpu, one of CUDA to forward_cuda, and one without data to the fake kernel, which says only shape, type and strides. torch.compile and opcheck ask with tensors without data.")
  box(20, 130, 220, "on2", "gelu_torch::forward", "(Tensor x) -> Tensor")
  box(330, 130, 180, "on", "the dispatcher", "looks at x")
  arrow(240, 157, 328, 157)
  box(600, 20, 240, "cell", "autograd", "notes the gradient, calls again")
  box(600, 96, 240, "cell", "forward_cpu", "x is of the CPU")
  box(600, 172, 240, "cell", "forward_cuda", "x is of CUDA")
  box(600, 248, 240, "cell", "the fake kernel", "x has no data")
  arrow(510, 146, 598, 52)
  arrow(510, 153, 598, 126)
  arrow(510, 161, 598, 196)
  arrow(510, 168, 598, 268)
  text(130, 210, "mid small", "the schema: what goes in")
  text(130, 226, "mid small", "and out, what is written")
  text(420, 270, "mid small", "torch.compile and opcheck")
  text(420, 286, "mid small", "call with tensors without data")
  print "</svg>"
}
function streams() {
  begin(860, 230, "The stream of the one who made x", "Above: the copy that writes x and the kernel that reads it are both in the side stream, so the kernel runs behind the copy. Below: the kernel is in stream 0, which does not wait for the side stream. It runs before the copy and reads what was in x before.")
  text(20, 62, "bold", "side stream")
  rect(140, 40, 240, 36, "cell")
  text(260, 63, "mid small", "waits")
  rect(390, 40, 150, 36, "on2")
  text(465, 63, "mid small", "x is written")
  rect(550, 40, 150, 36, "on")
  text(625, 63, "mid small light", "gelu: right")
  line(20, 110, 840, 110, "bare")
  text(20, 152, "bold", "side stream")
  rect(140, 130, 240, 36, "cell")
  text(260, 153, "mid small", "waits")
  rect(390, 130, 150, 36, "on2")
  text(465, 153, "mid small", "x is written")
  text(20, 202, "bold", "stream 0")
  rect(150, 180, 150, 36, "on")
  text(225, 203, "mid small light", "gelu: the old x")
  text(320, 203, "small", "a non-blocking side stream is not waited for")
  text(790, 63, "mid small", "time")
  arrow(740, 76, 840, 76)
  print "</svg>"
}
BEGIN {
  if (figure == "operator") operator()
  else if (figure == "streams") streams()
  else { print "draw.sh: operator or streams" >"/dev/stderr"; exit 2 }
}' </dev/null
