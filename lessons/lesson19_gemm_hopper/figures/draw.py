"""The page's figures. Nothing of them is measured."""

from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small+tiny+bold+mid+end+light r0+r1+r2+r3 box+grey+on link",
    r0="fill: #1f5fa8; stroke: #ffffff;",
    r1="fill: #a9c6e8; stroke: #ffffff;",
    r2="fill: #5b8f5b; stroke: #ffffff;",
    r3="fill: #cfe3c6; stroke: #ffffff;",
    box="fill: #ffffff; stroke: #8a8a8a;",
    grey="fill: #e4e4e4; stroke: #b0b0b0;",
)


@figure
def path() -> Drawing:
    """Lesson 18 above, this lesson below: who moves what."""
    d = Drawing(
        860, 300, "Who moves the numbers, in lesson 18 and on Hopper",
        "Lesson 18: threads copy 16 bytes each by cp.async from global to shared memory, threads fetch fragments "
        "by ldmatrix into registers, and mma.sync takes its operands from registers. Hopper: one thread issues TMA "
        "for a whole tile; wgmma takes A and B from shared memory; only the sums lie in registers.",
        STYLE,
    )
    d.text(24, 30, "bold", "Lesson 18: every number passes through threads")
    d.named(24, 48, 150, 60, "grey", "global memory", drop=5)
    d.named(270, 48, 150, 60, "r1", "shared memory", drop=5)
    d.named(516, 48, 110, 60, "r1", "registers", drop=5)
    d.named(722, 48, 114, 60, "r0", "tensor cores", drop=5)
    step(d, 176, 268, "cp.async", "all threads, 16 B")
    step(d, 422, 514, "ldmatrix", "all warps")
    step(d, 628, 720, "mma.sync", "A, B and sums")
    d.text(24, 172, "bold", "Hopper: threads only synchronize")
    d.named(24, 190, 150, 60, "grey", "global memory", drop=5)
    d.named(270, 190, 150, 60, "r1", "shared memory", drop=5)
    d.named(722, 190, 114, 60, "r0", "tensor cores", drop=5)
    d.named(516, 226, 110, 34, "r1", "registers", drop=5)
    d.arrow(176, 220, 268, 220)
    d.arrow(422, 206, 720, 206)
    d.arrow(720, 242, 628, 242)
    d.arrow(628, 236, 720, 236)
    d.text(222, 208, "tiny mid", "TMA: one thread,")
    d.text(222, 238, "tiny mid", "a tile, swizzled")
    d.text(571, 198, "tiny mid", "wgmma: A and B, by descriptors")
    d.text(674, 258, "tiny mid", "the sums")
    d.text(
        24, 286, "small",
        "TMA and wgmma are asynchronous. mbarriers and wait groups signal their completion.",
    )
    return d


def step(d: Drawing, start: float, end: float, what: str, who: str) -> None:
    """An arrow of lesson 18: what moves the numbers, and who asks for it."""
    d.arrow(start, 78, end, 78)
    d.text((start + end) / 2, 66, "tiny mid", what)
    d.text((start + end) / 2, 96, "tiny mid", who)


