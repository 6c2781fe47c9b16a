"""The page's figures. Numbers in them are computed here."""
from math import floor
from typing import NamedTuple

from workbook import records
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import MONO, Drawing, Style, figure

STYLE = Style(
    "small mono bold mid end light lost on on2 cell axis rule link",
    mono=MONO + " font-size: 14px;",
    lost="fill: #b03a2e;",
    axis="stroke: #8a8a8a; stroke-width: 1.2;",
    rule="stroke: #1a1a1a; stroke-width: 1.2; stroke-dasharray: 4 3;",
    link="stroke: #1a1a1a; stroke-width: 1.4; fill: none; marker-end: url(#tip);",
)


def as_float(value: float) -> float:
    """A number near a million as a float has it: 24 bits, so it counts in sixteenths there."""
    return floor(value * 16 + 0.5) / 16


@figure
def digits() -> Drawing:
    d = Drawing(
        760, 214, "What a float keeps of a square",
        "Two numbers, 1000.1 and 999.9, and their squares: exact, and as a float, which counts in sixteenths there. "
        "The mean of the exact squares less the square of the mean is 0.01; that of the floats is 0.",
        STYLE,
    )
    d.text(24, 34, "bold", "The variance of 1000.1 and 999.9 is 0.01. Near a million a float counts in steps of 1/16.")
    d.text(280, 66, "small end", "exact")
    d.text(470, 66, "small end", "as a float")
    a, b, square_of_mean = 1000.1**2, 999.9**2, 1000.0**2
    mean, mean_of_floats = (a + b) / 2, as_float((as_float(a) + as_float(b)) / 2)
    digits_row(d, 92, "", "1000.1 squared", a, as_float(a))
    digits_row(d, 116, "", "999.9 squared", b, as_float(b))
    d.line(24, 126, 500, 126, "axis")
    digits_row(d, 148, "", "their mean", mean, mean_of_floats)
    digits_row(d, 172, "", "1000 squared", square_of_mean, square_of_mean)
    d.line(24, 180, 500, 180, "axis")
    digits_row(d, 200, "bold", "the difference", mean - square_of_mean, mean_of_floats - square_of_mean, " lost")
    d.text(520, 200, "small", "all ten digits agree: nothing is left")
    return d


def digits_row(d: Drawing, y: float, classes: str, name: str, exact: float, rounded: float, more: str = "") -> None:
    d.text(24, y, classes, name)
    d.text(280, y, "mono end", f"{exact:.4f}")
    d.text(470, y, "mono end" + more, f"{rounded:.4f}")


class Triple(NamedTuple):
    """How many numbers, their mean, and the sum of their squared distances from it."""

    size: int
    mean: float
    m2: float


def triple_of(values: list[int]) -> Triple:
    mean = sum(values) / len(values)
    return Triple(len(values), mean, sum((value - mean) ** 2 for value in values))


def merged(a: Triple, b: Triple) -> Triple:
    apart, size = b.mean - a.mean, a.size + b.size
    return Triple(size, a.mean + apart * b.size / size, a.m2 + b.m2 + apart**2 * a.size * b.size / size)


def at(value: float) -> float:
    """x of a number on the line from 0 to 10."""
    return 60 + 64 * value


def numbers(d: Drawing, y: float, look: str, values: list[int]) -> None:
    """Numbers on their line, with their mean."""
    mean = triple_of(values).mean
    d.line(at(0), y, at(10), y, "axis")
    for value in values:
        d.circle(at(value), y, 6, look)
    d.line(at(mean), y - 22, at(mean), y + 14, "rule")
    d.text(at(mean), y - 28, "small mid", f"mean {mean:g}")


