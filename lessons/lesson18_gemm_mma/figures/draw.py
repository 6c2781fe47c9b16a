"""The page's figures. Nothing of them is measured."""
from typing import Callable

from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+tiny+bold+mid+end+light r0+r1+r2+r3 cell+grey+on way",
    r0="fill: #1f5fa8; stroke: #ffffff;",
    r1="fill: #a9c6e8; stroke: #ffffff;",
    r2="fill: #5b8f5b; stroke: #ffffff;",
    r3="fill: #cfe3c6; stroke: #ffffff;",
    cell="fill: #ffffff; stroke: #b0b0b0;",
    grey="fill: #e4e4e4; stroke: #b0b0b0;",
    way="stroke: #5a5a5a; stroke-width: 1;",
)


def of_a_or_c(row: int, column: int) -> tuple[int, int]:
    """The lane that holds an element of A or C, and in which register."""
    return row % 8 * 4 + column % 8 // 2, row // 8 + 2 * (column // 8)


def of_b(row: int, column: int) -> tuple[int, int]:
    """The same for B."""
    return column * 4 + row % 8 // 2, row // 8


def fragment(d: Drawing, x: float, y: float, columns: int, holder: Callable[[int, int], tuple[int, int]]) -> None:
    """A matrix of 16 rows: a cell says which lane holds it, and its colour in which register."""
    for row in range(16):
        for column in range(columns):
            lane, register = holder(row, column)
            d.named(x + column * 24, y + row * 18, 24, 18, f"r{register}", lane, "tiny")
    for row in (0, 8):
        d.text(x - 6, y + row * 18 + 13, "tiny end", row)
    for column in range(0, columns, 8):
        d.text(x + column * 24 + 12, y - 5, "tiny mid", column)


def key(d: Drawing, x: float, y: float, register: int, classes: str, name: str) -> None:
    d.rect(x, y, 18, 18, f"r{register}")
    d.text(x + 22, y + 14, classes, name)


@figure
def lanes() -> Drawing:
    d = Drawing(
        760, 700, "Which lane holds which number when a warp multiplies 16 x 16 by 16 x 8",
        "Three grids of lane numbers. A, 16 rows of 16: lane g * 4 + t holds columns 2t and 2t + 1 of row g in "
        "register 0, of row g + 8 in register 1, and the columns 8 further in registers 2 and 3. B, 16 rows of 8: "
        "lane g * 4 + t holds rows 2t and 2t + 1 of column g in register 0, and the rows 8 further in register 1. "
        "C, 16 rows of 8: lane g * 4 + t holds columns 2t and 2t + 1 of row g, and of row g + 8.",
        STYLE,
    )
    d.text(40, 60, "bold", "A, 16 x 16: four registers")
    d.text(40, 80, "small", "a register has two neighbours of a row")
    for q in range(4):
        key(d, 40 + q * 86, 96, q, "small", f"a[{q}]")
    d.text(40, 146, "small", "Lane 9, for example: g = 2, t = 1. In A rows 2 and 10,")
    d.text(40, 164, "small", "columns 2, 3, 10 and 11. In B column 2, rows 2, 3, 10")
    d.text(40, 182, "small", "and 11. In C rows 2 and 10, columns 2 and 3.")
    fragment(d, 40, 380, 16, of_a_or_c)
    d.text(500, 30, "bold", "B, 16 x 8: two registers")
    d.text(500, 48, "small", "two neighbours of a column")
    fragment(d, 500, 72, 8, of_b)
    for q in range(2):
        key(d, 704, 72 + q * 24, q, "small", f"b{q}")
    fragment(d, 500, 380, 8, of_a_or_c)
    key(d, 704, 380, 0, "tiny", "c[0,1]")
    key(d, 704, 404, 1, "tiny", "c[2,3]")
    d.text(500, 690, "bold", "C, 16 x 8: four sums")
    d.text(40, 690, "small", "The numbers in the cells are lanes.")
    return d