@figure
def tile() -> Drawing:
    """A tile of A and one of B in shared memory."""
    d = Drawing(
        940, 400, "Tiles as TMA writes them and wgmma reads them",
        "Left: eight rows of a tile of A. A row is 128 bytes, eight pieces of 16; in row r, piece p is stored at "
        "position p "
        "xor r. The first 16 numbers of K are pieces 0 and 1 of each row. Right: a tile of B, 64 rows of K and 128 "
        "columns, as two boxes of 64 columns, one after the other in memory. The first 16 of K are the first 16 "
        "rows of both boxes.",
        STYLE,
    )
    looks = ["r0", "r0", "r1", "r1", "box", "box", "box", "box"]
    d.text(30, 30, "bold", "A: rows along K, 8 rows are 1024 bytes")
    for row in range(8):
        d.text(60, 76 + row * 24, "tiny end", f"row {row}")
        for piece, look in enumerate(looks):
            d.named(66 + (piece ^ row) * 40, 60 + row * 24, 40, 24, look, piece)
    d.text(66, 52, "tiny", "128 bytes, all 32 banks")
    notes(d, 30, [284, 304, 322, 340, 366, 384], [
        "A cell is a piece: 8 numbers of K, 16 bytes. Place = piece ^ row % 8.",
        "Dark: the first 16 of K. Light: the next 16; their descriptor",
        "begins 32 bytes further. The swizzle is no concern of it:",
        "wgmma does the same exclusive or with the address.",
        "stride: from 8 rows to the next 8, 1024 bytes",
        "leading: not needed, a row of A is 128 bytes",
    ])  # fmt: skip
    d.text(480, 30, "bold", "B: rows along N, so a box has 64 of its columns")
    for box in range(2):
        x = 530 + box * 180
        d.text(x + 75, 52, "tiny mid", f"columns {box * 64} to {box * 64 + 63}")
        for k, look in enumerate(looks):
            d.named(x, 60 + k * 24, 150, 24, look, f"rows {k * 8} to {k * 8 + 7}: 1024 bytes", "tiny")
    notes(d, 480, [284, 304, 366, 384], [
        "A box is 64 rows of K, 8192 bytes; the second box follows the first.",
        "Dark: the first 16 of K, in all boxes. The next 16 begin 2048 bytes further.",
        "stride: from 8 rows to the next 8, 1024 bytes",
        "leading: from one box to the next, 8192 bytes",
    ])  # fmt: skip
    return d


def notes(d: Drawing, x: float, heights: list[int], lines: list[str]) -> None:
    """Small lines of text, one below the other."""
    for y, line in zip(heights, lines):
        d.text(x, y, "small", line)


@figure
def ring() -> Drawing:
    """Three stages over time: a load takes two units, a product one."""
    d = Drawing(
        900, 330, "A ring of three stages with two barriers each, in time",
        "Rows: the producer, three stages, a consumer. A stage is requested, its bytes arrive, then full completes; "
        "the "
        "consumer multiplies; then empty completes, and the producer requests the tile three further.",
        STYLE,
    )
    d.text(20, 62, "bold", "producer")
    d.text(20, 262, "bold", "consumers")
    for stage in range(3):
        d.text(20, 112 + stage * 50, "bold", f"stage {stage}")
    for i in range(7):
        tile_in_time(d, i)
    d.text(
        116, 298, "small",
        "Arrows up: a consumer arrives at `empty`, the producer refills the stage. Arrows down: `full` completes. "
        "Parities of "
        "a stage: 0, 1, 0, 1, ...",
    )
    d.text(
        116, 316, "small",
        "Nobody waits for all threads. As long as loads take less time than two products, the consumers never stop.",
    )
    return d


def tile_in_time(d: Drawing, i: int) -> None:
    """Tile i: asked for, arriving, multiplied."""
    left, unit, y = 116, 84, 92 + i % 3 * 50
    use = 2 + i  # when it is multiplied
    ask = 0 if i < 3 else use - 2  # as soon as tile i - 3, used at use - 3, has released its stage
    come = ask + 2  # its bytes are there
    d.named(left + ask * unit, y, 2 * unit, 30, "r1", f"tile {i} arrives", "tiny", drop=5)
    if use > come:
        d.named(left + come * unit, y, (use - come) * unit, 30, "r3", "full", "tiny", drop=5)
    d.named(left + use * unit, y, unit, 30, "r0", f"multiply {i}", "tiny", drop=5)
    d.named(left + use * unit, 242, unit, 30, "r0", f"tile {i}", "tiny", drop=5)
    d.named(left + (i * 26 if i < 3 else ask * unit), 42, 26, 30, "r2", i, "tiny", drop=5)
    if i >= 3:
        d.arrow(left + ask * unit, y, left + ask * unit + 13, 74)
    d.arrow(left + use * unit, y + 30, left + use * unit + 3, 240)


