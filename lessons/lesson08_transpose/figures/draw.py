"""The page's figures. The speeds are those of the record; three accesses are drawn by `view` (first make lesson08)."""
import os
import subprocess
import tempfile
from pathlib import Path

from workbook import records
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure, figure_of_program

STYLE = Style(
    "small+bold+mid+end+light word+strong+empty link",
    word="fill: #ffffff; stroke: #8a8a8a;",
    strong="fill: #1f5fa8; stroke: #1a1a1a;",
    empty="fill: #eeeeee; stroke: #8a8a8a; stroke-dasharray: 3 3;",
    link="stroke: #1a1a1a; stroke-width: 1.5; marker-end: url(#tip);",
)


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson08 SEED=1 16384 x 16384", "GB/s")
    names = [name for name in rates if name == "cuBLAS" or "_kernel" in name]
    rungs = [Rung(name, rates[name], rates["copy kernel"]) for name in names]
    return draw_ladder("The transpose of 16384 x 16384 floats", record.note, "GB/s", "a copy kernel", rungs)


@figure
def banks() -> Drawing:
    """In which bank each word of a tile lies, for 8 banks and a tile of 8 x 8."""
    d = Drawing(
        980, 330, "The banks of a tile: plain, with padding, with a swizzle",
        "A tile of 8 x 8 words in a shared memory of 8 banks. The number in a word is its bank. Column 3 is dark. "
        "In the plain tile all of its words lie in bank 3. With padding, a word more in each row, they lie in the "
        "banks 3 4 5 6 7 0 1 2. With the swizzle, where word c of row r is stored at position c xor r, they are in "
        "banks 3 2 1 0 7 6 5 4. A row is in 8 banks in all three.",
        STYLE,
    )
    for x, title, words, swizzled, below, cost in (
        (80, "plain: tile[8][8]", 8, False, "column 3: eight times bank 3", "8 wavefronts"),
        (390, "padding: tile[8][9]", 9, False, "column 3: banks 3 4 5 6 7 0 1 2", "1 wavefront"),
        (696, "swizzle: tile[r][c ^ r]", 8, True, "column 3: banks 3 2 1 0 7 6 5 4", "1 wavefront"),
    ):
        d.text(x, 40, "bold", title)
        bank_tile(d, x, words, swizzled)
        d.text(x, 286, "small", below)
        d.text(x, 306, "small bold", cost)
    return d


def bank_tile(d: Drawing, x: float, words: int, swizzled: bool) -> None:
    """A tile with so many words from row to row; column 3 of the matrix is dark."""
    for row in range(8):
        y = 60 + row * 25
        d.text(x - 10, y + 17, "small end", f"row {row}")
        for place in range(words):
            column = place ^ row if swizzled else place
            if place == 8:
                d.rect(x + place * 25, y, 25, 25, "empty")
            else:
                look = "strong" if column == 3 else "word"
                d.named(x + place * 25, y, 25, 25, look, (words * row + place) % 8, "", drop=4.5)


def square_of_tiles(d: Drawing, x: float, down: bool) -> None:
    """8 x 8 tiles; the first 12 in the order of the rows, or down the columns, are under way."""
    for row in range(8):
        for column in range(8):
            number = column * 8 + row if down else row * 8 + column
            if number < 12:
                d.named(x + 24 * column, 70 + 24 * row, 24, 24, "strong", number, drop=5)
            else:
                d.rect(x + 24 * column, 70 + 24 * row, 24, 24, "word")


@figure
def order() -> Drawing:
    """Which tiles are under way together, in versions 7 and 8."""
    d = Drawing(
        960, 310, "Which tiles are in flight at the same time",
        "Two pairs of matrices of 8 x 8 tiles, each with blocks 0 to 11 in flight. Version 7: in the matrix in they "
        "fill row 0 of the tiles and half of row 1, so in the matrix out they fill column 0 and half of column 1. "
        "Version 8: in the matrix in they fill column 0 and half of column 1, so in the matrix out they fill row 0 "
        "and half of row 1.",
        STYLE,
    )
    for x, down, title, below in (
        (30, False, "version 7: along the rows of in", "long pieces are read, short ones written"),
        (510, True, "version 8: down the columns of in", "long pieces are written, short ones read"),
    ):
        d.text(x, 32, "bold", title)
        d.text(x, 60, "small", "in (read)")
        d.text(x + 224, 60, "small", "out (written)")
        square_of_tiles(d, x, down)
        square_of_tiles(d, x + 224, not down)
        d.text(x, 288, "small", below)
    return d


def matrix(d: Drawing, x: float, rows: int, columns: int, dark: tuple[int, int]) -> None:
    """A matrix of tiles; one of them is dark."""
    for row in range(rows):
        for column in range(columns):
            d.rect(x + column * 36, 46 + row * 36, 36, 36, "strong" if (row, column) == dark else "word")


@figure
def tile() -> Drawing:
    """The way of a tile through shared memory."""
    d = Drawing(
        940, 300, "A tile in shared memory",
        "Left, the matrix in, 4 rows and 6 columns of tiles; the tile in row 1, column 4 is dark. Its rows are read "
        "into a tile in shared memory, row by row. There they are read column by column, and written as rows into "
        "the matrix out, 6 rows and 4 columns of tiles, in row 4, column 1.",
        STYLE,
    )
    d.text(30, 32, "bold", "in: rows x cols")
    matrix(d, 30, 4, 6, (1, 4))
    d.text(30, 216, "small", "the tile at (r0, c0)")
    d.text(400, 32, "bold mid", "the tile, twice")
    d.rect(300, 70, 88, 88, "word")
    d.rect(416, 70, 88, 88, "word")
    for at in (11, 33, 55, 77):
        d.arrow(306, 70 + at, 380, 70 + at)
        d.arrow(416 + at, 76, 416 + at, 150)
    d.text(344, 180, "small mid", "filled row by row")
    d.text(460, 180, "small mid", "emptied column")
    d.text(460, 196, "small mid", "by column")
    d.text(402, 236, "small mid", "all threads wait in between: __syncthreads()")
    d.arrow(256, 118, 292, 118)
    d.arrow(392, 118, 412, 118)
    d.arrow(508, 118, 700, 190)
    d.text(700, 32, "bold", "out: cols x rows")
    matrix(d, 710, 6, 4, (4, 1))
    d.text(710, 284, "small", "belongs to (c0, r0)")
    return d


def viewed(version: int, access: str) -> str:
    """One access of a version, as `make lesson08 view` draws it on the emulator. The picture names its line."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"OUT": folder, "V": str(version), "KERNEL": f"transpose_kernel{version}"}
        environment = {**os.environ, **settings, "SIZE": "128", "BACKEND": "cpu"}
        command = ["sh", "tools/actions/view.sh", "build/lessons/lesson08"]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return next(Path(folder).glob(f"transpose_kernel{version}_line*_{access}.svg")).read_text("utf-8")


@figure_of_program
def store_scattered() -> str:
    return viewed(1, "global_store")


@figure_of_program
def banks_plain() -> str:
    return viewed(3, "shared_load")


@figure_of_program
def banks_padding() -> str:
    return viewed(4, "shared_load")
