"""The page's figures. Of `skew` the speeds are those of the record."""

import re

from workbook import records
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+bold+mid+end+light word+strong+soft way",
    word="fill: #ffffff; stroke: #8a8a8a;",
    strong="fill: #1f5fa8; stroke: #1a1a1a;",
    soft="fill: #cfe0f3; stroke: #8a8a8a;",
    way="stroke: #5a5a5a; stroke-width: 1;",
)
SKEW = Style(
    "small+bold+mid+end full+half+empty+cross row+scale",
    full="fill: #1f5fa8;",
    half="fill: #9fc3ea; stroke: #1f5fa8;",
    empty="fill: none; stroke: #1a1a1a; stroke-width: 2;",
    cross="fill: none; stroke: #b04a00; stroke-width: 2;",
    row="stroke: #d8d8d8;",
    scale="stroke: #eeeeee;",
)


@figure
def meetings() -> Drawing:
    d = Drawing(
        980, 260, "Who shares counters with whom",
        "Three pictures of two blocks with two warps each. Version 1: all four warps change one set of 256 counters "
        "in global memory. Versions 2 and 3: the two warps of a block change a set of the block, and at the end "
        "each block adds its set once to the one in global memory. Version 4: each warp has a set of its own.",
        STYLE,
    )
    of_global, of_block, of_warp = [143] * 4, [69, 69, 217, 217], [32, 106, 180, 254]
    counters(d, 24, "version 1: one for all", of_global, [])
    counters(d, 344, "versions 2, 3: one for a block", of_block, [69, 217])
    counters(d, 664, "version 4: one for a warp", of_warp, of_warp)
    return d


def counters(d: Drawing, x: float, heading: str, changed: list[int], copies: list[int]) -> None:
    """Four warps, the counters that each changes, and the copies in shared memory, each by the x of its middle."""
    d.text(x, 30, "bold", heading)
    for warp in range(4):
        d.named(x + warp * 74, 48, 64, 30, "soft" if warp < 2 else "word", f"warp {warp % 2}", drop=5)
    d.text(x + 69, 96, "small mid", "block 0")
    d.text(x + 217, 96, "small mid", "block 1")
    for warp, to in enumerate(changed):
        d.line(x + warp * 74 + 32, 102, x + to, 128 if copies else 206, "way")
    for copy in copies:
        d.named(x + copy - 30, 128, 60, 26, "soft", "shared", drop=5)
        d.line(x + copy, 156, x + 143, 206, "way")
    d.named(x + 83, 206, 120, 28, "strong", "global memory", drop=5)


@figure
def banks() -> Drawing:
    d = Drawing(
        980, 330, "Eight lanes count eight bytes, in a memory of eight banks",
        "The bytes of lanes 0 to 7 are 5 5 13 2 5 21 2 7. With one copy, counter b is in bank b modulo 8: bank 5 "
        "is wanted for the words 5, 13 and 21, which takes three wavefronts; bank 2 for one word, and bank 7 for "
        "one. With a copy for each lane, side by side, the counter of value b for lane k is in bank k: each lane "
        "has a bank of its own, in one wavefront.",
        STYLE,
    )
    values = [5, 5, 13, 2, 5, 21, 2, 7]
    one_copy = [(value % 8, str(value)) for value in values]
    of_lanes = [(lane, f"{value},{lane}") for lane, value in enumerate(values)]
    lanes_and_banks(d, 30, "one copy: bins[b]", values, one_copy)
    d.text(30, 318, "small", "the busiest bank has three words: 3 wavefronts")
    lanes_and_banks(d, 520, "a copy for each lane: bins[b][lane]", values, of_lanes)
    d.text(520, 318, "small", "32 lanes: always 1 wavefront, whatever the bytes are")
    return d


def lanes_and_banks(d: Drawing, x: float, title: str, values: list[int], wanted: list[tuple[int, str]]) -> None:
    """Eight lanes with their values; each wants a word of a bank."""
    d.text(x, 30, "bold", title)
    for lane, (bank, _) in enumerate(wanted):
        middle = x + 50 * lane + 22
        d.text(middle, 58, "small mid", f"lane {lane}")
        d.named(x + 50 * lane, 66, 44, 26, "soft", values[lane], "", drop=5)
        d.line(middle, 94, x + 50 * bank + 22, 158, "way")
        d.text(middle, 296, "small mid", f"bank {lane}")
    for bank in range(8):
        words = list(dict.fromkeys(word for its, word in wanted if its == bank))
        for place in range(3):
            if place < len(words):
                d.named(x + 50 * bank, 160 + 30 * place, 44, 26, "strong", words[place], drop=5)
            else:
                d.rect(x + 50 * bank, 160 + 30 * place, 44, 26, "word")


