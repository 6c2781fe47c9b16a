"""Lesson 00's figures: `python3 tools/workbook figures 00` draws them again."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("mid on2 link")


@figure
def idea() -> Drawing:
    d = Drawing(
        640, 130, "FILL IN: the idea in a few words",
        "FILL IN: what is drawn, for those who cannot see it.",
        STYLE,
    )
    d.named(120, 20, 400, 30, "on2", "x", "", drop=5)
    d.arrow(320, 52, 320, 78)
    d.named(120, 80, 400, 30, "on2", "y", "", drop=5)
    return d
