"""The page's figures: three placed by hand, and five that the lesson's programs and `view` draw on the emulator."""
import os
import re
import subprocess
from pathlib import Path

from workbook.drawing import SANS, Drawing, Style, figure, figure_of_program
from workbook.messages import Failure

TEXT = SANS + " font-size: 13px; fill: #1a1a1a;"
GRID = Style(
    "mid+end+bold+small pixel+none this+block axis",
    text=TEXT,
    small="font-size: 11px;",
    pixel="fill: #dbe9f8; stroke: #8fa9c4;",
    none="fill: #ffffff; stroke: #c4c4c4; stroke-dasharray: 2 3;",
    this="fill: #ffd24d; stroke: #1a1a1a; stroke-width: 2;",
    block="fill: none; stroke: #1a1a1a; stroke-width: 2.5;",
    axis="stroke: #1a1a1a; stroke-width: 1.5; fill: none;",
)
ROW_MAJOR = Style(
    "mid+end+bold+small row0+row1+row2 gap+this measure",
    text=TEXT,
    small="font-size: 11px;",
    row0="fill: #dbe9f8; stroke: #1a1a1a;",
    row1="fill: #a9c6e8; stroke: #1a1a1a;",
    row2="fill: #7fa8d8; stroke: #1a1a1a;",
    gap="fill: #ffffff; stroke: #1a1a1a; stroke-dasharray: 3 3;",
    this="fill: #ffd24d; stroke: #1a1a1a; stroke-width: 2.5;",
    measure="stroke: #1a1a1a; stroke-width: 1.5; fill: none;",
)
LAYOUTS = Style(
    "mid+bold red+other sector",
    text=TEXT,
    red="fill: #f6c1bd; stroke: #1a1a1a; stroke-width: 2;",
    other="fill: #ffffff; stroke: #8a8a8a;",
    sector="fill: none; stroke: #1a1a1a; stroke-width: 3;",
)


@figure
def grid() -> Drawing:
    """Blocks of 8 x 4 threads over a picture of 21 x 10 pixels, and one thread of them."""
    d = Drawing(
        820, 340, "A grid over a picture",
        "A picture of 21 x 10 pixels is covered by 3 x 3 blocks of 8 x 4 threads. The blocks stick out by three "
        "columns on the right and by two rows at the bottom; these threads have no pixel. The thread 3, 2 of the "
        "block 1, 1 has the pixel x = 1 times 8 plus 3 = 11, y = 1 times 4 plus 2 = 6.",
        GRID,
    )
    left, top, cell = 60, 64, 20
    for y in range(12):
        for x in range(24):
            d.rect(left + x * cell, top + y * cell, cell, cell, "pixel" if x < 21 and y < 10 else "none")
    d.rect(left + 11 * cell, top + 6 * cell, cell, cell, "this")
    for y in range(3):
        for x in range(3):
            d.rect(left + x * 8 * cell, top + y * 4 * cell, 8 * cell, 4 * cell, "block")
    for k in range(3):
        d.text(left + (k + 0.5) * 8 * cell, top - 10, "mid small", f"blockIdx.x {k}")
    for k in range(3):
        d.turned_text(left - 10, top + (k + 0.5) * 4 * cell, -90, "mid small", f"blockIdx.y {k}")
    d.path(f"M{left} 30h80m-8 -4l8 4l-8 4", "axis")
    d.text(left + 88, 34, "bold", "x")
    d.path(f"M24 {top}v60m-4 -8l4 8l4 -8", "axis")
    d.text(20, top + 78, "bold", "y")
    d.text(560, 90, "bold", "threadIdx (3, 2)")
    d.text(560, 110, "bold", "of blockIdx (1, 1)")
    d.text(560, 140, "", "x = 1 * 8 + 3 = 11")
    d.text(560, 162, "", "y = 1 * 4 + 2 = 6")
    d.text(560, 204, "", "white: threads that")
    d.text(560, 222, "", "have no pixel, on the")
    d.text(560, 240, "", "right and at the bottom")
    return d


def number(d: Drawing, x: float, y: float, column: int, row: int) -> None:
    """A number of the picture, or of the gap behind a row."""
    look = "gap" if column >= 6 else "this" if (column, row) == (2, 1) else f"row{row}"
    d.rect(x, y, 32, 26, look)


