"""The page's figures."""
from workbook import records
from workbook.charts import Limit, Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small tiny mono bold mid end light on on2 cell idle link", idle="fill: #e4e4e4; stroke: #8a8a8a;")


@figure
def look_back() -> Drawing:
    d = Drawing(
        800, 300, "Decoupled look-back",
        "Eight tiles with the sums 5 2 7 1 4 3 6 2. Tiles 0 to 2 have said a prefix: 5, 7, 14. Tiles 3 to 6 have "
        "said their sum only: 1, 4, 3, 6. Tile 7 looks at all of them at once: the nearest prefix is that of tile "
        "2, so what is before tile 7 is 14 + 1 + 4 + 3 + 6 = 28, and it says the prefix 30.",
        STYLE,
    )
    sums = [5, 2, 7, 1, 4, 3, 6, 2]
    d.text(24, 32, "", "Eight tiles; one word of each is drawn: status and number, written and read in one piece.")
    for t, own in enumerate(sums):
        x = 110 + 84 * t
        look = "on" if t < 3 else "on2" if t < 7 else "idle"
        prefix = sum(sums[: t + 1])
        d.text(x + 38, 66, "small mid", f"tile {t}")
        d.cell(x, 76, 76, "cell", f"sum {own}")
        d.cell(x, 120, 76, look, f"PREFIX {prefix}" if t < 3 else f"SUM {own}")
        if t < 7:
            d.text(x + 38, 176, "small mid", f"lane {6 - t}")
            d.cell(x, 184, 76, "cell" if t < 2 else look, "" if t < 2 else prefix if t == 2 else own)
            d.arrow(x + 38, 146, x + 38, 160)
    d.text(96, 136, "small end", "words")
    d.text(96, 200, "small end", "warp of tile 7")
    d.text(
        110, 240, "",
        "ballot: the nearest PREFIX is lane 4. Lanes 0 to 4 add up: 6 + 3 + 4 + 1 + 14 = 28 is before tile 7.",
    )
    d.text(110, 268, "", "It says PREFIX 30: who comes later need not look further back than here.")
    return d


@figure
def waiting() -> Drawing:
    d = Drawing(
        800, 330, "Who waits for what",
        "Above, version 8: load tile 0, scan, wait for others, store, and only then load the next tile; nothing is "
        "on its way while it waits. Below, version 9: loads follow one another without a gap, and while the tile "
        "after it is loaded and scanned, a tile is held; then warp 0 finds what is before it, and it is stored.",
        STYLE,
    )
    d.text(24, 32, "", "One block over time, not to scale.")
    rows(d, 64, "version 8: a block for each tile")
    for k in range(2):
        x = 110 + 320 * k
        d.named(x, 78, 90, 26, "on2", f"load {k}")
        d.named(x + 90, 110, 50, 26, "cell", f"scan {k}")
        d.named(x + 140, 142, 120, 26, "idle", "wait for others")
        d.named(x + 260, 110, 60, 26, "on", f"store {k}")
    rows(d, 204, "version 9: blocks that stay")
    for k in range(5):
        x = 110 + 130 * k
        d.named(x, 218, 130, 26, "on2", f"load {k}")
        if k < 4:
            d.named(x + 130, 250, 46, 26, "cell", f"scan {k}")
        if 0 < k < 4:
            d.named(x + 176, 282, 34, 26, "idle", "find")
            d.named(x + 210, 250, 50, 26, "on", f"store {k - 1}")
    return d


def rows(d: Drawing, y: float, title: str) -> None:
    """The names of the three rows of a version."""
    d.text(24, y, "bold", title)
    for k, name in enumerate(["on its way", "warps", "warp 0"]):
        d.text(100, y + 31 + 32 * k, "small end", name)


FIRST = 6  # version: the lesson counts on from lesson 11
IDEAS = ["a chain", "look-back", "by a warp", "blocks that stay", "in rounds", "9, exclusive"]


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson11b SEED=1 n=268435456", "GB/s")
    rungs = [Rung(f"{k} {idea}", rates[f"scan_kernel{k}"], rates["CUB"]) for k, idea in enumerate(IDEAS, FIRST)]
    title = "an inclusive scan of 2^28 floats: bytes moved per second that the job needs"
    return draw_ladder(title, record.note, "GB/s", "CUB DeviceScan", rungs, Limit(4800, "data sheet"))
