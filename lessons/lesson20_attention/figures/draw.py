"""The page's figures. Nothing of them is measured."""
from math import exp

from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+tiny+mono+bold+mid+end+light cell+off+on+on2 green+pale frame link wire",
    green="fill: #5b8f5b; stroke: #1a1a1a;",
    pale="fill: #cfe3c6; stroke: #1a1a1a;",
    frame="fill: none; stroke: #1a1a1a; stroke-width: 3;",
    wire="stroke: #1a1a1a; stroke-width: 1.2;",
)


def notes(d: Drawing, x: float, y: float, *lines: str, step: float = 18) -> None:
    """Small lines of text, one below the other."""
    for k, line in enumerate(lines):
        d.text(x, y + step * k, "small", line)


@figure
def matrices() -> Drawing:
    """What attention computes, and how large it is."""
    d = Drawing(
        820, 324, "What attention computes",
        "Q has a row of 128 numbers for each query, K and V one for each key. S, the scores, has a number for each "
        "query and each key. Softmax makes P of it, row by row. O is P times V: a row of 128 numbers for each "
        "query. One row is marked in all of them.",
        STYLE,
    )
    d.rect(150, 34, 190, 34, "on2")
    d.text(245, 56, "small mid", "K transposed: 128 x keys")
    for x, width, look, y, name, size in (
        (60, 60, "on2", 164, "Q", "queries x 128"),
        (150, 190, "off", 186, "S = Q K' / √128", "queries x keys"),
        (420, 190, "off", 186, "P", "queries x keys"),
        (690, 60, "on2", 164, "O", "queries x 128"),
    ):
        d.rect(x, 80, width, 160, look)
        d.text(x + width / 2, y, "small mid", name)
        d.rect(x, 110, width, 10, "on")
        d.text(x + width / 2, 260, "small mid", size)
    d.arrow(350, 115, 414, 115)
    d.text(382, 102, "small mid", "softmax")
    d.arrow(620, 115, 684, 115)
    d.text(652, 102, "small mid", "times V")
    d.text(652, 138, "tiny mid", "keys x 128")
    notes(
        d, 60, 288, "Dark blue: what one query needs and gives. Grey: what must not be stored.",
        "For 16384 queries and keys a row of Q has 256 bytes, and one of S, in bfloat16, 32 KB.",
    )
    return d


def kept(d: Drawing, x: float, largest: str, factor: str, total: str, value: str) -> None:
    """What is kept after a tile."""
    d.cell(x, 96, 110, "cell", largest)
    d.cell(x, 132, 110, "on" if factor else "off", factor)
    d.cell(x, 168, 110, "cell", total)
    d.cell(x, 204, 110, "cell", value)


@figure
def online() -> Drawing:
    """Scores 1, 3 | 5, 2 with values 10, 20 | 30, 40: what is kept after each tile."""
    d = Drawing(
        820, 290, "Online softmax over two tiles, with one column of V",
        "Scores 1 and 3 with the values 10 and 20 are the first tile, 5 and 2 with 30 and 40 the second. After each "
        "tile: the largest score, the factor by which everything before shrinks, the sum of exp, the sum of exp "
        "times value. At the end the second sum is divided by the first.",
        STYLE,
    )
    s1, v1 = exp(1 - 3) + 1, exp(1 - 3) * 10 + 20
    factor = exp(3 - 5)
    s2, v2 = s1 * factor + 1 + exp(2 - 5), v1 * factor + 30 + exp(2 - 5) * 40
    d.text(30, 46, "bold", "scores")
    d.text(30, 72, "bold", "values")
    for x, score, value in ((330, 1, 10), (388, 3, 20), (520, 5, 30), (578, 2, 40)):
        d.cell(x, 30, 52, "on2", score)
        d.cell(x, 58, 52, "pale", value)
    d.text(195, 46, "small mid", "before")
    d.text(720, 46, "small mid", "at the end")
    for k, name in enumerate(["largest", "factor", "sum", "value"]):
        d.text(30, 112 + 36 * k, "bold", name)
    kept(d, 140, "-infinity", "", "0", "0")
    kept(d, 330, "3", "0", f"{s1:.3f}", f"{v1:.3f}")
    kept(d, 520, "5", f"{factor:.3f}", f"{s2:.3f}", f"{v2:.3f}")
    for x in (256, 446):
        d.arrow(x, 180, x + 68, 180)
        d.arrow(x, 216, x + 68, 216)
    d.arrow(636, 216, 660, 216)
    d.cell(664, 204, 110, "on2", f"{v2 / s2:.3f}")
    d.text(720, 194, "small mid", "value / sum")
    notes(
        d, 30, 258,
        f"The factor is exp(largest before - largest now): exp(-infinity) = 0 and exp(3 - 5) = {factor:.3f}. Both "
        "sums are multiplied by it,",
        f"then the tile is added: exp(5 - 5) = 1 and exp(2 - 5) = {exp(-3):.3f} times its values.",
    )
    return d


