"""Draws a page's figures as SVG: shapes, text, arrows and cells, in the looks that all figures share.

lessons/NN/figures/draw.py describes a figure, and `python3 tools/workbook figures NN` writes it:

    STYLE = Style("small bold mid on cell link")

    @figure
    def steps() -> Drawing:
        d = Drawing(860, 120, "Two steps", "What somebody who cannot see the figure is told.", STYLE)
        d.box(20, 30, 200, 60, "on", "load", "32 bytes")
        d.arrow(220, 60, 300, 60)
        return d

Lengths are in pixels, y grows downwards, and words are plain text, which is escaped here. A figure must come out the
same to the byte wherever it is drawn, and six kinds of shapes are enough: so these are strings, and no library.
"""
from collections.abc import Iterable, Mapping
from html import escape
from typing import Callable, Optional, TypeVar, Union

Point = tuple[float, float]

SANS = "font-family: Helvetica, Arial, sans-serif;"
MONO = 'font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;'

# The looks of the classes that many figures use. `on` is done, chosen or busy; `off` is idle, lost or not needed.
LOOKS = {
    "text": SANS + " font-size: 14px; fill: #1a1a1a;",  # all text
    "small": "font-size: 12px;",
    "tiny": "font-size: 10px;",
    "mono": MONO + " font-size: 12px;",
    "bold": "font-weight: bold;",
    "mid": "text-anchor: middle;",
    "end": "text-anchor: end;",
    "light": "fill: #ffffff;",
    "on": "fill: #1f5fa8; stroke: #1a1a1a;",
    "on2": "fill: #a9c6e8; stroke: #1a1a1a;",
    "cell": "fill: #ffffff; stroke: #1a1a1a;",
    "off": "fill: #e4e4e4; stroke: #8a8a8a;",
    "link": "stroke: #1a1a1a; stroke-width: 1.2; fill: none; marker-end: url(#tip);",
}

TIP = (
    '  <defs>\n    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" fill="#1a1a1a"/></marker>\n  </defs>'
)


def luminance(colour: str) -> float:
    """How bright `#rrggbb` is, from 0 to 255."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


class Style:
    """The classes that a lesson's figures use, and their looks."""

    def __init__(self, classes: str, **looks: str) -> None:
        """`classes`: names separated by spaces; those joined by + share a line of the style sheet. `looks`: the looks of
        this lesson's additional classes, in CSS. ValueError: a class has no look."""
        self.lines = [line.split("+") for line in classes.split()]
        self.looks = {**LOOKS, **looks}
        self.classes = {name for line in self.lines for name in line}
        unknown = sorted(self.classes - set(self.looks))
        if unknown:
            raise ValueError(f"no look for {' '.join(unknown)}: give Style the CSS of a class that LOOKS lacks")

    def is_dark(self, name: str) -> bool:
        """Whether words on a shape of this class must be light."""
        fill = self.looks[name].partition("fill: ")[2].partition(";")[0]
        return fill.startswith("#") and luminance(fill) < 128

    def sheet(self) -> str:
        """The style sheet."""
        rules = [f"    text {{ {self.looks['text']} }}"]
        for line in self.lines:
            rules.append("    " + " ".join(f".{name} {{ {self.looks[name]} }}" for name in line))
        return "  <style>\n" + "\n".join(rules) + "\n  </style>"


