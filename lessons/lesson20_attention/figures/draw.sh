#!/bin/sh
# draw.sh NAME draws a figure of this page: matrices, online, tiles, barriers or turns. Nothing of it is measured.
set -eu
cd "$(dirname "$0")"

awk -v name="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
  BEGIN {
    classes = "small+tiny+mono+bold+mid+end+light cell+off+on+on2 green+pale frame link"
    looks["green"] = "fill: #5b8f5b; stroke: #1a1a1a;"
    looks["pale"] = "fill: #cfe3c6; stroke: #1a1a1a;"
    looks["frame"] = "fill: none; stroke: #1a1a1a; stroke-width: 3;"
  }

  # What attention computes, and how large it is.
  function matrices() {
    begin(820, 324, "What attention computes", "Q has a row of 128 numbers for each query, K and V one for each key. S, the scores, has a number for each query and each key. Softmax makes P of it, row by row. O is P times V: a row of 128 numbers for each query. One row is marked in all of them.")
    rect(150, 34, 190, 34, "on2"); text(245, 56, "small mid", "K transposed: 128 x keys")
    rect(60, 80, 60, 160, "on2"); text(90, 164, "small mid", "Q")
    rect(150, 80, 190, 160, "off"); text(245, 186, "small mid", "S = Q K&#39; / &#8730;128")
    rect(420, 80, 190, 160, "off"); text(515, 186, "small mid", "P")
    rect(690, 80, 60, 160, "on2"); text(720, 164, "small mid", "O")
    rect(60, 110, 60, 10, "on"); rect(150, 110, 190, 10, "on"); rect(420, 110, 190, 10, "on"); rect(690, 110, 60, 10, "on")
    arrow(350, 115, 414, 115); text(382, 102, "small mid", "softmax")
    arrow(620, 115, 684, 115); text(652, 102, "small mid", "times V")
    text(90, 260, "small mid", "queries x 128"); text(245, 260, "small mid", "queries x keys")
    text(515, 260, "small mid", "queries x keys"); text(720, 260, "small mid", "queries x 128")
    text(652, 138, "tiny mid", "keys x 128")
    text(60, 288, "small", "Dark blue: what one query needs and gives. Grey: what must not be stored.")
    text(60, 306, "small", "For 16384 queries and keys a row of Q has 256 bytes, and one of S, in bfloat16, 32 KB.")
  }

  # Scores 1, 3 | 5, 2 with values 10, 20 | 30, 40: what is kept after each tile.
  function column(x, largest, factor, sum, value) {
    cell(x, 96, 110, "cell", largest); cell(x, 132, 110, factor == "" ? "off" : "on", factor)
    cell(x, 168, 110, "cell", sum); cell(x, 204, 110, "cell", value)
  }
  function online(    f1, f2, s1, s2, v1, v2) {
    begin(820, 290, "Online softmax over two tiles, with one column of V", "Scores 1 and 3 with the values 10 and 20 are the first tile, 5 and 2 with 30 and 40 the second. After each tile: the largest score, the factor by which everything before shrinks, the sum of exp, the sum of exp times value. At the end the second sum is divided by the first.")
    s1 = exp(1 - 3) + 1; v1 = exp(1 - 3) * 10 + 20
    f2 = exp(3 - 5); s2 = s1 * f2 + 1 + exp(2 - 5); v2 = v1 * f2 + 30 + exp(2 - 5) * 40
    text(30, 46, "bold", "scores"); text(30, 72, "bold", "values")
    cell(330, 30, 52, "on2", "1"); cell(388, 30, 52, "on2", "3"); cell(330, 58, 52, "pale", "10"); cell(388, 58, 52, "pale", "20")
    cell(520, 30, 52, "on2", "5"); cell(578, 30, 52, "on2", "2"); cell(520, 58, 52, "pale", "30"); cell(578, 58, 52, "pale", "40")
    text(195, 46, "small mid", "before"); text(720, 46, "small mid", "at the end")
    text(30, 112, "bold", "largest"); text(30, 148, "bold", "factor"); text(30, 184, "bold", "sum"); text(30, 220, "bold", "value")
    column(140, "-infinity", "", "0", "0")
    column(330, "3", "0", sprintf("%.3f", s1), sprintf("%.3f", v1))
    column(520, "5", sprintf("%.3f", f2), sprintf("%.3f", s2), sprintf("%.3f", v2))
    arrow(256, 180, 324, 180); arrow(256, 216, 324, 216); arrow(446, 180, 514, 180); arrow(446, 216, 514, 216)
    arrow(636, 216, 660, 216); cell(664, 204, 110, "on2", sprintf("%.3f", v2 / s2)); text(720, 194, "small mid", "value / sum")
    text(30, 258, "small", "The factor is exp(largest before - largest now): exp(-infinity) = 0 and exp(3 - 5) = " sprintf("%.3f", f2) ". Both sums are multiplied by it,")
    text(30, 276, "small", "then the tile is added: exp(5 - 5) = 1 and exp(2 - 5) = " sprintf("%.3f", exp(-3)) " times its values.")
  }

  # Which tiles a block walks over, with a causal mask.
  function tiles(    i, j, x, y) {
    begin(820, 330, "The scores in tiles, with a causal mask", "Six by six tiles, queries down and keys across. Tiles below the diagonal are computed, those on the diagonal are computed and hidden in part, those above are skipped: they are not even loaded. One block has a row of tiles and walks along it.")
    text(188, 30, "small mid", "keys"); text(60, 176, "small end", "queries")
    for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) {
      x = 76 + j * 40; y = 44 + i * 40
      rect(x, y, 38, 38, j < i ? "on2" : j == i ? "on" : "off")
    }
    rect(75, 203, 200, 40, "frame"); arrow(84, 223, 266, 223)
    rect(380, 60, 24, 24, "on2"); text(416, 77, "small", "every query sees every key: no mask")
    rect(380, 100, 24, 24, "on"); text(416, 117, "small", "the diagonal: some queries do not see some keys")
    rect(380, 140, 24, 24, "off"); text(416, 157, "small", "nobody sees anything: not loaded, not computed")
    rect(380, 184, 24, 24, "frame"); text(416, 201, "small", "one block: its queries stay, tiles of K and V pass by")
    text(380, 240, "small", "The blocks at the bottom have most to do. They begin first: one that")
    text(380, 258, "small", "begins last and takes longest would keep everybody waiting.")
    text(76, 306, "small", "Of n x n tiles n (n + 1) / 2 are computed: a little more than half.")
  }

  # Who waits for whom: one ring of three stages for K; V has another.
  function barriers(    k, y) {
    classes = classes " wire" # a line with corners has one head, at its end
    looks["wire"] = "stroke: #1a1a1a; stroke-width: 1.2;"
    begin(820, 290, "Who waits for whom", "A producer thread fills three stages by TMA. The barrier full of a stage counts bytes, and the consumers wait for it. The barrier empty counts the eight warps of the consumers, and the producer waits for it.")
    rect(30, 98, 150, 70, "pale"); text(105, 126, "bold mid", "producer"); text(105, 146, "small mid", "one thread, TMA")
    rect(640, 58, 150, 60, "on2"); text(715, 84, "bold mid", "group 0"); text(715, 104, "small mid", "64 queries")
    rect(640, 148, 150, 60, "on2"); text(715, 174, "bold mid", "group 1"); text(715, 194, "small mid", "64 queries")
    for (k = 0; k < 3; k++) {
      y = 50 + k * 62
      rect(320, y, 180, 42, "cell"); text(410, y + 26, "small mid", "stage " k ": 128 keys")
      arrow(186, 117 + k * 16, 312, y + 21)
      arrow(506, y + 15, 632, 76 + k * 12); arrow(506, y + 27, 632, 166 + k * 12)
    }
    text(240, 64, "small mid", "asks for 32 KB"); text(570, 38, "small mid", "full: the bytes are there")
    line(715, 214, 715, 244, "wire"); line(715, 244, 105, 244, "wire"); line(105, 244, 105, 176, "link")
    text(410, 268, "small mid", "empty: eight warps say that they have read the tile, and the producer may ask for the next one")
  }

  # Products and exponentials over time.
  function bar(x, y, width, class, label) { rect(x, y, width, 28, class); text(x + width / 2, y + 18, class == "on" || class == "green" ? "tiny mid light" : "tiny mid", label) }
  function turns(    k, x) {
    begin(820, 356, "Products and exponentials over time", "Above: a group alone. Its tensor cores wait while it takes exponentials. Below: two groups in turns. While one takes the exponentials of a tile, the products of the other run; a group starts the scores of the next tile together with P times V of the tile before.")
    text(30, 30, "bold", "version 4, one group: one thing after the other")
    for (k = 0; k < 3; k++) {
      x = 130 + k * 220
      bar(x, 44, 60, "on", "QK " k); bar(x + 60, 44, 90, "pale", "exp " k); bar(x + 150, 44, 60, "on", "PV " k)
    }
    text(120, 62, "small end", "group 0")
    text(30, 110, "bold", "version 5: two groups take turns")
    text(120, 142, "small end", "group 0"); text(120, 186, "small end", "group 1"); text(120, 246, "small end", "tensor cores")
    bar(130, 124, 60, "on", "QK 0"); bar(190, 124, 66, "pale", "exp 0")
    bar(190, 168, 60, "green", "QK 0"); bar(250, 168, 126, "pale", "exp 0")
    for (k = 1; k <= 2; k++) {
      x = 256 + (k - 1) * 240
      bar(x, 124, 120, "on", "QK " k ", PV " k - 1); bar(x + 120, 124, 120, "pale", "exp " k)
      bar(x + 120, 168, 120, "green", "QK " k ", PV " k - 1); if (k < 2) bar(x + 240, 168, 120, "pale", "exp " k)
    }
    bar(736, 124, 60, "on", "PV 2"); bar(736, 168, 60, "pale", "exp 2")
    bar(130, 228, 60, "on", "group 0"); bar(190, 228, 60, "green", "group 1")
    for (k = 0; k < 4; k++) bar(256 + k * 120, 228, 120, k % 2 ? "green" : "on", "group " k % 2)
    bar(736, 228, 60, "on", "group 0")
    text(30, 296, "small", "QK: the scores of a tile. exp: mask, largest, powers of two, sums. PV: O += P V. Lengths are not measured.")
    text(30, 316, "small", "Within its own turn, too, a group has something to do: as soon as QK 1 is done it takes exp 1, while PV 0 still runs.")
    text(30, 336, "small", "Then it waits for PV 0, and only then O is rescaled.")
  }

  # The end of some queries and the beginning of the next, over time.
  function places(    k, x) {
    begin(820, 250, "Blocks that go on", "The tiles of one group of consumers in a row: the last two of queries A, then the first two of queries B. The first scores of B start together with the last P times V of A. Meanwhile the first exponentials of B are taken, then O of A is written.")
    text(30, 30, "bold", "version 5: a block ends, and another one begins")
    text(120, 62, "small end", "one group")
    bar(130, 44, 110, "on", "QK 7, PV 6"); bar(240, 44, 90, "pale", "exp 7"); bar(330, 44, 60, "on", "PV 7"); bar(390, 44, 70, "cell", "write O")
    bar(460, 44, 90, "cell", "fetch Q, K"); bar(550, 44, 60, "green", "QK 0"); bar(610, 44, 90, "pale", "exp 0"); bar(700, 44, 100, "green", "QK 1, PV 0")
    text(30, 120, "bold", "version 6: the next queries are one more tile")
    text(120, 152, "small end", "one group")
    bar(130, 134, 110, "on", "QK 7, PV 6"); bar(240, 134, 90, "pale", "exp 7")
    bar(330, 134, 60, "green", "QK 0"); bar(390, 134, 60, "on", "PV 7"); bar(450, 134, 90, "pale", "exp 0"); bar(540, 134, 70, "cell", "write O"); bar(610, 134, 100, "green", "QK 1, PV 0")
    text(30, 206, "small", "Blue: the products of some queries, tiles 6 and 7. Green: those of the next queries, tiles 0 and 1. Lengths are not measured.")
    text(30, 226, "small", "The other group computes in the gaps: while this one takes exponentials and writes O, the tensor cores are not idle.")
  }

  BEGIN {
    if (name == "matrices") matrices(); else if (name == "online") online(); else if (name == "tiles") tiles()
    else if (name == "barriers") barriers(); else if (name == "turns") turns()
    else if (name == "places") places()
    else { print "draw.sh: no figure " name >"/dev/stderr"; exit 1 }
    print "</svg>"
  }'
