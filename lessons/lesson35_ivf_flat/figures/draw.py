"""The page's figures. Positions come from a small generator, lists and sorting are computed; `recall` is recorded."""
from collections.abc import Iterator
from math import log

from workbook import records
from workbook.drawing import Drawing, Point, Style, figure

STYLE = Style(
    "small bold mid end light mono on on2 cell off link dot spot near",
    dot="fill: #b4b4b4;",
    spot="fill: #1f5fa8;",
    near="stroke: #c04a1a; stroke-width: 1.6; fill: none;",
)
CENTROIDS: list[Point] = [(90, 95), (330, 85), (215, 160), (95, 250), (330, 225), (205, 300)]
QUERY: Point = (196, 196)


def chances(seed: int) -> Iterator[float]:
    """Numbers between 0 and 1."""
    while True:
        seed = seed * 16807 % 2147483647
        yield seed / 2147483647


def nearest(point: Point) -> list[int]:
    """The centroids, the nearest to the point first."""
    return sorted(range(6), key=lambda c: (point[0] - CENTROIDS[c][0]) ** 2 + (point[1] - CENTROIDS[c][1]) ** 2)


def scattered() -> list[Point]:
    """Vectors around the centroids."""
    chance, points = chances(35), []
    for _ in range(130):
        x, y = CENTROIDS[int(next(chance) * 6)]
        x += (next(chance) + next(chance) + next(chance) - 1.5) * 110
        y += (next(chance) + next(chance) + next(chance) - 1.5) * 90
        if 24 <= x <= 400 and 48 <= y <= 334:
            points.append((x, y))
    return points


@figure
def index() -> Drawing:
    d = Drawing(
        860, 350, "An index of six lists",
        "On the left vectors as points in a plane, six centroids among them, and a query with lines to its two "
        "nearest centroids. On the right the six lists, each with a box for a vector. Only the two lists of these "
        "centroids are read.",
        STYLE,
    )
    read = nearest(QUERY)[:2]
    points = scattered()
    lists = [nearest(point)[0] for point in points]
    d.text(212, 30, "mid bold", "vectors, centroids, and a query")
    for point, its in zip(points, lists):
        d.circle(*point, 3, "spot" if its in read else "dot")
    for c in read:
        d.line(*QUERY, *CENTROIDS[c], "near")
    for c, (x, y) in enumerate(CENTROIDS):
        d.rect(x - 8, y - 8, 16, 16, "cell")
        d.text(x, y + 5, "mid small bold", c)
    d.circle(*QUERY, 7, "near")
    d.text(QUERY[0] - 14, QUERY[1] + 5, "end small bold", "query")
    d.text(640, 30, "mid bold", "the lists: two of six are read")
    for c in range(6):
        y = 60 + 46 * c
        d.text(446, y + 17, "small", f"list {c}")
        for i in range(lists.count(c)):
            d.rect(490 + 10 * i, y, 8, 24, "on" if c in read else "off")
    reached = sum(c in read for c in lists)
    d.text(640, 336, "mid small", f"{reached} of {len(lists)} vectors: {100 * reached / len(lists):.0f} %")
    return d