class Drawing:
    """A figure under construction; str() gives its SVG. Shapes are drawn over earlier ones.

    Every method takes the class or classes of `style` in which it draws. ValueError: the style lacks one."""

    def __init__(self, width: float, height: float, title: str, description: str, style: Style) -> None:
        """An empty figure in a frame. `description` is for readers who cannot see the figure."""
        self.width, self.height, self.style = width, height, style
        size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        self._elements = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">',
            f'  <title id="title">{escape(title, quote=False)}</title>',
            f'  <desc id="desc">{escape(description, quote=False)}</desc>',
            style.sheet(),
        ]
        if "link" in style.classes:
            self._elements.append(TIP)
        inside = f'width="{width - 2:.0f}" height="{height - 2:.0f}"'
        self._put("rect", f'x="1" y="1" {inside} rx="8" fill="#ffffff" stroke="#c4c4c4"')

    def __str__(self) -> str:
        return "\n".join(self._elements + ["</svg>", ""])

    def _put(self, name: str, attributes: str, classes: str = "", words: Optional[str] = None) -> None:
        unknown = sorted(set(classes.split()) - self.style.classes)
        if unknown:
            raise ValueError(f"the style has no {' '.join(unknown)}: add it to the classes of Style")
        if classes:
            attributes += f' class="{classes}"'
        end = "/>" if words is None else f">{escape(words, quote=False)}</{name}>"
        self._elements.append(f"  <{name} {attributes}{end}")

    def text(self, x: float, y: float, classes: str, words: object) -> None:
        """Words on the base line y, from x on; around x with `mid`, up to x with `end`."""
        self._put("text", f'x="{x:.1f}" y="{y:.1f}"', classes, str(words))

    def turned_text(self, x: float, y: float, angle: float, classes: str, words: str) -> None:
        """Words turned by an angle in degrees, clockwise."""
        self._put("text", f'transform="translate({x:.1f} {y:.1f}) rotate({angle:.1f})"', classes, words)

    def line(self, x1: float, y1: float, x2: float, y2: float, classes: str) -> None:
        """A line; with the class `link` it has a tip at its end."""
        self._put("line", f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"', classes)

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A line with a tip, in the class `link`."""
        self.line(x1, y1, x2, y2, "link")

    def path(self, commands: str, classes: str) -> None:
        """A path, in SVG's own commands."""
        self._put("path", f'd="{commands}"', classes)

    def polyline(self, points: Iterable[Point], classes: str) -> None:
        """Lines from point to point."""
        self._put("polyline", 'points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"', classes)

    def circle(self, x: float, y: float, radius: float, classes: str) -> None:
        """A circle around x, y."""
        self._put("circle", f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"', classes)

    def rect(self, x: float, y: float, width: float, height: float, classes: str, corner: float = 0) -> None:
        """A rectangle with its upper left corner at x, y; `corner` is the radius of round corners."""
        rounded = f' rx="{corner:g}"' if corner else ""
        self._put("rect", f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{rounded}', classes)

    def on(self, look: str, classes: str) -> str:
        """The classes for words on a shape of class `look`: light words on a dark shape."""
        return f"{classes} light" if self.style.is_dark(look) else classes

    def named(
        self, x: float, y: float, width: float, height: float, look: str, words: object,
        size: str = "small", drop: float = 4,
    ) -> None:
        """A rectangle with a word in its middle. `size` is the word's class, `drop` the distance of its base line below the
        middle."""
        self.rect(x, y, width, height, look)
        self.text(x + width / 2, y + height / 2 + drop, self.on(look, f"{size} mid".lstrip()), words)

    def cell(self, x: float, y: float, width: float, look: str, words: object) -> None:
        """A cell of a table, 24 high, with a number or a name."""
        self.named(x, y, width, 24, look, words, "mono")

    def box(self, x: float, y: float, width: float, height: float, look: str, head: str, words: str) -> None:
        """A box with a heading and a line below it."""
        self.rect(x, y, width, height, look)
        self.text(x + width / 2, y + 22, self.on(look, "mid bold"), head)
        self.text(x + width / 2, y + 42, self.on(look, "mid small"), words)


Figure = Callable[[], Union[Drawing, str]]
FigureType = TypeVar("FigureType", bound=Figure)

_from_program: dict[Figure, bool] = {}  # every marked function


def figure(draw: FigureType) -> FigureType:
    """Marks a function of draw.py: it draws the figure of the same name."""
    _from_program[draw] = False
    return draw


def figure_of_program(draw: FigureType) -> FigureType:
    """Marks a function of draw.py whose figure requires running a program of the lesson, and so a compiler and several seconds."""
    _from_program[draw] = True
    return draw


def figures_in(names: Mapping[str, object], programs: bool) -> dict[str, Figure]:
    """The figures among the names of a draw.py, in its order; also those of programs, if `programs`."""
    wanted = {draw for draw, of_program in _from_program.items() if programs or not of_program}
    return {name: draw for name, draw in names.items() if callable(draw) and draw in wanted}
