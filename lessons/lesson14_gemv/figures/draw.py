"""The page's figures. The speeds are those of the record."""
from workbook import records
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+mid+bold+light word+strong+magic+next",
    word="fill: #ffffff; stroke: #8a8a8a;",
    strong="fill: #1f5fa8; stroke: #1a1a1a;",
    magic="fill: #eeeeee; stroke: #8a8a8a;",
    next="fill: #a9c8e8; stroke: #8a8a8a;",
)


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson14 SEED=1 8192 x 8192 fp32", "GB/s")
    ideas = ["thread per row", "warp per row", "16 bytes, 4 loads", "two rows per warp", "two rows per block", "split"]
    rungs = [Rung("cuBLAS", rates["cuBLAS"], rates["copy kernel"])]
    rungs += [Rung(f"{k} {idea}", rates[f"gemv_kernel{k}"], rates["copy kernel"]) for k, idea in enumerate(ideas, 1)]
    return draw_ladder("8192 x 8192 floats times a vector", record.note, "GB/s", "a copy kernel", rungs)


LEFT = 210  # of a word's picture


def word(d: Drawing, y: float, pieces: str, dark: tuple[str, ...]) -> None:
    """A word as eight pieces of four bits, the highest first."""
    for k, piece in enumerate(pieces.split()):
        look = "strong" if piece in dark else "magic" if piece.isdigit() else "word"
        d.named(LEFT + k * 64, y, 64, 30, look, piece, "", drop=5)


@figure
def int4() -> Drawing:
    """Eight weights in a word, and how two of them become numbers of fp16."""
    d = Drawing(
        940, 300, "From four bits to fp16",
        "A word of 32 bits holds eight weights of four bits, from the highest bits to the lowest: w7 w5 w3 w1 w6 w4 "
        "w2 w0. A mask keeps w1 and w0, each at the low end of one half of the word: 0 0 0 w1 0 0 0 w0. As two "
        "numbers of fp16 these are 2^-24 times w1 and w0. Another mask keeps w3 and w2, which stand four bits "
        "higher: 0 0 w3 0 0 0 w2 0, which is 2^-20 times w3 and w2.",
        STYLE,
    )
    d.text(LEFT, 34, "small", "bits 31 to 16: one number of fp16")
    d.text(LEFT + 256, 34, "small", "bits 15 to 0: the other one")
    d.text(24, 66, "", "a word: 8 weights")
    word(d, 46, "w7 w5 w3 w1 w6 w4 w2 w0", ("w1", "w0"))
    d.text(24, 132, "", "& 000f000f")
    word(d, 112, "0 0 0 w1 0 0 0 w0", ("w1", "w0"))
    d.text(LEFT + 526, 132, "", "2^-24 times w1 and w0")
    d.text(24, 182, "", "& 00f000f0")
    word(d, 162, "0 0 w3 0 0 0 w2 0", ("w3", "w2"))
    d.text(LEFT + 526, 182, "", "2^-20 times w3 and w2")
    d.text(24, 232, "", "and, 8 bits lower,")
    d.text(LEFT, 232, "", "w5 and w4, w7 and w6 in the same way")
    d.text(
        24, 272, "small",
        "A number of fp16 whose five exponent bits are 0 is subnormal: its ten lowest bits, as a whole number, "
        "times 2^-24.",
    )
    return d


def of_lanes(row: int, column: int) -> str:
    return "strong" if column == 0 else "next" if column == 1 else "word"


def of_warps(row: int, column: int) -> str:
    return "strong" if column < 4 else "next" if column < 8 else "word"


def of_block(row: int, column: int) -> str:
    return "word" if row >= 2 else "strong" if column < 16 else "next"


@figure
def rows() -> Drawing:
    """Which weights are read at the same time in versions 1, 2 and 5."""
    d = Drawing(
        940, 290, "What is read at the same time",
        "Three times a matrix of 8 rows. Version 1, a thread for each row: the lanes of a warp read the first word "
        "of each row, then the second one. Version 2, a warp for each row: each of 8 warps reads 4 neighbouring "
        "words of its row, then the next 4. Version 5, two rows for a block: the 8 warps of the block together read "
        "16 neighbouring words of two rows, then the rest of these rows.",
        STYLE,
    )
    for x, look, title, first, second in (
        (28, of_lanes, "1: a thread for each row", "a load of a warp: a column,", "each word in another sector"),
        (334, of_warps, "2: a warp for each row", "a load of a warp: neighbours;", "each warp in another row"),
        (640, of_block, "5: two rows for a block", "8 warps: neighbours of two rows,", "a long piece of memory"),
    ):
        d.text(x, 36, "bold", f"version {title}")
        for row in range(8):
            for column in range(24):
                d.rect(x + column * 11, 52 + row * 18, 11, 18, look(row, column))
        d.text(x, 224, "small", first)
        d.text(x, 242, "small", second)
    d.rect(28, 258, 11, 14, "strong")
    d.text(46, 270, "small", "read at the same time")
    d.rect(208, 258, 11, 14, "next")
    d.text(226, 270, "small", "read next")
    return d
