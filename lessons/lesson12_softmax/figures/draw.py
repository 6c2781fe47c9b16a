"""The page's figures. What the cells of `online` say is computed here, as the kernel does."""
from math import exp

from workbook import records
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid end light on on2 cell link")


@figure
def online() -> Drawing:
    d = Drawing(
        760, 206, "The largest element and the sum, updated online with each element",
        "Elements 1, 3, 2, 5, 4. After each one: the largest so far, and the sum of exp(x - largest) of those so "
        "far. When 3 and 5 arrive, the sum is rescaled.",
        STYLE,
    )
    d.text(30, 48, "bold", "next x")
    d.text(30, 92, "bold", "largest so far")
    d.text(30, 132, "bold", "sum so far")
    largest, total = 1, 1.0
    for k, element in enumerate([1, 3, 2, 5, 4]):
        x = 170 + k * 112
        scaled = element > largest
        larger = max(element, largest)
        d.cell(x, 32, 92, "cell", element)
        if k > 0:
            was = f"{total:.3f}"
            d.text(x + 46, 170, "small mid", f"{was} exp({largest} - {larger})" if scaled else was)
            d.text(x + 46, 188, "small mid", "+ 1" if scaled else f"+ exp({element} - {larger})")
            total = total * exp(largest - larger) + exp(element - larger)
            largest = larger
            d.arrow(x - 20, 128, x - 2, 128)
        d.cell(x, 76, 92, "on2" if scaled or k == 0 else "cell", largest)
        d.cell(x, 116, 92, "on" if scaled else "cell", f"{total:.3f}")
    return d


@figure
def places() -> Drawing:
    d = Drawing(
        870, 338, "Where a row can stay",
        "Six ways to keep a row: a few lanes of a warp for a row of up to 64 floats; a warp; a block, in registers; "
        "a block, in shared memory; a block, in both; several blocks. To the right how the threads of a row meet: "
        "in shuffles, at a barrier, through global memory.",
        STYLE,
    )
    d.text(30, 34, "bold", "a row of")
    d.text(160, 34, "bold", "stays with")
    d.text(600, 34, "bold", "its threads meet")
    place(d, 56, "64 floats", "4 to 16 lanes, in registers", 1, "in 2 to 4 shuffles for each value")
    place(d, 104, "up to 512", "a warp, in registers", 1, "in 5 shuffles for each value")
    place(d, 152, "up to 16384", "a block, in registers", 4, "in shuffles, and at one barrier")
    place(d, 200, "up to 58000", "a block, in shared memory", 4, "in shuffles, and at two barriers")
    place(d, 248, "up to 65536", "a block, in both", 4, "in shuffles, and at one barrier")
    place(d, 296, "more", "several blocks", 8, "and through words in global memory")
    return d


def place(d: Drawing, y: float, length: str, where: str, groups: int, meet: str) -> None:
    """A row of the table: how long, where it is kept, by how many groups of threads, and how they meet."""
    d.text(30, y + 16, "", length)
    d.text(160, y + 16, "", where)
    width = 200 / groups
    for k in range(groups):
        d.rect(370 + k * width, y, width - (4 if groups > 1 else 0), 24, "on" if groups == 8 else "on2")
    d.text(600, y + 16, "small", meet)


@figure
def exchange() -> Drawing:
    d = Drawing(
        760, 250, "Three blocks of a row exchange their pairs",
        "Each of three blocks writes its pair three times, once for each reader: a row of the table of words. Each "
        "reads a column, and clears it. A word that is 0 has not been written yet.",
        STYLE,
    )
    d.text(30, 34, "bold", "block")
    d.text(270, 34, "bold", "words, from each block to each block")
    d.text(620, 34, "bold", "reads")
    for k in range(3):
        d.named(30, 60 + k * 56, 110, 32, "on2", f"part {k}", "", drop=5)
        d.arrow(144, 76 + k * 56, 262, 76 + k * 56)
        for j in range(3):
            d.cell(270 + j * 84, 64 + k * 56, 76, "cell" if k == 2 else "on", "0" if k == 2 else f"pair {k}")
        d.named(620, 60 + k * 56, 110, 32, "on2", f"part {k}", "", drop=5)
        d.arrow(308 + k * 84, 200, 308 + k * 84, 222)
        d.text(308 + k * 84, 240, "small mid", f"to part {k}")
    d.text(530, 120, "small", "all three wait")
    d.text(530, 136, "small", "for part 2")
    return d


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson12 SEED=1 32768 x 8192", "GB/s")
    pytorch = record.numbers("pytorch 32768 x 8192", "GB/s")["torch softmax"]
    names = [f"softmax_kernel{k}" for k in range(1, 6)]
    rungs = [Rung("PyTorch", pytorch, rates["copy kernel"])]
    rungs += [Rung(name, rates[name], rates["copy kernel"]) for name in names]
    return draw_ladder("The softmax of 32768 rows of 8192 floats", record.note, "GB/s", "a copy kernel", rungs)
