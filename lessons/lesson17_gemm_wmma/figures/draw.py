"""The page's figures. The banks are computed here, and the errors are those of the record."""
from math import log, log10
from typing import NamedTuple

from workbook import records
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small tiny bold mid end light on on2 cell off link axis fp32 tf32 fp16 half bf16",
    axis="stroke: #c4c4c4; stroke-width: 1;",
    fp32="stroke: #1a1a1a; stroke-width: 2; fill: none;",
    tf32="stroke: #1f5fa8; stroke-width: 2; fill: none; stroke-dasharray: 9 4;",
    fp16="stroke: #1f5fa8; stroke-width: 2; fill: none;",
    half="stroke: #8a8a8a; stroke-width: 2; fill: none; stroke-dasharray: 3 3;",
    bf16="stroke: #8a8a8a; stroke-width: 2; fill: none;",
)


@figure
def product() -> Drawing:
    d = Drawing(
        800, 216, "What one wmma::mma_sync does",
        "Sum, 16 x 16 elements of fp32, becomes A, 16 x 16 of fp16, times B, 16 x 16 of fp16, plus sum: 4096 "
        "multiply-adds by one warp. Each lane holds 8 elements of A, of B and of sum, which of them is not said.",
        STYLE,
    )
    d.text(24, 34, "bold", "sum = A * B + sum: 4096 multiply-adds, issued by one warp")
    square(d, 24, "on", "sum", "16 x 16, fp32")
    d.text(160, 116, "bold mid", "=")
    square(d, 184, "on2", "A", "16 x 16, fp16")
    d.text(318, 116, "bold mid", "*")
    square(d, 340, "on2", "B", "16 x 16, fp16")
    d.text(474, 116, "bold mid", "+")
    square(d, 496, "on", "sum", "16 x 16, fp32")
    lines = ["32 lanes hold them,", "8 elements of each", "matrix per lane. Which", "ones is not said."]
    for k, line in enumerate(lines):
        d.text(628, 84 + 20 * k, "small", line)
    return d


def square(d: Drawing, x: float, look: str, name: str, below: str) -> None:
    """16 x 16 elements."""
    d.named(x, 54, 112, 112, look, name, "bold", drop=6)
    d.text(x + 56, 184, "small mid", below)