@figure
def merge() -> Drawing:
    d = Drawing(
        760, 330, "Two triples are merged",
        "Three numbers 1, 2 and 3 with mean 2 and squared distances 2; six numbers around 8 with squared distances "
        "4. Together nine numbers, whose mean lies twice as near to the larger set, and whose squared distances are "
        "2 plus 4 plus what the distance of the means adds.",
        STYLE,
    )
    in_a, in_b = [1, 2, 3], [7, 7, 8, 8, 9, 9]
    a, b = triple_of(in_a), triple_of(in_b)
    both, apart = merged(a, b), b.mean - a.mean
    d.text(
        24, 32, "",
        "A triple: how many numbers, their mean, and m2, the sum of their squared distances from the mean.",
    )
    numbers(d, 92, "on", in_a)
    d.text(24, 124, "small", f"a: count {a.size}, mean {a.mean:g}, m2 = {a.m2:g}")
    numbers(d, 182, "on2", in_b)
    d.text(24, 214, "small", f"b: count {b.size}, mean {b.mean:g}, m2 = {b.m2:g} (each dot stands for two numbers)")
    d.line(at(0), 270, at(10), 270, "axis")
    for k in (1, 2, 3):
        d.circle(at(k), 270, 6, "on")
        d.circle(at(6 + k), 270, 6, "on2")
    d.line(at(a.mean), 276, at(b.mean), 276, "link")
    d.line(at(both.mean), 248, at(both.mean), 284, "rule")
    d.text(at(both.mean), 242, "small mid", f"mean {both.mean:g}")
    d.text(
        24, 308, "small",
        f"both: count {both.size}, mean {a.mean:g} + {apart:g} * {b.size}/{both.size} = {both.mean:g}, m2 = "
        f"{a.m2:g} + {b.m2:g} + {apart:g} * {apart:g} * {a.size} * {b.size} / {both.size} = {both.m2:g}",
    )
    return d


@figure
def columns() -> Drawing:
    d = Drawing(
        760, 372, "The column sums of the backward pass",
        "Two blocks take the rows of x and dy alternately. Each keeps the sums of its eight columns in registers while "
        "it goes down its rows, and writes them to a row of partial. A second kernel adds up the rows of partial, "
        "column by column.",
        STYLE,
    )
    d.text(24, 32, "", "Each block takes every second row here, and keeps its columns’ sums in registers.")
    d.text(48, 62, "small", "rows of x and dy")
    for row in range(6):
        cells(d, 48, 72 + 26 * row, 26, "on2" if row % 2 else "on")
        d.text(40, 90 + 26 * row, "small end", row)
        d.line(260, 85 + 26 * row, 326, 196 if row % 2 else 110, "link")
    for block, look in enumerate(["on", "on2"]):
        y = 98 + 86 * block
        d.text(336, y - 8, "small", f"block {block}: sums in registers")
        cells(d, 336, y, 26, look)
        d.line(548, y + 13, 598, 138 + 26 * block, "link")
    d.text(606, 112, "small", "partial")
    cells(d, 606, 124, 15, "on")
    cells(d, 606, 150, 15, "on2")
    for c in range(8):
        d.line(613.5 + 15 * c, 180, 613.5 + 15 * c, 262, "link")
        d.rect(606 + 15 * c, 268, 15, 26, "cell")
    d.text(738, 312, "small end", "dgamma (dbeta likewise)")
    d.text(596, 226, "small end", "a second, small kernel adds up partial,")
    d.text(596, 244, "small end", "always in the same order")
    d.text(
        24, 344, "small",
        "dx of a row is written immediately. partial receives one row of sums per block, not per row.",
    )
    return d


def cells(d: Drawing, x: float, y: float, width: float, look: str) -> None:
    """A row of eight columns."""
    for c in range(8):
        d.rect(x + width * c, y, width, 26, look)


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    title = "LayerNorm of 32768 x 8192 floats: the bytes that must be moved, per second"
    rungs = []
    for job in ("forward", "RMSNorm", "residual", "backward"):
        rates = record.numbers(f"lesson13 SEED=1 {job} float 32768 x 8192", "GB/s")
        rungs += [Rung(name, rate, rates["copy kernel"]) for name, rate in rates.items() if "_kernel" in name]
    return draw_ladder(title, record.note, "GB/s", "a copy that moves as many bytes", rungs)