@figure
def tiles() -> Drawing:
    """Which tiles a block walks over, with a causal mask."""
    d = Drawing(
        820, 330, "The scores in tiles, with a causal mask",
        "Six by six tiles, queries down and keys across. Tiles below the diagonal are computed, those on the "
        "diagonal are computed and hidden in part, those above are skipped: they are not even loaded. One block has "
        "a row of tiles and walks along it.",
        STYLE,
    )
    d.text(188, 30, "small mid", "keys")
    d.text(60, 176, "small end", "queries")
    for query in range(6):
        for key in range(6):
            d.rect(76 + key * 40, 44 + query * 40, 38, 38, "on2" if key < query else "on" if key == query else "off")
    d.rect(75, 203, 200, 40, "frame")
    d.arrow(84, 223, 266, 223)
    for y, look, words in (
        (60, "on2", "every query sees every key: no mask"),
        (100, "on", "the diagonal: some queries do not see some keys"),
        (140, "off", "fully masked: not loaded, not computed"),
        (184, "frame", "one block: its queries stay, tiles of K and V pass by"),
    ):
        d.rect(380, y, 24, 24, look)
        d.text(416, y + 17, "small", words)
    notes(
        d, 380, 240, "The blocks at the bottom have most to do. They begin first: one that",
        "begins last and takes longest would keep everybody waiting.",
    )
    d.text(76, 306, "small", "Of n x n tiles n (n + 1) / 2 are computed: a little more than half.")
    return d


@figure
def barriers() -> Drawing:
    """Who waits for whom: one ring of three stages for K; V has another."""
    d = Drawing(
        820, 290, "Who waits for whom",
        "A producer thread fills three stages by TMA. The barrier full of a stage counts bytes, and the consumers "
        "wait for it. The barrier empty counts the eight warps of the consumers, and the producer waits for it.",
        STYLE,
    )
    d.rect(30, 98, 150, 70, "pale")
    d.text(105, 126, "bold mid", "producer")
    d.text(105, 146, "small mid", "one thread, TMA")
    for group in range(2):
        y = 58 + 90 * group
        d.rect(640, y, 150, 60, "on2")
        d.text(715, y + 26, "bold mid", f"group {group}")
        d.text(715, y + 46, "small mid", "64 queries")
    for k in range(3):
        y = 50 + k * 62
        d.named(320, y, 180, 42, "cell", f"stage {k}: 128 keys", drop=5)
        d.arrow(186, 117 + k * 16, 312, y + 21)
        d.arrow(506, y + 15, 632, 76 + k * 12)
        d.arrow(506, y + 27, 632, 166 + k * 12)
    d.text(240, 64, "small mid", "requests 32 KB")
    d.text(570, 38, "small mid", "full: the bytes are there")
    d.line(715, 214, 715, 244, "wire")
    d.line(715, 244, 105, 244, "wire")
    d.arrow(105, 244, 105, 176)
    d.text(
        410, 268, "small mid",
        "empty: eight warps signal that they have read the tile, and the producer may request the next one",
    )
    return d


# What a bar of time looks like, by its first word.
KINDS = {"exp": "pale", "write": "cell", "fetch": "cell"}