@figure
def tiles() -> Drawing:
    """The block of versions 4 to 7: 128 x 128, a warp 64 x 32, fragments of 16 x 16."""
    d = Drawing(
        800, 330, "Who computes what in version 4",
        "A block computes 128 x 128 elements of C. Its 8 warps have 64 x 32 of them each, in 2 rows of 4. A warp "
        "has 4 x 2 fragments of 16 x 16. For a step of 16 along K it loads 4 fragments of A and 2 of B, and does 8 "
        "products.",
        STYLE,
    )
    d.text(24, 30, "bold", "a block: 128 x 128 elements of C")
    for warp in range(8):
        x, y = 24 + 60 * (warp % 4), 44 + 120 * (warp // 4)
        d.named(x, y, 60, 120, "cell" if warp else "on", f"warp {warp}")
    d.text(24, 308, "small", "8 warps, 64 x 32 each")
    d.text(340, 30, "bold", "a warp, for each 16 of K")
    for i in range(4):
        d.named(350, 104 + 44 * i, 44, 44, "on2", f"a[{i}]", drop=5)
    for j in range(2):
        d.named(410 + 44 * j, 44, 44, 44, "on2", f"b[{j}]", drop=5)
    for i in range(4):
        for j in range(2):
            d.named(410 + 44 * j, 104 + 44 * i, 44, 44, "on", f"{i},{j}", drop=5)
    d.text(530, 124, "", "6 fragments are loaded,")
    d.text(530, 146, "", "8 products are made of them.")
    d.text(530, 186, "", "Version 3 loads 2 fragments")
    d.text(530, 208, "", "for each product.")
    d.text(340, 308, "small", "fragments of 16 x 16; sum[4][2] stays in registers")
    return d


@figure
def banks() -> Drawing:
    d = Drawing(
        800, 290, "In which banks the eight rows of a fragment lie",
        "Eight rows of a fragment, 16 bytes of each, and the 32 banks in groups of four. With 64 bytes from row to "
        "row they lie in two groups, four rows in each: 4 wavefronts. With 256 bytes all eight lie in one: 8 "
        "wavefronts. With 80 bytes each lies in another one: 1 wavefront. So it is with 272.",
        STYLE,
    )
    rows_at(d, 24, 64, "64 bytes apart: 4 wavefronts")
    rows_at(d, 288, 256, "256 bytes apart: 8")
    rows_at(d, 552, 80, "80 (or 272) apart: 1")
    d.text(
        24, 268, "small",
        "Columns: the 32 banks, four at a time, with the number of the first. Rows: the eight rows of a fragment, "
        "16 bytes each.",
    )
    return d


def rows_at(d: Drawing, x: float, pitch: int, title: str) -> None:
    """Eight rows of 16 bytes, four banks each."""
    d.text(x, 34, "bold", title)
    for k in range(8):
        d.text(x + 28 * k + 14, 56, "tiny mid", 4 * k)
    for row in range(8):
        bank = row * pitch // 4 % 32
        for k in range(8):
            if 4 * k == bank:
                d.named(x + 28 * k, 62 + 22 * row, 28, 22, "on", row, "tiny")
            else:
                d.rect(x + 28 * k, 62 + 22 * row, 28, 22, "cell")


class Row(NamedTuple):
    """The errors for one K: of fp32, TF32, fp16, fp16 with sums in fp16 and bf16."""

    depth: int
    errors: list[float]


def read_errors(which: str) -> list[Row]:
    """The rows of one of the program's tables of errors."""
    record = records.beside(__file__)
    section = f"lesson17 SEED=1 error, {which} to 1"
    columns = [record.numbers(section, name) for name in ("fp32", "tf32", "fp16", "fp16, sums fp16", "bf16")]
    return [Row(int(depth), [column[depth] for column in columns]) for depth in columns[0]]


@figure
def errors() -> Drawing:
    d = Drawing(
        800, 390, "Errors against fp64, by K and type",
        "Two diagrams of the root mean square error over that of the result, by K from 16 to 4096. Left, inputs "
        "from -1 to 1: bf16 stays at 2e-3, fp16 and TF32 at 2.6e-4, fp16 with sums in fp16 grows from 3e-4 to 2e-3, "
        "fp32 from 7e-8 to 1e-6. Right, the sums alone, inputs from 0 to 1: fp32 grows to 9e-7, bf16 to 1e-5, fp16 "
        "to 2e-5, TF32 to 4e-5, sums in fp16 to 2e-3.",
        STYLE,
    )
    panel(d, 60, read_errors("all, A and B from -1"), "all errors, A and B from -1 to 1")
    panel(d, 460, read_errors("of the sums alone, A and B from 0"), "of the sums alone, A and B from 0 to 1")
    names = {"fp32": "fp32", "tf32": "TF32", "fp16": "fp16", "bf16": "bf16", "half": "fp16 with sums in fp16"}
    for k, (look, name) in enumerate(names.items()):
        d.line(60 + 110 * k, 366, 96 + 110 * k, 366, look)
        d.text(102 + 110 * k, 370, "small", name)
    return d


def panel(d: Drawing, left: float, rows: list[Row], title: str) -> None:
    """Curves over K, 16 to 4096, from 1e-8 to 1e-2."""

    def across(depth: float) -> float:
        return left + 300 * log(depth / 16) / log(256)

    def up(error: float) -> float:
        return 300 - 240 * (log10(error) + 8) / 6

    d.text(left, 34, "bold", title)
    for k in range(-8, -1):
        d.line(left, up(10.0**k), left + 300, up(10.0**k), "axis")
        d.text(left - 6, up(10.0**k) + 4, "tiny end", f"1e{k}")
    for row in rows:
        d.text(across(row.depth), 318, "tiny mid", row.depth)
    d.text(left + 150, 336, "small mid", "K")
    for c, look in enumerate(["fp32", "tf32", "fp16", "half", "bf16"]):
        d.polyline([(across(row.depth), up(row.errors[c])) for row in rows], look)
