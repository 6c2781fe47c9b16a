"""The page's figures. What the cells say is computed here, as the lanes do."""

from workbook import records
from workbook.charts import Limit, Rung, ladder as draw_ladder
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small tiny mono bold mid end light on on2 cell useless link", useless="fill: #e4e4e4; stroke: #8a8a8a;")


def span(first: int, last: int) -> str:
    """Whose elements a lane has: 2-5, or 2."""
    return str(first) if first == last else f"{first}-{last}"


def lanes(d: Drawing, x: float, title: str) -> None:
    """What eight lanes have before the first step."""
    d.text(x, 62, "bold", title)
    for lane in range(8):
        d.text(x + 34 * lane + 17, 80, "tiny mid", lane)
        d.cell(x + 34 * lane, 86, 34, "cell", lane)


def exchange(d: Drawing, x: float, k: int, step: int, partners: list[int]) -> float:
    """The arrows of step k, from the lane that each lane gets something from (-1: none). Returns the cells' y."""
    y = 86 + 72 * k
    for lane, other in enumerate(partners):
        if other >= 0:
            d.arrow(x + 34 * other + 17, y - 48, x + 34 * lane + 17, y - 2)
    d.text(x - 8, y + 16, "small end", step)
    return y


def every(lane: int, k: int) -> str:
    """Down and xor: after step k a lane has every 8 / 2^k-th element."""
    return "0-7" if k == 3 else "".join(map(str, range(lane % 2 ** (3 - k), 8, 2 ** (3 - k))))


def shuffle_down(d: Drawing, x: float) -> None:
    lanes(d, x, "shuffle down: lane 0 has the sum")
    for k, step in enumerate((4, 2, 1), 1):
        y = exchange(d, x, k, step, [lane + step if lane < step else -1 for lane in range(8)])
        for lane in range(8):
            look = "useless" if lane >= step else "on" if k == 3 else "on2"
            d.cell(x + 34 * lane, y, 34, look, every(lane, k) if lane < step else "")


def shuffle_xor(d: Drawing, x: float) -> None:
    lanes(d, x, "shuffle xor: all lanes have it")
    for k, step in enumerate((4, 2, 1), 1):
        y = exchange(d, x, k, step, [lane ^ step for lane in range(8)])
        for lane in range(8):
            d.cell(x + 34 * lane, y, 34, "on" if k == 3 else "on2", every(lane, k))


def shuffle_up(d: Drawing, x: float) -> None:
    lanes(d, x, "shuffle up: each lane has its own")
    for k, step in enumerate((1, 2, 4), 1):
        y = exchange(d, x, k, step, [lane - step for lane in range(8)])
        for lane in range(8):
            first = max(0, lane + 1 - 2 * step)
            d.cell(x + 34 * lane, y, 34, "on" if first == 0 else "on2", span(first, lane))


@figure
def trees() -> Drawing:
    d = Drawing(
        958, 372, "A sum and a scan in three steps of eight lanes",
        "Three panels; rows are steps, cells list the elements that a lane has added up. Shuffle down: in the step "
        "of 4 "
        "lanes 0 to 3 get the value of the lane four further on, then lanes 0 and 1 that of the lane two further "
        "on, then lane 0 that of lane 1; lane 0 has the sum of all, the other lanes nothing useful. Shuffle xor: in "
        "each step two lanes exchange, four, two and one apart; after three steps all lanes have the sum of all. "
        "Shuffle up: in the steps of 1, 2 and 4 a lane adds what the lane before it has; after three steps lane k "
        "has the sum of 0 to k.",
        STYLE,
    )
    d.text(
        24, 32, "",
        "Eight lanes are drawn; a warp has 32 and takes five steps. A cell lists the elements that its lane has "
        "added up.",
    )
    shuffle_down(d, 40)
    shuffle_xor(d, 356)
    shuffle_up(d, 672)
    d.text(40, 352, "small", "The numbers at the left are the steps. Dark: done. Grey: a sum that is not used.")
    return d