def bars(d: Drawing, x: float, y: float, look: str, *bars_of: tuple[str, float]) -> None:
    """One thing after the other, from x on: its words and how long it takes. Products have the class `look`."""
    for words, width in bars_of:
        d.named(x, y, width, 28, KINDS.get(words.split()[0], look), words, "tiny")
        x += width


@figure
def turns() -> Drawing:
    """Products and exponentials over time."""
    d = Drawing(
        820, 356, "Products and exponentials over time",
        "Above: a group alone. Its tensor cores wait while it takes exponentials. Below: two groups, ping-pong. While "
        "one takes the exponentials of a tile, the products of the other run; a group starts the scores of the next "
        "tile together with P times V of the tile before.",
        STYLE,
    )
    d.text(30, 30, "bold", "version 4, one group: one thing after the other")
    for k in range(3):
        bars(d, 130 + k * 220, 44, "on", (f"QK {k}", 60), (f"exp {k}", 90), (f"PV {k}", 60))
    d.text(120, 62, "small end", "group 0")
    d.text(30, 110, "bold", "version 5: two groups take turns")
    for y, name in ((142, "group 0"), (186, "group 1"), (246, "tensor cores")):
        d.text(120, y, "small end", name)
    both = [("QK 1, PV 0", 120.0), ("exp 1", 120.0), ("QK 2, PV 1", 120.0)]
    bars(d, 130, 124, "on", ("QK 0", 60), ("exp 0", 66), *both, ("exp 2", 120), ("PV 2", 60))
    bars(d, 190, 168, "green", ("QK 0", 60), ("exp 0", 126), *both, ("exp 2", 60))
    bars(d, 130, 228, "on", ("group 0", 60))
    bars(d, 190, 228, "green", ("group 1", 60))
    for k in range(4):
        bars(d, 256 + k * 120, 228, "green" if k % 2 else "on", (f"group {k % 2}", 120))
    bars(d, 736, 228, "on", ("group 0", 60))
    notes(
        d, 30, 296,
        "QK: the scores of a tile. exp: mask, largest, powers of two, sums. PV: O += P V. Lengths are not measured.",
        "Within its own turn, too, a group has something to do: as soon as QK 1 is done it takes exp 1, while PV 0 "
        "still runs.",
        "Then it waits for PV 0, and only then O is rescaled.", step=20,
    )
    return d


@figure
def places() -> Drawing:
    """The end of some queries and the beginning of the next, over time."""
    d = Drawing(
        820, 250, "Blocks that go on",
        "The tiles of one group of consumers in a row: the last two of queries A, then the first two of queries B. "
        "The first scores of B start together with the last P times V of A. Meanwhile the first exponentials of B "
        "are taken, then O of A is written.",
        STYLE,
    )
    d.text(30, 30, "bold", "version 5: a block ends, and another one begins")
    d.text(120, 62, "small end", "one group")
    bars(d, 130, 44, "on", ("QK 7, PV 6", 110), ("exp 7", 90), ("PV 7", 60), ("write O", 70), ("fetch Q, K", 90))
    bars(d, 550, 44, "green", ("QK 0", 60), ("exp 0", 90), ("QK 1, PV 0", 100))
    d.text(30, 120, "bold", "version 6: the next queries are one more tile")
    d.text(120, 152, "small end", "one group")
    bars(d, 130, 134, "on", ("QK 7, PV 6", 110), ("exp 7", 90))
    bars(d, 330, 134, "green", ("QK 0", 60))
    bars(d, 390, 134, "on", ("PV 7", 60), ("exp 0", 90), ("write O", 70))
    bars(d, 610, 134, "green", ("QK 1, PV 0", 100))
    notes(
        d, 30, 206,
        "Blue: the products of some queries, tiles 6 and 7. Green: those of the next queries, tiles 0 and 1. "
        "Lengths are not measured.",
        "The other group computes in the gaps: while this one takes exponentials and writes O, the tensor cores are "
        "not idle.",
        step=20,
    )
    return d
