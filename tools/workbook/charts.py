"""Charts of measurements, as drawings: a ladder of versions, a roofline; their axes, and the colours of bars and points."""
from math import atan2, degrees, exp, floor, isfinite, log, log2, log10
from typing import NamedTuple, Optional

from workbook.drawing import Drawing, Style
from workbook.messages import Failure


class Limit(NamedTuple):
    """An upper bound, and the source of that number."""

    value: float
    source: str


def positive(chart: str, *values: float) -> None:
    """Failure: a value for the chart is not a positive number."""
    for value in values:
        if not (isfinite(value) and value > 0):
            raise Failure(f"{chart}: not a positive number: {value}")


class Rung(NamedTuple):
    """A version of a ladder: its name, its measurement, and the peer's in the same run."""

    name: str
    value: float
    peer: float


LADDER = Style(
    "small bold end mid bar best peer halo limit grid",
    bar="fill: #a9c6e8; stroke: #1a1a1a;",
    best="fill: #1f5fa8; stroke: #1a1a1a;",
    peer="stroke: #1a1a1a; stroke-width: 2; stroke-dasharray: 6 4;",
    halo="stroke: #ffffff; stroke-width: 5;",  # so that the peer's line is also visible on a bar
    limit="stroke: #8a8a8a; stroke-width: 2;",
    grid="stroke: #d8d8d8; stroke-width: 1;",
)
LEFT, SPAN, TOP, ROW = 190, 500, 92, 30  # the chart's left edge, its width, its top, the height of a row


def with_digits(value: float) -> str:
    """A value with as many digits as a reader needs."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def step_for(most: float) -> float:
    """The smallest round step with which at most five ticks reach `most`."""
    power = 10.0 ** floor(log10(most / 5))
    return power * next(factor for factor in (1, 2, 5, 10) if most / 5 <= factor * power)


def ladder(title: str, note: str, unit: str, peer: str, rungs: list[Rung], limit: Optional[Limit] = None) -> Drawing:
    """A lesson's versions as bars, beside their reference: a library or a copy. `note` has the card and the
    day: a value without them means nothing. Failure: a value is not a positive number, or there is no rung."""
    if not rungs:
        raise Failure(f"{title}: no rung")
    for rung in rungs:
        positive(title, rung.value, rung.peer)
    shares = [f"{with_digits(rung.value)} ({100 * rung.value / rung.peer:.0f} %)" for rung in rungs]
    described = [f" {rung.name} {share[:-1]} of {peer})" for rung, share in zip(rungs, shares)]
    bottom = TOP + len(rungs) * ROW
    d = Drawing(820, bottom + 64, title, f"{note}. In {unit}:{','.join(described)}.", LADDER)
    d.text(24, 30, "bold", title)
    d.text(24, 50, "small", note)

    most = max([value for rung in rungs for value in rung[1:]] + ([limit.value] if limit else []))
    axis = Axis(most * 1.02, bottom)
    axis.draw(d, most, unit)
    best = max(rungs, key=lambda rung: rung.value)
    for k, (rung, share) in enumerate(zip(rungs, shares)):
        y = TOP + k * ROW
        d.text(LEFT - 10, y + 18, "end", rung.name)
        d.rect(LEFT, y + 4, axis.at(rung.value) - LEFT, ROW - 8, "best" if rung is best else "bar")
        d.text(LEFT + SPAN + 8, y + 18, "bold" if rung is best else "", share)
        for look in ("halo", "peer"):
            d.line(axis.at(rung.peer), y - 1, axis.at(rung.peer), y + ROW - 1, look)
    first = rungs[0].peer
    d.text(axis.at(first) - 6, TOP - 12, "small end", f"{peer} {with_digits(first)} = 100 %")
    if limit:
        x = axis.at(limit.value)
        d.line(x, TOP - 6, x, bottom, "limit")
        d.text(x - 6, TOP - 26, "small end", f"{limit.source} {with_digits(limit.value)}")
        d.line(x, TOP - 36, x, TOP - 6, "limit")
    return d


class Axis(NamedTuple):
    """The axis of a ladder: the value at its right end, and y of its lower end."""

    scale: float
    bottom: float

    def at(self, value: float) -> float:
        """x of a value."""
        return LEFT + value / self.scale * SPAN

    def draw(self, d: Drawing, most: float, unit: str) -> None:
        """Grid lines up to `most`, with their values."""
        step = step_for(most)
        for k in range(floor(most * 1.001 / step) + 1):
            d.line(self.at(k * step), TOP - 6, self.at(k * step), self.bottom, "grid")
            d.text(self.at(k * step), self.bottom + 18, "small mid", f"{k * step:g}")
        d.text(LEFT + SPAN / 2, self.bottom + 40, "small mid", unit)


class Version(NamedTuple):
    """A point of a roofline. `loaded` counts FLOP per byte requested by the loads, `memory` per byte transferred from
    memory; None omits one. `where`: the position of its name, left, right, above or below."""

    name: str
    loaded: Optional[float]
    memory: Optional[float]
    speed: float  # TFLOP/s
    where: str


ROOFLINE = Style(
    "small bold end mid roof grid apart loaded real halo",
    roof="stroke: #1a1a1a; stroke-width: 2.5; fill: none;",
    grid="stroke: #e2e2e2; stroke-width: 1;",
    apart="stroke: #1f5fa8; stroke-width: 1.5; stroke-dasharray: 3 3;",
    loaded="fill: #ffffff; stroke: #1f5fa8; stroke-width: 2;",
    real="fill: #1f5fa8; stroke: #1f5fa8; stroke-width: 2;",
    halo="paint-order: stroke; stroke: #ffffff; stroke-width: 4;",
)


def short(value: float) -> str:
    """A value of a roofline, with about three digits."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f}"