@figure
def segments() -> Drawing:
    d = Drawing(
        800, 322, "Runs and groups",
        "Twelve lanes with the keys A A B B B A C C C C A A. Heads: lanes 0, 2, 5, 6 and 10, a bit of a word each. "
        "First lane of the run: 0 0 2 2 2 5 6 6 6 6 10 10. The sums of runs count from there on. Groups: lanes 0, "
        "1, 5, 10 and 11 have the same mask, those of key A; lanes 2, 3 and 4 that of B; lanes 6 to 9 that of C.",
        STYLE,
    )
    keys = "AABBBACCCCAA"
    d.text(24, 32, "", "Twelve lanes are drawn.")
    for k, name in enumerate(["key", "head of a run: ballot", "first lane of my run", "lanes that I add up"]):
        d.text(230, 92 + 40 * k, "small end", name)
    d.text(230, 252, "small end", "lanes with my key: match")
    d.text(230, 268, "tiny end", "lane 0 is the leftmost bit here")
    first = 0
    for lane, key in enumerate(keys):
        x = 240 + 44 * lane
        head = lane == 0 or key != keys[lane - 1]
        first = lane if head else first
        d.text(x + 22, 66, "tiny mid", f"lane {lane}")
        d.cell(x, 76, 44, {"A": "on2", "B": "cell", "C": "useless"}[key], key)
        d.cell(x, 116, 44, "on" if head else "cell", int(head))
        d.cell(x, 156, 44, "cell", first)
        d.cell(x, 196, 44, "cell", span(first, lane))
    masks(d, keys)
    return d


def masks(d: Drawing, keys: str) -> None:
    """A word for each key, with a bit for each lane that has it."""
    for group, key in enumerate("ABC"):
        d.text(248, 252 + 24 * group, "mono", key)
        for lane, its in enumerate(keys):
            d.named(240 + 44 * lane, 238 + 24 * group, 44, 20, "on" if its == key else "cell", int(its == key), "mono")
    for group, key in enumerate("ABC"):
        d.text(778, 253 + 24 * group, "mono", key)


@figure
def queue() -> Drawing:
    d = Drawing(
        800, 360, "Places in a queue",
        "Three warps of eight lanes. Lanes that need a slot: 1 0 1 1 0 0 1 0, 0 0 1 0 0 0 0 0 and 1 1 0 1 1 0 1 0. "
        "Ranks of those lanes within their warp: 0 1 2 3, 0, and 0 1 2 3 4. Numbers of the warps: 4, 1, 5, in "
        "shared memory. Scanned: 0, 4, 5, total 10. The block takes 10 slots from the counter, which was 70: "
        "slots 70 to 73, 74, and 75 to 79.",
        STYLE,
    )
    d.text(24, 32, "", "Three warps of eight lanes are drawn.")
    names = ["needs a slot: ballot", "1s before my bit", "the warp: __popc(word)", "before this warp: scan"]
    for k, name in enumerate(names + ["the block: one atomicAdd", "slot"]):
        d.text(206, 98 + 46 * k, "small end", name)
    places: list[str] = []
    start = 0
    for warp, wanting in enumerate(["10110010", "00100000", "11011010"]):
        left = 216 + 192 * warp
        d.text(left + 88, 66, "tiny mid", f"warp {warp}")
        for lane, bit in enumerate(wanting):
            wants, rank = bit == "1", wanting[:lane].count("1")
            d.cell(left + 22 * lane, 82, 22, "on2" if wants else "cell", bit)
            d.cell(left + 22 * lane, 128, 22, "on2" if wants else "cell", rank if wants else "")
            places.append(str(70 + start + rank) if wants else "")
        d.cell(left, 174, 176, "on2", wanting.count("1"))
        d.cell(left, 220, 176, "on2", start)
        start += wanting.count("1")
    d.cell(216, 266, 560, "on", "10 slots, from 70 on")
    for k, place in enumerate(places):
        d.cell(216 + 192 * (k // 8) + 22 * (k % 8), 312, 22, "on" if place else "cell", place)
    return d


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson06 SEED=1", "GB/s")
    atomics = {9: "each element", 10: "each warp", 11: "each block", 12: "4096 elements"}
    rungs = [Rung(f"{k} {words}", rates[f"keep_kernel{k}"], rates["CUB"]) for k, words in atomics.items()]
    title = "2^26 elements, half of them put into a queue: bytes moved per second, with one atomic for ..."
    peer = "CUB DeviceSelect, which keeps the order"
    return draw_ladder(title, record.note, "GB/s", peer, rungs, Limit(4800, "data sheet"))
