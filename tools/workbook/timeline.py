"""python3 tools/workbook timeline <order.txt >order.svg: draws the file that lesson 22's program writes to TIMELINE.

A row is a stream, a box is an operation. Columns are steps (the enforced order), or time, if a GPU measured it. Lines are `title NAME`, `unit
step` or `unit ms`, and for each operation `in 0 2 0.5 0.71`: its kind, its chunk, its stream, its beginning and its end.
"""
import sys
from typing import NamedTuple

from workbook.drawing import SANS, Drawing, Style
from workbook.messages import Failure

STYLE = Style(
    "bold+mid+small+light in+run out+sum+axis",
    text=SANS + " font-size: 13px; fill: #1a1a1a;",
    small="font-size: 12px; fill: #4a4a4a;",
    run="fill: #1f5fa8; stroke: #1a1a1a;",
    out="fill: #f2c879; stroke: #1a1a1a;",
    sum="fill: #ffffff; stroke: #1a1a1a;",
    axis="stroke: #d0d0d0;",
    **{"in": "fill: #a9c6e8; stroke: #1a1a1a;"},
)
LEFT, TOP, HIGH, WIDE = 96, 56, 34, 700


class Operation(NamedTuple):
    """A box: begin and end are steps or milliseconds, as written."""

    kind: str
    chunk: str
    stream: int
    begin: str
    end: str


class Timeline(NamedTuple):
    """The program's output."""

    title: str
    unit: str
    operations: list[Operation]

    @property
    def length(self) -> float:
        return max(float(operation.end) for operation in self.operations)


def parse(text: str) -> Timeline:
    """Failure: no operation, or a malformed line."""
    names, operations = {"title": "", "unit": ""}, []
    for line in filter(None, text.splitlines()):
        words = line.split()
        if words[0] in names and len(words) == 2:
            names[words[0]] = words[1]
        elif len(words) == 5 and words[0] in STYLE.classes:
            operations.append(Operation(words[0], words[1], int(words[2]), words[3], words[4]))
        else:
            raise Failure(f"a timeline has no such line: {line}")
    if not operations:
        raise Failure("a timeline without an operation")
    return Timeline(names["title"], names["unit"], operations)


def described(timeline: Timeline) -> str:
    """The picture in words."""
    said = []
    for kind, chunk, stream, begin, end in timeline.operations:
        first = str(int(begin) + 1) if timeline.unit == "step" else begin
        said.append(f"{kind} {chunk} in stream {stream}, {timeline.unit} {first} to {end}")
    return "; ".join(said) + "."


def draw(text: str) -> Drawing:
    """The timeline that the program has written."""
    timeline = parse(text)
    steps, streams = timeline.unit == "step", 1 + max(operation.stream for operation in timeline.operations)
    scale = min(56.0, WIDE / timeline.length) if steps else WIDE / timeline.length
    caption = timeline.title + (": the order that is forced, in steps; no times" if steps else ": times in ms")
    height = TOP + streams * HIGH + 20
    width = int(max(470.0, LEFT + scale * timeline.length + 20))
    d = Drawing(width, height, caption, described(timeline), STYLE)
    d.text(16, 24, "bold", caption)
    if steps:
        for step in range(int(timeline.length) + 1):
            d.line(LEFT + step * scale, TOP - 4, LEFT + step * scale, height - 12, "axis")
            if step < timeline.length:
                d.text(LEFT + (step + 0.5) * scale, TOP - 8, "small mid", step + 1)
    else:
        d.text(LEFT, TOP - 8, "small", "0")
        d.text(LEFT + WIDE - 40, TOP - 8, "small", f"{timeline.length:.2f} ms")
    for stream in range(streams):
        d.text(16, TOP + stream * HIGH + 20, "", f"stream {stream}")
    for operation in timeline.operations:
        box(d, operation, scale)
    return d


def box(d: Drawing, operation: Operation, scale: float) -> None:
    """An operation; its name only if it fits."""
    x, y = LEFT + float(operation.begin) * scale, TOP + operation.stream * HIGH
    width = (float(operation.end) - float(operation.begin)) * scale
    d.rect(x + 1, y + 3, width - 2 if width > 3 else 1, HIGH - 8, operation.kind, corner=3)
    if width > 30:
        d.text(x + width / 2, y + 20, d.on(operation.kind, "mid"), f"{operation.kind} {operation.chunk}")


def main(arguments: list[str]) -> int:
    """Reads stdin and prints the SVG."""
    if arguments:
        raise Failure("usage: python3 tools/workbook timeline <order.txt >order.svg")
    sys.stdout.write(str(draw(sys.stdin.read())))
    return 0