def power(exponent: int) -> str:
    """A power of two: 8, or 1/8."""
    return str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"


class Plane(NamedTuple):
    """The plane of a roofline: the exponents of two at its edges, and their positions."""

    x0: int
    x1: int
    y0: int
    y1: int
    left: float = 76
    right: float = 790
    top: float = 84
    bottom: float = 470

    def across(self, intensity: float) -> float:
        """x of FLOP per byte."""
        return self.left + (log2(intensity) - self.x0) / (self.x1 - self.x0) * (self.right - self.left)

    def up(self, speed: float) -> float:
        """y of TFLOP/s."""
        return self.bottom - (log2(speed) - self.y0) / (self.y1 - self.y0) * (self.bottom - self.top)

    def grid(self, d: Drawing) -> None:
        """Lines at the powers of two, and the axis labels."""
        for e in range(self.x0, self.x1 + 1):
            x = self.across(2.0**e)
            d.line(x, self.top, x, self.bottom, "grid")
            if e % 2 == 0:
                d.text(x, self.bottom + 18, "small mid", power(e))
        for e in range(self.y0, self.y1 + 1):
            y = self.up(2.0**e)
            d.line(self.left, y, self.right, y, "grid")
            if e % 2 == 0:
                d.text(self.left - 8, y + 4, "small end", power(e))
        d.text((self.left + self.right) / 2, self.bottom + 38, "small mid", "floating-point operations per byte")
        d.turned_text(26, (self.top + self.bottom) / 2, -90, "small mid", "TFLOP/s")

    def roofs(self, d: Drawing, memory: Limit, peak: Limit) -> None:
        """Bandwidth times operations per byte, as far as the peak."""
        per_byte = memory.value / 1000  # TFLOP/s for each FLOP per byte
        ridge = peak.value / per_byte
        start = max(2.0**self.y0 / per_byte, 2.0**self.x0)
        corners = [(start, start * per_byte), (ridge, peak.value)]
        points = [(self.across(x), self.up(y)) for x, y in corners] + [(self.right, self.up(peak.value))]
        d.path(" ".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points)), "roof")
        angle = degrees(atan2(self.up(1) - self.up(2), self.across(2) - self.across(1)))
        middle = exp((2 * log(start) + log(ridge)) / 3)
        x, y = self.across(middle) - 8, self.up(middle * per_byte) - 8
        d.turned_text(x, y, -angle, "small mid halo", f"memory: {short(memory.value)} GB/s, {memory.source}")
        words = f"fp32: {short(peak.value)} TFLOP/s, {peak.source}"
        d.text(self.right - 4, self.up(peak.value) - 8, "small end", words)

    def point(self, d: Drawing, version: Version) -> None:
        """A version: a circle and a dot, with a line between them, and its name."""
        y = self.up(version.speed)
        ends = sorted(value for value in (version.loaded, version.memory) if value is not None)
        first, last = self.across(ends[0]), self.across(ends[-1])
        if ends[0] != ends[-1]:
            d.line(first, y, last, y, "apart")
        for value, look in ((version.loaded, "loaded"), (version.memory, "real")):
            if value is not None:
                d.circle(self.across(value), y, 5, look)
        x, dy, anchor = {
            "left": (first - 10, 4, "end "),
            "right": (last + 10, 4, ""),
            "above": ((first + last) / 2, -10, "mid "),
            "below": ((first + last) / 2, 20, "mid "),
        }[version.where]
        d.text(x, y + dy, f"small {anchor}halo", f"{version.name} {short(version.speed)}")


def described(version: Version) -> str:
    """A version in words."""
    words = f" {version.name}: {short(version.speed)} TFLOP/s"
    if version.loaded is not None:
        words += f", {short(version.loaded)} FLOP per byte loaded"
    if version.memory is not None:
        words += f", {short(version.memory)} per byte of memory"
    return words + "."


def roofline(title: str, note: str, memory: Limit, peak: Limit, versions: list[Version]) -> Drawing:
    """The speed of versions over their floating-point operations per byte. `memory` in GB/s, `peak` in
    TFLOP/s, each with its source. Failure: a value is not a positive number, or a version has no FLOP per byte."""
    positive(title, memory.value, peak.value)
    for version in versions:
        intensities = [value for value in (version.loaded, version.memory) if value is not None]
        positive(f"{title}, {version.name}", version.speed, *intensities)
        if not intensities:
            raise Failure(f"{title}, {version.name}: no FLOP per byte")
    roofs = f"memory {short(memory.value)} GB/s ({memory.source}), "
    roofs += f"arithmetic {short(peak.value)} TFLOP/s ({peak.source})"
    d = Drawing(820, 540, title, f"{note}. Roofs: {roofs}." + "".join(map(described, versions)), ROOFLINE)
    d.text(24, 30, "bold", title)
    d.text(24, 50, "small", note)

    shown = [value for version in versions for value in version[1:3] if isinstance(value, float)]
    least, most = min([1.0] + shown), max([4 * peak.value * 1000 / memory.value] + shown)
    slowest = min(version.speed for version in versions)
    x0, x1, y0, y1 = (floor(log2(value)) for value in (least, most, slowest, peak.value))
    plane = Plane(x0 - 1, x1 + 1, y0 - 1, y1 + 1)
    plane.grid(d)
    plane.roofs(d, memory, peak)
    for version in versions:
        plane.point(d, version)
    d.circle(84, d.height - 18, 5, "loaded")
    d.text(96, d.height - 14, "small", "per byte that the loads request")
    d.circle(300, d.height - 18, 5, "real")
    d.text(312, d.height - 14, "small", "per byte that came from the device's memory (the caches answered the rest)")
    return d