@figure
def address() -> Drawing:
    d = Drawing(
        980, 250, "The offset of a counter, made of two words by one __byte_perm",
        "Above, the bytes 3 2 1 0 of a word of the input, and the word of the thread, whose bytes 3, 2 and 1 are "
        "zero and whose byte 0 is four times the number of the copy. Below, the offset: two zero bytes, byte 2 of "
        "the input, and byte 0 of the thread. It is 256 times the value plus 4 times the copy.",
        STYLE,
    )
    d.text(40, 34, "bold", "four bytes of the input")
    d.text(520, 34, "bold", "the thread")
    for k, byte in enumerate(["byte 3", "byte 2", "byte 1", "byte 0", "0", "0", "0", "4 · copy"]):
        x = (40 if k < 4 else 520) + k % 4 * 100
        d.named(x, 48, 92, 32, "strong" if k in (1, 7) else "word", byte, "", drop=5)
        d.text(x + 46, 96, "small mid", "32107654"[k])
    d.text(280, 232, "small", "__byte_perm(word, copy, 0x5524): from the right, bytes 4, 2, 5 and 5 of the eight")
    d.text(120, 185, "bold end", "offset")
    for k, byte in enumerate(["0", "0", "byte 2", "4 · copy"]):
        d.named(280 + k * 100, 164, 92, 32, "word" if k < 2 else "strong", byte, "", drop=5)
    for start, end in ((186, 526), (866, 626), (766, 326), (766, 426)):
        d.line(start, 100, end, 162, "way")
    d.text(700, 185, "", "= 256 · value + 4 · copy")
    return d


KINDS = ["uniform", "one value", "Zipf", "sorted"]  # of bytes


def mark(d: Drawing, kind: str, x: float, y: float) -> None:
    """The mark of a kind of bytes."""
    if kind == "uniform":
        d.circle(x, y, 7, "full")
    elif kind == "one value":
        d.rect(x - 6, y - 6, 12, 12, "empty")
    elif kind == "Zipf":
        d.path(f"M {x:.1f} {y - 7:.1f} l 7 12 l -14 0 z", "half")
    else:
        d.path(f"M {x - 6:.1f} {y - 6:.1f} l 12 12 m 0 -12 l -12 12", "cross")


def at(rate: float) -> float:
    """x of a rate in GB/s."""
    return 210 + rate * 0.16


@figure
def skew() -> Drawing:
    """How fast each version is on each kind of bytes."""
    record = records.beside(__file__)
    rates = {kind: record.numbers(f"lesson09 SEED=1 n=268435456 {kind}", "GB/s") for kind in KINDS}
    versions = [name for name in rates["uniform"] if re.match(r"CUB|\(only reading\)|histogram_kernel", name)]
    height = 110 + 34 * len(versions)
    d = Drawing(
        980, height, "How fast each version is, on four kinds of bytes",
        "A row for each version, with a mark for each of the four kinds of bytes along a scale in GB/s. "
        f"{record.note}. The numbers are those of the table.",
        SKEW,
    )
    for k, kind in enumerate(KINDS):
        mark(d, kind, 230 + 150 * k, 26)
        d.text(244 + 150 * k, 31, "small", kind)
    for rate in range(0, 4501, 500):
        d.line(at(rate), 50, at(rate), height - 50, "scale")
        if rate % 1000 == 0:
            d.text(at(rate), height - 30, "small mid", rate)
    d.text(at(2250), height - 10, "small mid", f"GB/s, 2^28 bytes; {record.note}")
    for k, version in enumerate(versions, 1):
        y = 40 + 34 * k
        d.text(195, y + 5, "end" if version.startswith("histogram") else "bold end", version.strip("()"))
        d.line(at(0), y, at(4500), y, "row")
        for kind in KINDS:
            mark(d, kind, at(rates[kind][version]), y)
    return d
