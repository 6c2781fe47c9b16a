"""The page's figures. The words are computed here as exercise 03b computes them."""
from collections.abc import Sequence

from workbook.drawing import MONO, Drawing, Style, figure

STYLE = Style(
    "small mono bold mid end light on on2 cell off link parting",
    mono=MONO + " font-size: 10px;",
    parting="stroke: #8a8a8a; stroke-dasharray: 4 4;",
)
SEED, CALL = 42, 5


@figure
def passes() -> Drawing:
    d = Drawing(
        800, 190, "Four kernels and one",
        "Above a bar, the memory; below it kernels, with arrows for the arrays that they load and store. Four "
        "kernels: bias loads x and stores y; GELU loads y and stores y; dropout loads y and stores y and a mask; "
        "add loads y and the residual and stores y. One kernel loads x and the residual and stores y.",
        STYLE,
    )
    d.rect(16, 40, 768, 24, "off")
    d.text(400, 57, "small mid", "memory (the bias comes from a cache)")
    d.text(16, 28, "bold", "four kernels")
    d.text(648, 28, "bold", "one kernel")
    kernel(d, 16, 110, "bias", ["x"], ["y"])
    kernel(d, 142, 110, "GELU", ["y"], ["y"])
    kernel(d, 268, 164, "dropout", ["y"], ["y", "mask"])
    kernel(d, 448, 150, "add", ["y", "res."], ["y"])
    d.line(624, 16, 624, 176, "parting")
    kernel(d, 634, 150, "all of it", ["x", "res."], ["y"])
    d.text(307, 176, "small mid", "an arrow: 4 bytes for an element; of the mask 1 byte")
    return d


def kernel(d: Drawing, x: float, width: float, name: str, loads: Sequence[str], stores: Sequence[str]) -> None:
    """A kernel at x, with what it loads and what it stores."""
    d.cell(x, 132, width, "on2", name)
    for k, array in enumerate(loads):
        at = x + 16 + 44 * k
        d.arrow(at, 64, at, 130)
        d.text(at + 3, 86, "small", array)
    for k, array in enumerate(stores):
        at = x + width - 38 + 44 * (k + 1 - len(stores))
        d.arrow(at, 132, at, 66)
        d.text(at + 3, 116, "small", array)


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> list[int]:
    """The four words that Philox4x32-10 makes of a counter."""
    low = 0xFFFFFFFF
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & low, (a >> 32) ^ c3 ^ k1, a & low
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return [c0, c1, c2, c3]


@figure
def words() -> Drawing:
    drawn = [word for quad in range(3) for word in philox((quad, 0, CALL, 0), (SEED, 0))]
    dropped = [word < 0x80000000 for word in drawn]
    said = ", ".join(f"{i} {word:08x} {'dropped' if dropped[i] else 'kept'}" for i, word in enumerate(drawn))
    d = Drawing(
        800, 250, "Which word belongs to which element",
        f"Twelve elements in three groups of four. Group 0, 1 and 2 have the counters (0, 0, {CALL}, 0), (1, 0, "
        f"{CALL}, 0) and (2, 0, {CALL}, 0); Philox with the key ({SEED}, 0) makes four words of each. A word below "
        f"80000000 drops its element: {said}.",
        STYLE,
    )
    d.text(24, 32, "", f"Seed {SEED}, call {CALL}, p = 0.5. Words are in hexadecimal, the threshold is 80000000.")
    for k, name in enumerate(["counter", f"key ({SEED}, 0)", "word", "word < threshold?", "element"]):
        d.text(124, 68 + 40 * k, "small end", name)
    for quad in range(3):
        x = 134 + 216 * quad
        d.cell(x, 52, 216, "cell", f"({quad}, 0, {CALL}, 0)")
        d.arrow(x + 108, 76, x + 108, 90)
        d.cell(x, 92, 216, "on2", "Philox4x32-10")
        for i in range(4):
            element = 4 * quad + i
            d.arrow(x + 54 * i + 27, 116, x + 54 * i + 27, 130)
            d.cell(x + 54 * i, 132, 54, "cell", f"{drawn[element]:08x}")
            d.cell(x + 54 * i, 172, 54, "off" if dropped[element] else "on", "drop" if dropped[element] else "keep")
            d.cell(x + 54 * i, 212, 54, "cell", element)
    return d
