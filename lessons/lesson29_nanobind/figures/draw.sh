#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: owners or abi. Boxes and arrows, placed by hand.
set -eu
cd "$(dirname "$0")"

awk -v figure="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
BEGIN { classes = "small bold mid light on on2 cell bare link"; looks["bare"] = "stroke: #1a1a1a; stroke-width: 1.2;" }
function box(x, y, width, class, head, words) {
  rect(x, y, width, 54, class)
  text(x + width / 2, y + 22, class == "on" ? "mid bold light" : "mid bold", head)
  text(x + width / 2, y + 42, class == "on" ? "mid small light" : "mid small", words)
}
function owners() {
  begin(860, 300, "Who owns the memory of an array that comes back", "Three rows. An array with a capsule as its owner: when the array goes, the capsule goes, and its function deletes the memory. An array whose owner is another object, a Room: the room and its memory live as long as the array. An array without an owner: the room goes, its memory goes, and the array has an address of nothing.")
  text(140, 28, "mid bold", "what Python has")
  text(430, 28, "mid bold", "its owner")
  text(720, 28, "mid bold", "the memory")
  box(30, 44, 220, "on2", "to_device(x)", "an ndarray: address, shape, owner")
  box(320, 44, 220, "cell", "a capsule", "deletes when it goes")
  box(610, 44, 220, "on", "device memory", "lives as long as the array")
  arrow(252, 71, 318, 71)
  arrow(542, 71, 608, 71)
  box(30, 128, 220, "on2", "room.array", "reference_internal")
  box(320, 128, 220, "cell", "the Room", "an object of Python")
  box(610, 128, 220, "on", "device memory", "lives as long as the array")
  arrow(252, 155, 318, 155)
  arrow(542, 155, 608, 155)
  box(30, 212, 220, "on2", "room.array_without_owner", "reference")
  box(320, 212, 220, "cell", "nobody", "the Room has gone")
  box(610, 212, 220, "cell", "freed", "the address is left")
  text(430, 288, "mid small", "an arrow: this one keeps that one alive")
  print "</svg>"
}
function abi() {
  begin(860, 266, "Three ways to build the same module", "A module linked with nanobind for this Python: from 3.10 on, for one version. Linked for the stable ABI: one module for Python 3.12 and all later ones. Split: one module for Python 3.10 and later, which needs the package nanobind-backend, of which each Python has its own.")
  text(150, 28, "mid bold", "linked")
  text(430, 28, "mid bold", "linked, stable ABI")
  text(710, 28, "mid bold", "split")
  box(40, 44, 220, "on", "_gelu.cpython-311-….so", "binding and nanobind")
  box(320, 44, 220, "on", "_gelu.abi3.so", "binding and nanobind")
  box(600, 44, 220, "on", "_gelu.abi3.so", "the binding alone")
  box(600, 128, 220, "cell", "nanobind-backend", "a wheel for each Python")
  arrow(710, 98, 710, 126)
  arrow(150, 98, 150, 206)
  arrow(430, 98, 430, 206)
  arrow(710, 182, 710, 206)
  rect(40, 208, 220, 40, "on2")
  text(150, 233, "mid bold", "Python 3.11, no other")
  rect(320, 208, 220, 40, "on2")
  text(430, 233, "mid bold", "3.12, 3.13, 3.14 ...")
  rect(600, 208, 220, 40, "on2")
  text(710, 233, "mid bold", "3.10, 3.11, 3.12 ...")
  print "</svg>"
}
BEGIN {
  if (figure == "owners") owners()
  else if (figure == "abi") abi()
  else { print "draw.sh: owners or abi" >"/dev/stderr"; exit 2 }
}' </dev/null
