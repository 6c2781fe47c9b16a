"""The page's figures. What the cells say is computed here, as the threads do."""
from collections.abc import Sequence

from workbook import records
from workbook.charts import Limit, Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small tiny mono bold mid end light on on2 cell idle link", idle="fill: #e4e4e4; stroke: #8a8a8a;")
INPUT = [3, 1, 4, 1, 5, 9, 2, 6]


@figure
def trees() -> Drawing:
    d = Drawing(
        800, 470, "Two scans of eight numbers in shared memory",
        "Left, Hillis and Steele: 3 1 4 1 5 9 2 6; in the step of 1 each adds its left neighbour, then what stands "
        "2 before, then 4 before; the last row is 3 4 8 9 14 23 25 31. Right, Blelloch: on the way up pairs, fours "
        "and eight are summed; the root becomes 0; on the way down each node hands what is before it to its left "
        "child, and that plus the left sum to its right child; the last row is 0 3 4 8 9 14 23 25.",
        STYLE,
    )
    d.text(
        24, 32, "",
        "Eight elements are drawn; a block has 512. Rows are steps, and between two of them is a barrier.",
    )
    hillis(d, 40)
    blelloch(d, 450)
    return d


def row(d: Drawing, x: float, y: float, name: str, looks: Sequence[str], values: Sequence[int]) -> None:
    """What shared memory holds after a step."""
    if name:
        d.text(x - 8, y + 16, "small end", name)
    for t, value in enumerate(values):
        d.cell(x + 40 * t, y, 40, looks[t], value)


def hillis(d: Drawing, x: float) -> None:
    values = list(INPUT)
    d.text(x, 62, "bold", "Hillis and Steele (version 1)")
    row(d, x, 80, "", ["cell"] * 8, values)
    for k, step in enumerate((1, 2, 4), 1):
        y = 80 + 66 * k
        d.text(x - 8, y + 16, "small end", step)
        for t in range(step, 8):
            d.arrow(x + 40 * (t - step) + 20, y - 42, x + 40 * t + 16, y - 2)
        values = [value + (values[t - step] if t >= step else 0) for t, value in enumerate(values)]
        row(d, x, y, "", ["on" if step == 4 or t < 2 * step else "on2" for t in range(8)], values)
    d.text(x, 80 + 66 * 3 + 52, "small", "7 + 6 + 4 = 17 additions, 3 steps. Dark: done.")


def blelloch(d: Drawing, x: float) -> None:
    values = list(INPUT)
    d.text(x, 62, "bold", "Blelloch (version 2)")
    row(d, x, 80, "", ["cell"] * 8, values)
    y = 80.0
    for step in (1, 2, 4):
        y += 48
        up(d, x, y, step, values)
    values[7] = 0
    y += 34
    row(d, x, y, "root", ["idle"] * 7 + ["on2"], values)
    for step in (4, 2, 1):
        y += 48
        down(d, x, y, step, values)
    d.text(x, y + 46, "small", "7 + 7 = 14 additions, 6 steps; exclusive.")


def up(d: Drawing, x: float, y: float, step: int, values: list[int]) -> None:
    """A step on the way up: each node becomes the sum of its two children."""
    looks = ["idle"] * 8
    d.text(x - 8, y + 16, "small end", f"up {step}")
    for right in range(2 * step - 1, 8, 2 * step):
        values[right] += values[right - step]
        looks[right] = "on2"
        d.arrow(x + 40 * (right - step) + 20, y - 24, x + 40 * right + 16, y - 2)
    row(d, x, y, "", looks, values)


def down(d: Drawing, x: float, y: float, step: int, values: list[int]) -> None:
    """A step on the way down: the left child gets what is before the node, the right one that plus the left sum."""
    looks = ["idle"] * 8
    d.text(x - 8, y + 16, "small end", f"down {step}")
    for right in range(2 * step - 1, 8, 2 * step):
        left = right - step
        values[left], values[right] = values[right], values[right] + values[left]
        looks[left] = looks[right] = "on" if step == 1 else "on2"
        d.arrow(x + 40 * right + 20, y - 24, x + 40 * left + 24, y - 2)
        d.arrow(x + 40 * left + 20, y - 24, x + 40 * right + 12, y - 2)
    row(d, x, y, "", looks, values)


IDEAS = ["two arrays", "a tree, twice", "shuffles", "32 elements each", "reduce, then scan"]


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson11 SEED=1 n=268435456", "GB/s")
    rungs = [Rung(f"{k} {idea}", rates[f"scan_kernel{k}"], rates["CUB"]) for k, idea in enumerate(IDEAS, 1)]
    title = "an inclusive scan of 2^28 floats: bytes moved per second that the job needs"
    return draw_ladder(title, record.note, "GB/s", "CUB DeviceScan", rungs, Limit(4800, "data sheet"))