@figure
def order() -> Drawing:
    """Which tiles run at the same time."""
    d = Drawing(
        900, 300, "Two orders of 96 tiles, and which 24 run at the same time",
        "Left: row by row. The first 24 tiles are two rows of twelve: 2 rows of A and 12 columns of B. Right: in "
        "groups of four rows, down the columns. The first 24 tiles are 4 rows and 6 columns.",
        STYLE,
    )
    d.text(40, 30, "bold", "row by row: 2 rows of A, 12 columns of B")
    d.text(470, 30, "bold", "groups of 4 rows: 4 rows of A, 6 columns of B")
    for row in range(8):
        for column in range(12):
            for x, number in ((40, row * 12 + column), (470, row // 4 * 48 + column * 4 + row % 4)):
                d.named(x + column * 32, 46 + row * 26, 32, 26, "r0" if number < 24 else "box", number, "tiny")
    d.text(
        40, 280, "small",
        "Blue: 24 concurrent blocks. Data that they share is served by the L2 cache: the fewer different "
        "rows and columns, the better.",
    )
    return d


@figure
def overlap() -> Drawing:
    """One multiprocessor, versions 5 and 6."""
    d = Drawing(
        900, 280, "The end of a tile, without and with persistent blocks",
        "Version 5: a block fills its ring, multiplies, stores and ends; then the next block begins with an empty "
        "ring. Version 6: the producer goes on with the next tile, the consumers multiply it, and meanwhile the "
        "tile before is stored.",
        STYLE,
    )
    d.text(24, 30, "bold", "version 5: a block for each tile")
    notes(d, 24, [62, 92], ["loads", "products"])
    for t in range(2):
        x = 110 + t * 380
        d.named(x, 44, 270, 26, "r1", f"tile {t}", drop=5)
        d.named(x + 40, 74, 260, 26, "r0", f"multiply tile {t}", drop=5)
        d.named(x + 300, 74, 80, 26, "r2", f"store {t}", drop=5)
    d.text(24, 142, "bold", "version 6: the block stays")
    notes(d, 24, [174, 204, 234], ["loads", "products", "stores"])
    for t, (x, width) in enumerate([(110, 270), (380, 260), (640, 230)]):
        d.named(x, 156, width, 26, "r1", f"tile {t}", drop=5)
    for t, (x, width) in enumerate([(150, 260), (416, 260), (682, 188)]):
        d.named(x, 186, width, 26, "r0", f"multiply tile {t}", drop=5)
    d.named(440, 216, 80, 26, "r2", "store 0", drop=5)
    d.named(706, 216, 80, 26, "r2", "store 1", drop=5)
    d.text(24, 270, "small", "Not to scale: where K is long, a tile is multiplied far longer than it is stored.")
    return d


@figure
def cluster() -> Drawing:
    """Two blocks, one B."""
    d = Drawing(
        860, 300, "A cluster of two blocks loads B once",
        "Block 0 and block 1 have tiles of C one below the other. Each loads its own tile of A. Block 0 loads "
        "columns 0 to 127 of the tile of B and block 1 columns 128 to 255, and TMA writes each half into both "
        "blocks.",
        STYLE,
    )
    for block, (rows, left, right, producer) in enumerate([("0..", "r2", "r3", 60), ("128..", "r3", "r2", 200)]):
        x = 60 + block * 400
        d.text(x, 32, "bold", f"block {block} of the cluster")
        d.named(x, 180, 110, 60, "r1", f"A, rows {rows}", drop=5)
        d.named(x + 130, 180, 90, 60, left, "B, left", drop=5)
        d.named(x + 220, 180, 90, 60, right, "B, right", drop=5)
        d.named(x + producer, 60, 150, 40, "grey", f"producer {block}", drop=5)
        d.arrow(x + producer + 10, 102, x + 50, 178)
    d.arrow(220, 102, 240, 178)
    d.arrow(262, 102, 586, 178)
    d.arrow(730, 102, 728, 178)
    d.arrow(668, 102, 334, 178)
    d.text(
        60, 264, "small",
        "Dark green: requested by this block. Light green: by the other block. Each `full` expects all 48 KiB, "
        "regardless of the requester.",
    )
    d.text(
        60, 284, "small",
        "Each `empty` counts the consumers of both blocks: what this block writes into the other one, nobody there "
        "may still read.",
    )
    return d