@figure
def swizzle() -> Drawing:
    d = Drawing(
        840, 480, "Eight rows of a tile in the 32 banks, without and with the swizzle",
        "Pieces of 16 bytes, named row, column. Without a swizzle the pieces of column 1 of eight rows lie in the "
        "same four banks, where rows have 128 bytes, or in two places, where two rows share 128 bytes. With it they "
        "lie in eight different places.",
        STYLE,
    )
    places(d, 70, 30, "rows of 128 bytes (64 numbers), as they are", 8, swizzled=False)
    places(d, 480, 30, "piece ^ row % 8", 8, swizzled=True)
    places(d, 70, 296, "rows of 64 bytes (32 numbers), as they are", 4, swizzled=False)
    places(d, 480, 296, "piece ^ row / 2 % 4", 4, swizzled=True)
    d.text(
        70, 446, "small",
        "Each column of the picture is four banks (their numbers above it). Blue: what ldmatrix reads as one "
        "matrix, the pieces of",
    )
    d.text(70, 464, "small", "column 1 of eight rows. Blue ones above each other: a bank conflict.")
    return d


def places(d: Drawing, x: float, top: float, title: str, pieces: int, swizzled: bool) -> None:
    """Eight rows of a tile: where the piece of column 1 lies in the 128 bytes that are all banks."""
    d.text(x, top, "bold", title)
    y, per_line = top + 32, 8 // pieces
    for row in range(8):
        line = row // per_line
        for piece in range(pieces):
            at = row % per_line * pieces + (piece ^ line % pieces if swizzled else piece)
            d.named(x + at * 40, y + line * 22, 40, 22, "on" if piece == 1 else "cell", f"{row},{piece}")
        if row % per_line == 0:
            d.text(x - 8, y + line * 22 + 15, "tiny end", f"row {row}" if per_line == 1 else f"rows {row}, {row + 1}")
    for place in range(8):
        d.text(x + place * 40 + 20, y - 5, "tiny mid", f"{place * 4}-{place * 4 + 3}")


@figure
def ring() -> Drawing:
    """Three stages over six steps."""
    d = Drawing(
        840, 210, "A ring of three stages",
        "While tile i is multiplied in one stage, the tiles i + 1 and i + 2 are arriving in the two others. The "
        "stage of tile i - 1 is free when the step begins, and tile i + 2 goes there.",
        STYLE,
    )
    for step in range(6):
        d.text(170 + step * 110, 32, "small mid", f"step {step}")
    for stage in range(3):
        y = 46 + stage * 42
        d.text(24, y + 22, "bold", f"stage {stage}")
        for step in range(6):
            look, words = {
                0: ("on", f"multiply {step}"),
                1: ("r1", f"arriving: {step + 1}"),
                2: ("r1", f"prefetch: {step + 2}"),
            }[(stage - step) % 3]
            d.named(118 + step * 110, y, 104, 34, look, words, drop=5)
    d.text(118, 192, "small", "At the start of a step: wait for its tile, barrier, prefetch the tile two steps ahead.")
    return d


Share = list[tuple[int, int]]  # tiles, and how many steps of each


@figure
def shares() -> Drawing:
    """Five tiles of four steps on four SMs."""
    d = Drawing(
        900, 210, "Five tiles of four steps on four SMs",
        "Version 6: four tiles at once, then one tile while three SMs are idle: 8 steps long. "
        "Split-K in two parts: ten halves in three rounds, 6 steps long, and then the sums. Stream-K: each "
        "SM has five steps, wherever tiles begin.",
        STYLE,
    )
    for k in range(4):
        d.text(52, 62 + 32 * k, "tiny end", f"SM {k}")
    version_6 = [[(tile, 4) for tile in range(k, 5, 4)] for k in range(4)]
    split_k = [[(half // 2, 2) for half in range(k, 10, 4)] for k in range(4)]
    multiprocessors(d, 60, "version 6: 8 steps long", version_6)
    multiprocessors(d, 346, "split-K: 6 steps, then the sums", split_k)
    multiprocessors(d, 632, "stream-K: 5 steps", [stream_k(k) for k in range(4)])
    d.text(
        60, 194, "small",
        "Grey: idle. SM: streaming multiprocessor. (A block of stream-K processes its share from the end.)",
    )
    return d


def stream_k(k: int) -> Share:
    """The five steps of multiprocessor k: steps 5k to 5k + 4 of all twenty."""
    tiles = [step // 4 for step in range(5 * k, 5 * k + 5)]
    return [(tile, tiles.count(tile)) for tile in sorted(set(tiles))]


def multiprocessors(d: Drawing, x: float, heading: str, of_each: list[Share]) -> None:
    d.text(x, 30, "bold", heading)
    for k, share in enumerate(of_each):
        y = 46 + k * 32
        d.rect(x, y, 8 * 26, 24, "grey")
        start = 0
        for tile, steps in share:
            d.named(x + start * 26, y, steps * 26, 24, f"r{tile % 4}", f"tile {tile}", "tiny")
            start += steps
