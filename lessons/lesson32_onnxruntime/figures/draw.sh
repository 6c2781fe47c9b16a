#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: tables or providers. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small mono bold mid light on on2 cell link" }
function box(x, y, width, class, head, words) {
  rect(x, y, width, 54, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function entries(x, y, width, class, list,   names, count, i) {
  count = split(list, names, "|")
  for (i = 1; i <= count; i++) {
    rect(x, y + 22 * (i - 1), width, 22, class)
    text(x + 10, y + 22 * (i - 1) + 15, "mono", names[i])
  }
}
function tables() {
  begin(860, 330, "Two tables of functions", "ONNX Runtime loads the library and calls its one function, RegisterCustomOps, with a base. From that the library gets a table of functions, OrtApi, by which it makes a domain. To the domain it adds a table of its own functions, OrtCustomOp. When a session is made ONNX Runtime asks that table for names, types and shapes and creates a kernel for each node; at each run it calls KernelComputeV2, and at the end KernelDestroy.")
  text(150, 30, "mid bold", "ONNX Runtime has OrtApi")
  entries(30, 44, 240, "on2", "CreateStatus|CreateCustomOpDomain|CustomOpDomain_Add|GetTensorTypeAndShape|KernelContext_GetInput|KernelContext_GetOutput|... 276 functions")
  text(710, 30, "mid bold", "the library has OrtCustomOp")
  entries(590, 44, 240, "cell", "GetName|GetExecutionProviderType|GetInputType, GetOutputType|InferOutputShapeFn|CreateKernelV2|KernelComputeV2|KernelDestroy")
  arrow(272, 60, 588, 60)
  text(430, 54, "mid small", "RegisterCustomOps(options, base)")
  arrow(588, 100, 272, 100)
  text(430, 94, "mid small", "base->GetApi(17)")
  arrow(588, 130, 272, 130)
  text(430, 124, "mid small", "CustomOpDomain_Add(domain, table)")
  box(30, 240, 250, "on2", "a session is made", "CreateKernelV2 for each node")
  box(305, 240, 250, "on", "it runs, again and again", "KernelComputeV2, by any thread")
  box(580, 240, 250, "on2", "it goes", "KernelDestroy for each node")
  arrow(280, 267, 303, 267)
  arrow(555, 267, 578, 267)
  text(430, 316, "mid small", "the tables, the domain and the library stay as long as any session that knows them")
  print "</svg>"
}
function providers() {
  begin(860, 250, "Where the tensors lie", "Above, the CPU provider: x and y are in CPU memory; CustomGelu copies x to the device, runs its kernel, copies y back and waits. Below, the CUDA provider: x and y are on the device already; CustomGelu queues its kernel in the stream of the provider and returns.")
  text(20, 30, "bold", "the CPU provider: x and y are in CPU memory")
  box(20, 42, 130, "cell", "x", "CPU memory")
  box(240, 42, 150, "on2", "copy in", "to the device")
  box(420, 42, 130, "on", "the kernel", "on the device")
  box(580, 42, 130, "on2", "copy out", "and wait")
  box(740, 42, 100, "cell", "y", "CPU memory")
  arrow(150, 69, 238, 69); arrow(390, 69, 418, 69); arrow(550, 69, 578, 69); arrow(710, 69, 738, 69)
  text(20, 140, "bold", "the CUDA provider: x and y are on the device")
  box(20, 152, 130, "on2", "x", "of another node")
  box(420, 152, 130, "on", "the kernel", "in its stream")
  box(740, 152, 100, "on2", "y", "for the next")
  arrow(150, 179, 418, 179); arrow(550, 179, 738, 179)
  text(430, 236, "mid small", "queued behind the node before, and nobody waits: the next node is queued behind ours")
  print "</svg>"
}
BEGIN {
  if (figure == "tables") tables()
  else if (figure == "providers") providers()
  else { print "draw.sh: tables or providers" >"/dev/stderr"; exit 2 }
}' </dev/null