@figure
def row_major() -> Drawing:
    """A picture of 6 x 3 numbers with a pitch of 8, and how it lies in memory."""
    d = Drawing(
        820, 300, "Row-major order",
        "Above: a picture of three rows with six numbers each, and a gap of two after each row, so that the pitch "
        "is 8. The number at x = 2, y = 1 is marked. Below: the same numbers in one line of memory, row after row. "
        "The marked one has the index 1 times 8 plus 2, which is 10.",
        ROW_MAJOR,
    )
    for column in range(6):
        d.text(146 + column * 32, 30, "mid small", column)
    d.text(120, 30, "end", "x =")
    for row in range(3):
        d.text(120, 58 + row * 26, "end", f"y = {row}")
        for column in range(8):
            number(d, 130 + column * 32, 40 + row * 26, column, row)
    d.path("M130 128v8m0 -4h190m0 -4v8", "measure")
    d.text(226, 152, "mid", "width 6")
    d.path("M130 160v8m0 -4h254m0 -4v8", "measure")
    d.text(258, 184, "mid", "pitch 8")
    d.text(420, 66, "bold", "index = y * pitch + x")
    d.text(420, 90, "", "the marked number: x = 2, y = 1")
    d.text(420, 110, "", "index = 1 * 8 + 2 = 10")
    d.text(420, 134, "small", "dashed: padding between the rows")
    d.text(26, 212, "bold", "in memory")
    for i in range(24):
        number(d, 26 + i * 32, 222, i % 8, i // 8)
        d.text(42 + i * 32, 264, "mid small", i)
    for row in range(3):
        d.text(122 + row * 256, 284, "mid small", f"row y = {row}")
    return d


def numbers(d: Drawing, y: float, names: list[str]) -> None:
    """Numbers in memory, r0 for the red of pixel 0, in sectors of eight; red ones are wanted."""
    for i, name in enumerate(names):
        d.named(40 + i * 30, y, 30, 30, "red" if name.startswith("r") else "other", name, "", drop=5)
    for sector in range(3):
        d.rect(40 + sector * 240, y - 4, 240, 38, "sector")


@figure
def layouts() -> Drawing:
    """Eight pixels of three colours as an array of structs and as a struct of arrays, and where red is."""
    d = Drawing(
        800, 262, "Array of structs, struct of arrays",
        "24 numbers, which are the red, green and blue of eight pixels, in three sectors of 32 bytes. Array of "
        "structs: red 0, green 0, blue 0, red 1 and so on; the eight reds lie in all three sectors. Struct of "
        "arrays: red 0 to red 7, then green 0 to green 7, then blue 0 to blue 7; the eight reds fill one sector.",
        LAYOUTS,
    )
    d.text(40, 34, "bold", "array of structs: eight lanes load red, and three sectors move")
    numbers(d, 52, [f"{colour}{pixel}" for pixel in range(8) for colour in "rgb"])
    d.text(40, 138, "bold", "struct of arrays: eight lanes load red, and one sector moves")
    numbers(d, 156, [f"{colour}{pixel}" for colour in "rgb" for pixel in range(8)])
    d.text(40, 230, "", "thick frames: sectors of 32 bytes; r3 is the red of pixel 3")
    return d


PROGRAMS = Path("build/figures/lesson04")
BUILT: set[Path] = set()


def output_of(*command: object, **settings: str) -> str:
    """What a command of the workbook prints, on the emulator. Failure: it fails."""
    environment = {**os.environ, "BACKEND": "cpu", "QUIET": "1", "SIZE": "256", **settings}
    done = subprocess.run(list(map(str, command)), env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))} fails:", *(done.stdout + done.stderr).splitlines())
    return done.stdout


def built(source: str) -> Path:
    """A program of the lesson, compiled once."""
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    program = PROGRAMS / Path(source).stem
    if program not in BUILT:
        folder = "lessons/lesson04_grids"
        output_of("sh", "tools/compile/build.sh", f"{folder}/{source}", program, f"-I{folder}")
        BUILT.add(program)
    return program


@figure_of_program
def blur() -> str:
    return output_of("sh", "tools/actions/run.sh", built("figures/pictures.cu"), "blur")


@figure_of_program
def mistakes() -> str:
    return output_of("sh", "tools/actions/run.sh", built("figures/pictures.cu"), "mistakes")


def viewed_store(version: int) -> str:
    """One store of a version, as `view` draws it; it names its pictures after the line."""
    shown = output_of("sh", "tools/actions/view.sh", built("lesson04.cu"), V=str(version))
    pictures = re.findall(rf"^ *(.*blur_kernel{version}_line\d+_global_store\.svg)$", shown, re.MULTILINE)
    return Path(pictures[0]).read_text("utf-8")


@figure_of_program
def store2() -> str:
    return viewed_store(2)


@figure_of_program
def store3() -> str:
    return viewed_store(3)


@figure_of_program
def store4() -> str:
    return viewed_store(4)
