"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small bold mid light on on2 cell bare link", bare="stroke: #1a1a1a; stroke-width: 1.2;")


@figure
def owners() -> Drawing:
    d = Drawing(
        860, 300, "Owner of a returned array's memory",
        "Three rows. An array with a capsule as its owner: when the array goes, the capsule goes, and its function "
        "deletes the memory. An array whose owner is another object, a Room: the room and its memory live as long "
        "as the array. An array without an owner: the room goes, its memory goes, and the array has an address of "
        "nothing.",
        STYLE,
    )
    d.text(140, 28, "mid bold", "what Python has")
    d.text(430, 28, "mid bold", "its owner")
    d.text(720, 28, "mid bold", "the memory")
    d.box(30, 44, 220, 54, "on2", "to_device(x)", "an ndarray: address, shape, owner")
    d.box(320, 44, 220, 54, "cell", "a capsule", "its destructor deletes")
    d.box(610, 44, 220, 54, "on", "device memory", "lives as long as the array")
    d.arrow(252, 71, 318, 71)
    d.arrow(542, 71, 608, 71)
    d.box(30, 128, 220, 54, "on2", "room.array", "reference_internal")
    d.box(320, 128, 220, 54, "cell", "the Room", "an object of Python")
    d.box(610, 128, 220, 54, "on", "device memory", "lives as long as the array")
    d.arrow(252, 155, 318, 155)
    d.arrow(542, 155, 608, 155)
    d.box(30, 212, 220, 54, "on2", "room.array_without_owner", "reference")
    d.box(320, 212, 220, 54, "cell", "none", "the Room is destroyed")
    d.box(610, 212, 220, 54, "cell", "freed", "the address is left")
    d.text(430, 288, "mid small", "an arrow: this one keeps that one alive")
    return d


@figure
def abi() -> Drawing:
    d = Drawing(
        860, 266, "Three ways to build the same module",
        "A module linked with nanobind for this Python: from 3.10 on, for one version. Linked for the stable ABI: "
        "one module for Python 3.12 and all later ones. Split: one module for Python 3.10 and later, which needs "
        "the package nanobind-backend, of which each Python has its own.",
        STYLE,
    )
    d.text(150, 28, "mid bold", "linked")
    d.text(430, 28, "mid bold", "linked, stable ABI")
    d.text(710, 28, "mid bold", "split")
    d.box(40, 44, 220, 54, "on", "_gelu.cpython-311-….so", "binding and nanobind")
    d.box(320, 44, 220, 54, "on", "_gelu.abi3.so", "binding and nanobind")
    d.box(600, 44, 220, 54, "on", "_gelu.abi3.so", "the binding alone")
    d.box(600, 128, 220, 54, "cell", "nanobind-backend", "a wheel for each Python")
    d.arrow(710, 98, 710, 126)
    d.arrow(150, 98, 150, 206)
    d.arrow(430, 98, 430, 206)
    d.arrow(710, 182, 710, 206)
    d.named(40, 208, 220, 40, "on2", "Python 3.11, no other", "bold", drop=5)
    d.named(320, 208, 220, 40, "on2", "3.12, 3.13, 3.14 ...", "bold", drop=5)
    d.named(600, 208, 220, 40, "on2", "3.10, 3.11, 3.12 ...", "bold", drop=5)
    return d
