"""The page's figures. The sums in the ring's cells are added up here, step by step; `race` shows the record."""
import re
from math import log2
from typing import NamedTuple

from workbook import records
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid end light on on2 cell link")


class Sum(NamedTuple):
    """Of how many devices a chunk is the sum, from which on; and whether it came in this step."""

    first: int
    size: int
    moved: bool = False


def ring_row(d: Drawing, y: float, name: str, sums: list[list[Sum]]) -> None:
    """What the four chunks of each device are."""
    for device, chunks in enumerate(sums):
        for k, (first, count, moved) in enumerate(chunks):
            last = (first + count - 1) % 4
            words = "all" if count == 4 else str(device) if count == 1 else f"{first}-{last}"
            d.cell(90 + 190 * device + 42 * k, y, 42, "on" if count == 4 else "on2" if moved else "cell", words)
    d.text(76, y + 16, "small end", name)


@figure
def ring() -> Drawing:
    d = Drawing(
        870, 440, "A ring of four devices",
        "Four devices with four chunks each. In steps 1 to 3 each device adds a chunk of the device before it to "
        "its own; then each has one chunk with all four. In steps 4 to 6 the finished chunks go round.",
        STYLE,
    )
    d.text(24, 28, "bold", "Reduce-scatter (steps 1 to 3), then all-gather (4 to 6)")
    for device in range(4):
        d.text(174 + 190 * device, 56, "mid bold", f"device {device}")
    sums = [[Sum(device, 1)] * 4 for device in range(4)]
    ring_row(d, 66, "before", sums)
    for step in range(1, 7):
        y = 66 + 52 * step
        before = sums
        sums = [[Sum(own.first, own.size) for own in chunks] for chunks in before]
        for device in range(4):
            source = (device + 3) % 4
            chunk = (source - step + 9) % 4
            first, count, _ = before[source][chunk]
            sums[device][chunk] = Sum(first, count + 1 if step <= 3 else count, moved=True)
            if device > 0:
                d.arrow(111 + 190 * source + 42 * chunk, y - 28, 106 + 190 * device + 42 * chunk, y - 2)
        ring_row(d, y, f"step {step}", sums)
    d.text(
        24, 430, "small",
        "2-0 is the sum of devices 2, 3 and 0. Light: what came in this step (to device 0 from device 3). Dark: "
        "complete.",
    )
    return d


def arrays(d: Drawing, y: float, name: str, steps: str, device0: float, others: float) -> None:
    """What comes in through the link of a device, in arrays, for 4 devices."""
    d.text(24, y + 16, "mono", name)
    d.text(170, y + 16, "small", steps)
    if device0 == others:
        d.rect(330, y, 120 * others, 24, "on2")
    else:
        d.rect(330, y, 120 * device0, 12, "on")
        d.rect(330, y + 12, 120 * others, 12, "on2")
    words = f"{others:g}" if device0 == others else f"{device0:g} (device 0), {others:g}"
    d.text(340 + 120 * max(device0, others), y + 16, "small", words)


@figure
def shots() -> Drawing:
    d = Drawing(
        870, 306, "Traffic received over a link",
        "Arrays received over the link of a device, and steps one after the other, for four devices. Gather: "
        "3 arrays to device 0, 1 to the others, 4 steps or more. Ring: 1.5, 6 steps. Tree: 2 to device 0, at most 2 "
        "to others, 4 steps. One shot: 3 arrays, 1 step. Two shots: 1.5 arrays, 2 steps.",
        STYLE,
    )
    d.text(24, 28, "bold", "Arrays received over the link of a device; four devices")
    d.text(170, 52, "small", "one after the other")
    arrays(d, 64, "gather1", "4 steps", 3, 1)
    arrays(d, 108, "ring2", "6 steps", 1.5, 1.5)
    arrays(d, 152, "tree3", "4 steps", 2, 1)
    arrays(d, 196, "oneshot 4 to 6", "1 step", 3, 3)
    arrays(d, 240, "twoshot 7", "2 steps", 1.5, 1.5)
    d.text(
        24, 292, "small",
        "With tree3, device 2 has two arrays coming in as well: one to be added, one with the sums.",
    )
    return d


VERSIONS = ["oneshot_kernel4", "oneshot_kernel5", "oneshot_kernel6", "twoshot_kernel7"]
COLOURS = ["#8a8a8a", "#1f7a5a", "#b04a00", "#1f5fa8"]
RACE = Style(
    "small+bold+mid+end scale+even v4 v5 v6 v7 d4 d5 d6 d7",
    scale="stroke: #e4e4e4;",
    even="stroke: #1a1a1a; stroke-dasharray: 5 4;",
    **{f"v{v}": f"fill: none; stroke: {colour}; stroke-width: 2;" for v, colour in enumerate(COLOURS, 4)},
    **{f"d{v}": f"fill: {colour};" for v, colour in enumerate(COLOURS, 4)},
)


def read_race(record: records.Record) -> dict[int, dict[str, float]]:
    """NCCL's time over each version's when launched, with two GPUs, by bytes and version."""
    ratios: dict[int, dict[str, float]] = {}
    for section in record.sections():
        words = re.fullmatch(r"race 2 GPUs (\d+) bytes", section)
        if words:
            faster = record.numbers(section, "NCCL's time / its, launched")
            ratios[int(words[1])] = {version: faster[version] for version in VERSIONS if version in faster}
    return ratios


def across(size: int) -> float:
    return 80 + (log2(size) - 10) * 36


def up(ratio: float) -> float:
    return 380 - ratio * 140


def with_unit(size: int) -> str:
    shift, unit = next((shift, unit) for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")) if size >> shift)
    return f"{size / 2**shift:g} {unit}"


@figure
def race() -> Drawing:
    """How many times as fast as NCCL versions 4 to 7 are when launched, for each size."""
    record = records.beside(__file__)
    ratios = read_race(record)
    d = Drawing(
        960, 440, "How many times as fast as NCCL",
        "A line for each of versions 4 to 7 over the sizes from 1 KiB to 1 GiB, launched, on 2 GPUs. The "
        "numbers are those of the table.",
        RACE,
    )
    d.text(24, 28, "bold", "How many times as fast as NCCL, launched; 2 GPUs, NCCL_NVLS_ENABLE=0")
    for ratio in (0, 0.5, 1, 1.5, 2):
        d.line(80, up(ratio), 800, up(ratio), "even" if ratio == 1 else "scale")
        d.text(70, up(ratio) + 4, "small end", f"{ratio:.1f}")
    for size in list(ratios)[::5]:
        d.line(across(size), up(2.3), across(size), up(0), "scale")
        d.text(across(size), 400, "small mid", with_unit(size))
    d.text(440, 426, "small mid", f"on each GPU; {record.note}")
    d.text(812, up(1) + 4, "small", "as fast as NCCL")
    for k, version in enumerate(VERSIONS):
        points = [(across(size), up(row[version])) for size, row in ratios.items() if version in row]
        for x, y in points:
            d.circle(x, y, 3.5, f"d{k + 4}")
        d.polyline(points, f"v{k + 4}")
        d.line(812, 60 + 22 * k, 836, 60 + 22 * k, f"v{k + 4}")
        d.text(842, 64 + 22 * k, "small", version)
    return d
