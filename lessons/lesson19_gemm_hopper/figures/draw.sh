#!/bin/sh
# draw.sh NAME draws a figure of this page: path, tile, ring, order, overlap or cluster. Nothing of it is measured.
set -eu
cd "$(dirname "$0")"

awk -v name="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
  BEGIN {
    classes = "small+tiny+bold+mid+end+light r0+r1+r2+r3 box+grey+on link"
    looks["r0"] = "fill: #1f5fa8; stroke: #ffffff;"
    looks["r1"] = "fill: #a9c6e8; stroke: #ffffff;"
    looks["r2"] = "fill: #5b8f5b; stroke: #ffffff;"
    looks["r3"] = "fill: #cfe3c6; stroke: #ffffff;"
    looks["box"] = "fill: #ffffff; stroke: #8a8a8a;"
    looks["grey"] = "fill: #e4e4e4; stroke: #b0b0b0;"
  }
  function xor(a, b,   bit, result) {
    result = 0
    for (bit = 1; bit < 8; bit *= 2) if (int(a / bit) % 2 != int(b / bit) % 2) result += bit
    return result
  }
  function named(x, y, width, height, class, s) {
    rect(x, y, width, height, class)
    text(x + width / 2, y + height / 2 + 5, class ~ /r0|r2|on/ ? "small mid light" : "small mid", s)
  }

  # Lesson 18 above, this lesson below: who moves what.
  function path() {
    begin(860, 300, "Who moves the numbers, in lesson 18 and on Hopper", "Lesson 18: threads ask for each 16 bytes by cp.async from global to shared memory, threads fetch fragments by ldmatrix into registers, and mma.sync takes its operands from registers. Hopper: one thread asks TMA for a whole tile; wgmma takes A and B from shared memory; only the sums lie in registers.")
    text(24, 30, "bold", "Lesson 18: every number passes through threads")
    named(24, 48, 150, 60, "grey", "global memory"); named(270, 48, 150, 60, "r1", "shared memory")
    named(516, 48, 110, 60, "r1", "registers"); named(722, 48, 114, 60, "r0", "tensor cores")
    arrow(176, 78, 268, 78); arrow(422, 78, 514, 78); arrow(628, 78, 720, 78)
    text(222, 66, "tiny mid", "cp.async"); text(222, 96, "tiny mid", "all threads, 16 B"); text(468, 66, "tiny mid", "ldmatrix"); text(468, 96, "tiny mid", "all warps"); text(674, 66, "tiny mid", "mma.sync"); text(674, 96, "tiny mid", "A, B and sums")
    text(24, 172, "bold", "Hopper: threads only say when")
    named(24, 190, 150, 60, "grey", "global memory"); named(270, 190, 150, 60, "r1", "shared memory")
    named(722, 190, 114, 60, "r0", "tensor cores"); named(516, 226, 110, 34, "r1", "registers")
    arrow(176, 220, 268, 220); arrow(422, 206, 720, 206); arrow(720, 242, 628, 242); arrow(628, 236, 720, 236)
    text(222, 208, "tiny mid", "TMA: one thread,"); text(222, 238, "tiny mid", "a tile, swizzled"); text(571, 198, "tiny mid", "wgmma: A and B, by descriptors"); text(674, 258, "tiny mid", "the sums")
    text(24, 286, "small", "TMA and wgmma work in the background. mbarriers and wait groups say when they have finished.")
  }

  # A tile of A and one of B in shared memory.
  function tile(    r, p, at, k, n, x, y) {
    begin(940, 400, "Tiles as TMA writes them and wgmma reads them", "Left: eight rows of a tile of A. A row is 128 bytes, eight pieces of 16; in row r piece p lies at place p xor r. The first 16 numbers of K are pieces 0 and 1 of each row. Right: a tile of B, 64 rows of K and 128 columns, as two boxes of 64 columns, one behind the other in memory. The first 16 of K are the first 16 rows of both boxes.")
    text(30, 30, "bold", "A: rows along K, 8 rows are 1024 bytes")
    for (r = 0; r < 8; r++) {
      text(60, 76 + r * 24, "tiny end", "row " r)
      for (p = 0; p < 8; p++) {
        at = xor(p, r)
        rect(66 + at * 40, 60 + r * 24, 40, 24, p < 2 ? "r0" : p < 4 ? "r1" : "box")
        text(66 + at * 40 + 20, 76 + r * 24, p < 2 ? "small mid light" : "small mid", p)
      }
    }
    text(66, 52, "tiny", "128 bytes, all 32 banks")
    text(30, 284, "small", "A cell is a piece: 8 numbers of K, 16 bytes. Place = piece ^ row % 8.")
    text(30, 304, "small", "Dark: the first 16 of K. Light: the next 16; their descriptor")
    text(30, 322, "small", "begins 32 bytes further. The swizzle is no concern of it:")
    text(30, 340, "small", "wgmma does the same exclusive or with the address.")
    text(30, 366, "small", "stride: from 8 rows to the next 8, 1024 bytes")
    text(30, 384, "small", "leading: not needed, a row of A is 128 bytes")
    text(480, 30, "bold", "B: rows along N, so a box has 64 of its columns")
    for (n = 0; n < 2; n++) {
      x = 530 + n * 180
      text(x + 75, 52, "tiny mid", "columns " n * 64 " to " n * 64 + 63)
      for (k = 0; k < 8; k++) {
        rect(x, 60 + k * 24, 150, 24, k < 2 ? "r0" : k < 4 ? "r1" : "box")
        text(x + 75, 76 + k * 24, k < 2 ? "tiny mid light" : "tiny mid", "rows " k * 8 " to " k * 8 + 7 ": 1024 bytes")
      }
    }
    text(480, 284, "small", "A box is 64 rows of K, 8192 bytes; the second box lies behind the first.")
    text(480, 304, "small", "Dark: the first 16 of K, in all boxes. The next 16 begin 2048 bytes further.")
    text(480, 366, "small", "stride: from 8 rows to the next 8, 1024 bytes")
    text(480, 384, "small", "leading: from one box to the next, 8192 bytes")
  }

  # The ring in time: three stages, loads take two units, products one.
  function ring(    s, i, x, y, ask, come, use) {
    begin(900, 330, "A ring of three stages with two barriers each, in time", "Rows: the producer, three stages, a consumer. A stage is asked for, its bytes arrive, then full opens; the consumer multiplies; then empty opens, and the producer asks for the tile three further.")
    x0 = 116; u = 84
    text(20, 62, "bold", "producer"); text(20, 262, "bold", "consumers")
    for (s = 0; s < 3; s++) text(20, 112 + s * 50, "bold", "stage " s)
    for (i = 0; i < 7; i++) {
      s = i % 3
      use = 2 + i                           # when tile i is multiplied
      ask = i < 3 ? 0 : use - 2             # one after it was released: i - 3 is used at use - 3, released at use - 2
      come = i < 3 ? 2 : use                # its bytes are there
      y = 92 + s * 50
      if (i >= 3) come = ask + 2
      rect(x0 + ask * u, y, (come - ask) * u, 30, "r1"); text(x0 + (ask + come) / 2 * u, y + 20, "tiny mid", "tile " i " arrives")
      if (use > come) { rect(x0 + come * u, y, (use - come) * u, 30, "r3"); text(x0 + (come + use) / 2 * u, y + 20, "tiny mid", "full") }
      rect(x0 + use * u, y, u, 30, "r0"); text(x0 + (use + 0.5) * u, y + 20, "tiny mid light", "multiply " i)
      rect(x0 + use * u, 242, u, 30, "r0"); text(x0 + (use + 0.5) * u, 262, "tiny mid light", "tile " i)
      if (i < 3) { rect(x0 + i * 26, 42, 26, 30, "r2"); text(x0 + i * 26 + 13, 62, "tiny mid light", i) }
      else { rect(x0 + ask * u, 42, 26, 30, "r2"); text(x0 + ask * u + 13, 62, "tiny mid light", i); arrow(x0 + ask * u, y, x0 + ask * u + 13, 74) }
      arrow(x0 + use * u, y + 30, x0 + use * u + 3, 240)
    }
    text(116, 298, "small", "Arrows up: a consumer arrives at `empty`, the producer asks again. Arrows down: `full` opens. Parities of a stage: 0, 1, 0, 1, ...")
    text(116, 316, "small", "Nobody waits for all threads. As long as loads take less time than two products, the consumers never stop.")
  }

  # Which tiles run at the same time.
  function order(    v, r, c, t, x, y, number) {
    begin(900, 300, "Two orders of 96 tiles, and which 24 run at the same time", "Left: row by row. The first 24 tiles are two rows of twelve: 2 rows of A and 12 columns of B. Right: in groups of four rows, down the columns. The first 24 tiles are 4 rows and 6 columns.")
    split("row by row: 2 rows of A, 12 columns of B|groups of 4 rows: 4 rows of A, 6 columns of B", heading, "|")
    for (v = 0; v < 2; v++) {
      x = 40 + v * 430
      text(x, 30, "bold", heading[v + 1])
      for (r = 0; r < 8; r++)
        for (c = 0; c < 12; c++) {
          number = v ? int(r / 4) * 48 + c * 4 + r % 4 : r * 12 + c
          rect(x + c * 32, 46 + r * 26, 32, 26, number < 24 ? "r0" : "box")
          text(x + c * 32 + 16, 63 + r * 26, number < 24 ? "tiny mid light" : "tiny mid", number)
        }
    }
    text(40, 280, "small", "Blue: 24 blocks at the same time. What they load together comes from the L2 cache: the fewer different rows and columns, the better.")
  }

  # One multiprocessor, versions 5 and 6.
  function overlap(    t, x, y) {
    begin(900, 280, "The end of a tile, without and with persistent blocks", "Version 5: a block fills its ring, multiplies, stores and ends; then the next block begins with an empty ring. Version 6: the producer goes on with the next tile, the consumers multiply it, and meanwhile the tile before is stored.")
    text(24, 30, "bold", "version 5: a block for each tile")
    text(24, 62, "small", "loads"); text(24, 92, "small", "products")
    for (t = 0; t < 2; t++) {
      x = 110 + t * 380
      named(x, 44, 270, 26, "r1", "tile " t); named(x + 40, 74, 260, 26, "r0", "multiply tile " t); named(x + 300, 74, 80, 26, "r2", "store " t)
    }
    text(24, 142, "bold", "version 6: the block stays")
    text(24, 174, "small", "loads"); text(24, 204, "small", "products"); text(24, 234, "small", "stores")
    named(110, 156, 270, 26, "r1", "tile 0"); named(380, 156, 260, 26, "r1", "tile 1"); named(640, 156, 230, 26, "r1", "tile 2")
    named(150, 186, 260, 26, "r0", "multiply tile 0"); named(416, 186, 260, 26, "r0", "multiply tile 1"); named(682, 186, 188, 26, "r0", "multiply tile 2")
    named(440, 216, 80, 26, "r2", "store 0"); named(706, 216, 80, 26, "r2", "store 1")
    text(24, 270, "small", "Not to scale: where K is long, a tile is multiplied far longer than it is stored.")
  }

  # Two blocks, one B.
  function cluster(    b, x) {
    begin(860, 300, "A cluster of two blocks loads B once", "Block 0 and block 1 have tiles of C one below the other. Each loads its own tile of A. Block 0 loads columns 0 to 127 of the tile of B and block 1 columns 128 to 255, and TMA writes each half into both blocks.")
    for (b = 0; b < 2; b++) {
      x = 60 + b * 400
      text(x, 32, "bold", "block " b " of the cluster")
      named(x, 180, 110, 60, "r1", "A, rows " (b ? "128.." : "0.."))
      named(x + 130, 180, 90, 60, b ? "r3" : "r2", "B, left"); named(x + 220, 180, 90, 60, b ? "r2" : "r3", "B, right")
      named(x + (b ? 200 : 60), 60, 150, 40, "grey", "producer " b)
      arrow(x + (b ? 210 : 70), 102, x + 50, 178)
    }
    arrow(220, 102, 240, 178); arrow(262, 102, 586, 178)
    arrow(730, 102, 728, 178); arrow(668, 102, 334, 178)
    text(60, 264, "small", "Dark green: this block asked for it. Light green: the other block did. Each `full` expects all 48 KiB, whoever asked for them.")
    text(60, 284, "small", "Each `empty` counts the consumers of both blocks: what this block writes into the other one, nobody there may still read.")
  }

  BEGIN {
    if (name == "path") path(); else if (name == "tile") tile(); else if (name == "ring") ring(); else if (name == "order") order()
    else if (name == "overlap") overlap(); else if (name == "cluster") cluster()
    else { print "draw.sh: no figure " name >"/dev/stderr"; exit 1 }
    print "</svg>"
  }'
