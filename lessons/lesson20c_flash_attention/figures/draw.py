"""The page's figure. Nothing of it is measured."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+tiny+bold+mid+end+light r0+r1+r2+r3 link",
    r0="fill: #1f5fa8; stroke: #ffffff;",
    r1="fill: #a9c6e8; stroke: #ffffff;",
    r2="fill: #5b8f5b; stroke: #ffffff;",
    r3="fill: #cfe3c6; stroke: #ffffff;",
)

WIDE, HIGH = 20, 17


def quarter(d: Drawing, x: float, y: float, row: int, column: int) -> None:
    """8 x 8 elements of 16 x 16: a cell says which lane has it, and its colour which register of the operand."""
    look = f"r{row // 8 + 2 * (column // 8)}"
    for r in range(8):
        for c in range(8):
            d.named(x + c * WIDE, y + r * HIGH, WIDE, HIGH, look, r * 4 + c // 2, "tiny")


def heads(d: Drawing, x: float, y: float, column: int) -> None:
    """The first and the last of eight columns."""
    d.text(x + WIDE / 2, y - 5, "tiny mid", column)
    d.text(x + 7.5 * WIDE, y - 5, "tiny mid", column + 7)


@figure
def repack() -> Drawing:
    """Two accumulators side by side are an operand."""
    d = Drawing(
        800, 420, "Two accumulators of S are one operand of P",
        "Left: two products of 16 x 8 scores next to each other. A cell has the number of the lane that holds it: lane "
        "4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8 of each product. Right: the operand a of the second "
        "product, 16 x 16. Each cell has the same lane, and each 8 x 8 cells are one register of it: rows 0 to 7 of "
        "the first product are p[0], rows 8 to 15 p[1], those of the second product p[2] and p[3].",
        STYLE,
    )
    left, right, top = 40, 440, 84
    d.text(left, 24, "bold", "S: c of two products, floats")
    d.text(right, 24, "bold", "P: operand a of 16 keys, bfloat16")
    d.text(left + 4 * WIDE, 50, "small mid", "score[2k]")
    d.text(left + 12 * WIDE + 12, 50, "small mid", "score[2k + 1]")
    for column in (0, 8):
        x = left + column * WIDE + (12 if column else 0)
        heads(d, x, top, column)
        heads(d, right + column * WIDE, top, column)
        for row in (0, 8):
            quarter(d, x, top + row * HIGH, row, column)
            quarter(d, right + column * WIDE, top + row * HIGH, row, column)
    for row in (0, 8):
        d.text(left - 6, top + row * HIGH + 13, "tiny end", row)
        d.text(right - 6, top + row * HIGH + 13, "tiny end", row)
    d.arrow(left + 16 * WIDE + 18, top + 8 * HIGH, right - 24, top + 8 * HIGH)
    y = top + 16 * HIGH + 10
    for register, name in enumerate(("[2k][0], [1]", "[2k][2], [3]", "[2k + 1][0], [1]", "[2k + 1][2], [3]")):
        x = left + register // 2 * 180
        d.rect(x, y + register % 2 * 24, 16, 16, f"r{register}")
        d.text(x + 22, y + register % 2 * 24 + 13, "small", name)
        x = right + register // 2 * 180
        d.rect(x, y + register % 2 * 24, 16, 16, f"r{register}")
        d.text(x + 22, y + register % 2 * 24 + 13, "small", f"p[{register}]")
    return d
