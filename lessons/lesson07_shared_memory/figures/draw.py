"""The page's figures. The speeds are those of the record."""
from workbook import records
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+bold+mid+end grid+line line1+line2+line6+line7 mark1+mark2+mark6+mark7",
    grid="stroke: #dcdcdc;",
    line="fill: none; stroke: #1a1a1a; stroke-width: 2;",
    line1="stroke-dasharray: 2 4;",
    line2="stroke-dasharray: 8 4;",
    line6="stroke: #1f5fa8; stroke-width: 3;",
    line7="",
    mark1="fill: #ffffff; stroke: #1a1a1a;",
    mark2="fill: #ffffff; stroke: #1a1a1a;",
    mark6="fill: #1f5fa8; stroke: #1a1a1a;",
    mark7="fill: #ffffff; stroke: #1a1a1a; stroke-width: 2;",
)


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson07 SEED=1", "GB/s")
    rungs = [Rung(name, rate, rates["copy kernel"]) for name, rate in rates.items() if "_kernel" in name]
    return draw_ladder("A stencil of radius 16 over 2^26 floats", record.note, "GB/s", "a copy kernel", rungs)


RADII = [4, 8, 16, 32, 64]
VERSIONS = {1: "neither", 2: "tile", 6: "tile, registers", 7: "registers"}


def percents(record: records.Record) -> dict[int, list[float]]:
    """How close each version comes to a copy, in percent, by radius."""
    found: dict[int, list[float]] = {version: [] for version in VERSIONS}
    for radius in RADII:
        of_copy = record.numbers("lesson07 SEED=1" if radius == 16 else f"radius{radius}", "% of copy")
        for version in VERSIONS:
            found[version].append(of_copy[f"stencil_kernel{version}"])
    return found


def x(k: int) -> float:
    """x of the k-th radius."""
    return 200 + 110 * k


def y(percent: float) -> float:
    return 330 - 2.5 * percent


def mark(d: Drawing, version: int, at_x: float, at_y: float) -> None:
    if version == 7:
        d.rect(at_x - 5, at_y - 5, 10, 10, "mark7")
    else:
        d.circle(at_x, at_y, 5, f"mark{version}")


@figure
def radius() -> Drawing:
    """How close to a copy four versions come, by radius."""
    record = records.beside(__file__)
    found = percents(record)
    said = record.note + "."
    for version, row in found.items():
        each = [f" {of_copy:.0f} % for radius {r}" for r, of_copy in zip(RADII, row)]
        said += f" stencil_kernel{version}:{','.join(each)}."
    d = Drawing(820, 400, "Percent of a copy, by radius", said, STYLE)
    d.text(24, 32, "bold", "Percent of the speed of a copy, by radius")
    d.text(24, 52, "small", record.note)
    for percent in range(0, 101, 25):
        d.line(x(0) - 30, y(percent), x(4) + 10, y(percent), "grid")
        d.text(x(0) - 40, y(percent) + 4, "small end", percent)
    for k, r in enumerate(RADII):
        d.text(x(k), y(0) + 22, "small mid", r)
    d.text(x(2), y(0) + 46, "small mid", "radius")
    for version, row in found.items():
        points = [(x(k), y(of_copy)) for k, of_copy in enumerate(row)]
        d.polyline(points, f"line line{version}")
        for point in points:
            mark(d, version, *point)
    for k, (version, words) in enumerate(reversed(VERSIONS.items())):
        key = 214 - 26 * k
        d.line(666, key, 706, key, f"line line{version}")
        mark(d, version, 686, key)
        d.text(714, key + 5, "small", f"{version}: {words}")
    return d