def unit(d: Drawing, place: int, y: float, vector: int, number: int) -> None:
    """A unit of a vector, at a place in memory; the first units are dark."""
    x = 20 + 205 * (place // 4) + 48 * (place % 4)
    d.named(x, y, 46, 40, "cell" if number else "on", f"v{vector}.{number}", "mono", drop=5)


@figure
def groups() -> Drawing:
    d = Drawing(
        860, 330, "Rows and groups",
        "Above: vectors in rows, one after the other. The first units of neighbouring vectors are 512 bytes apart. "
        "Below: a group: the first units of all vectors lie side by side, then the second ones.",
        STYLE,
    )
    d.text(20, 30, "bold", "rows (version 3): concurrent loads of a warp's lanes are 512 bytes apart")
    for place in range(16):
        unit(d, place, 46, place // 4, place % 4)
    d.text(
        20, 110, "small",
        "four vectors of four units. With 128 floats a vector has 32 units: a request touches 32 sectors for 32 "
        "numbers.",
    )
    d.text(20, 166, "bold", "a group (version 4): unit 0 of all vectors, then unit 1 of all vectors, ...")
    for place in range(16):
        unit(d, place, 182, place % 4, place // 4)
    d.text(
        20, 246, "small",
        "A unit is 16 bytes: 4 floats, or 8 halves. A group has 32 vectors, so a request is one piece of "
        "512 bytes: 16 sectors, all of it used.",
    )
    d.text(
        20, 286, "small",
        "index of unit u of slot s:   rows: s * units + u      groups: (s / 32 * units + u) * 32 + s % 32",
    )
    d.text(
        20, 308, "small",
        "A list begins at a multiple of 32. Behind its end there are slots of zeros, up to the next multiple.",
    )
    return d


NONE = 999  # a lane without a key


def lanes(d: Drawing, y: float, name: str, keys: list[int], marked: list[bool]) -> None:
    """What eight lanes have."""
    d.text(20, y + 16, "small", name)
    for lane, (key, mark) in enumerate(zip(keys, marked)):
        d.cell(330 + 62 * lane, y, 58, "on" if mark else "off" if key == NONE else "cell", "-" if key == NONE else key)


@figure
def queue() -> Drawing:
    d = Drawing(
        860, 392, "The warp: what is kept, what waits",
        "Eight lanes. The keys that are kept are sorted. Candidates below the threshold wait. When a lane gets a "
        "second one, what waits is sorted, turned round and merged with what is kept, and the threshold falls.",
        STYLE,
    )
    kept, first, second = [1, 3, 4, 6, 9, 12, 15, 20], [14, 5, 30, 18, 13, 25, 11, 40], [22, 8, 17, 2, 35, 19, 28, 16]
    nothing, last, threshold = [False] * 8, [lane == 5 for lane in range(8)], kept[5]
    for lane in range(8):
        d.text(359 + 62 * lane, 26, "mid small", f"lane {lane}")
    lanes(d, 36, f"kept; k = 6, so the threshold is {threshold}", kept, last)
    low = [key < threshold for key in first]
    waiting = [key if key < threshold else NONE for key in first]
    lanes(d, 76, "the lanes’ next keys: which are below?", first, low)
    lanes(d, 116, "they wait", waiting, low)
    lanes(d, 156, "the next ones: lane 1 has no room, so merge", second, [key < threshold for key in second])
    waiting.sort()
    lanes(d, 206, "1. what waits, sorted", waiting, nothing)
    waiting.reverse()
    lanes(d, 238, "2. turned round", waiting, nothing)
    taken = [new < old for new, old in zip(waiting, kept)]
    kept = [min(pair) for pair in zip(waiting, kept)]
    lanes(d, 270, "3. the smaller one of it and what was kept", kept, taken)
    kept.sort()
    threshold = kept[5]
    lanes(d, 302, f"4. finished: kept; the threshold is now {threshold}", kept, last)
    waiting = [key if key < threshold else NONE for key in second]
    lanes(d, 342, "now these wait", waiting, [key != NONE for key in waiting])
    return d


RECALL = Style(
    "small bold mid end grid ours faiss even limit",
    grid="stroke: #dddddd; stroke-width: 1;",
    limit="stroke: #c04a1a; stroke-width: 1.2; stroke-dasharray: 4 3;",
    ours="stroke: #1f5fa8; stroke-width: 2.2; fill: none;",
    faiss="stroke: #1a1a1a; stroke-width: 1.2; stroke-dasharray: 6 4; fill: none;",
    even="stroke: #8a8a8a; stroke-width: 2.2; fill: none;",
)


def across(percent: float) -> float:
    """x of the share of the vectors that is read."""
    return 90 + 640 * log(percent / 0.05) / log(2000)


def up(recall_at_10: float) -> float:
    return 300 - 250 * recall_at_10


def curve(record: records.Record, kind: str, whose: str) -> list[Point]:
    """The points of a curve: a row for each number of probes."""
    section = f"recall {kind} SEED=1 {whose}"
    read, found = (record.numbers(section, column) for column in ("% read", "recall@10"))
    return [(across(read[probes]), up(found[probes])) for probes in read]


@figure
def recall() -> Drawing:
    """Recall against what is read."""
    record = records.beside(__file__)
    number = record.numbers("recall", "number")
    d = Drawing(
        860, 350, "Recall against what is read",
        "Two curves rise with the share of the vectors that is read, from 0.1 to 100 percent. That of clustered "
        "vectors is above 0.95 before 5 percent; that of uniform vectors rises late. A line for faiss-cpu lies on "
        "ours.",
        RECALL,
    )
    for percent in (0.1, 1, 5, 10, 100):
        d.line(across(percent), 50, across(percent), 300, "limit" if percent == 5 else "grid")
        d.text(across(percent), 318, "mid small", f"{percent:g} %")
    for tick in (0, 0.25, 0.5, 0.75, 0.95, 1):
        d.line(90, up(tick), 730, up(tick), "limit" if tick == 0.95 else "grid")
        d.text(82, up(tick) + (8 if tick == 0.95 else 4), "end small", f"{tick:g}")
    d.text(410, 338, "mid small", "vectors that are read")
    d.text(90, 34, "bold", f"recall@10, {number['vectors']:.0f} vectors of 128 numbers, {number['lists']:.0f} lists")
    d.polyline(curve(record, "uniform", "ours"), "even")
    d.polyline(curve(record, "clustered", "ours"), "ours")
    d.polyline(curve(record, "clustered", "faiss"), "faiss")
    d.polyline(curve(record, "uniform", "faiss"), "faiss")
    named = {"ours": "clustered", "even": "uniform", "faiss": "faiss-cpu, the same vectors"}
    for k, (look, words) in enumerate(named.items()):
        d.line(520, 214 + 22 * k, 560, 214 + 22 * k, look)
        d.text(568, 218 + 22 * k, "small", words)
    return d
