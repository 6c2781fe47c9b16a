#!/bin/sh
# draw.sh NAME draws a figure of this page: meetings, banks or address. Nothing of it is measured.
set -eu
cd "$(dirname "$0")"

awk -v name="$1" "$(cat ../../../tools/authoring/drawing.awk)"'
  BEGIN {
    classes = "small+bold+mid+end+light word+strong+soft way"
    looks["word"] = "fill: #ffffff; stroke: #8a8a8a;"
    looks["strong"] = "fill: #1f5fa8; stroke: #1a1a1a;"
    looks["soft"] = "fill: #cfe0f3; stroke: #8a8a8a;"
    looks["way"] = "stroke: #5a5a5a; stroke-width: 1;"
  }

  # Two blocks of two warps; which counters does each warp change?
  function meetings(    v, w, x, copies, c, to) {
    begin(980, 260, "Who shares counters with whom", "Three pictures of two blocks with two warps each. Version 1: all four warps change one set of 256 counters in global memory. Versions 2 and 3: the two warps of a block change a set of the block, and at the end each block adds its set once to the one in global memory. Version 4: each warp has a set of its own.")
    split("version 1: one for all|versions 2, 3: one for a block|version 4: one for a warp", heading, "|")
    for (v = 0; v < 3; v++) {
      x = 24 + v * 320
      text(x, 30, "bold", heading[v + 1])
      for (w = 0; w < 4; w++) {
        rect(x + w * 74, 48, 64, 30, w < 2 ? "soft" : "word")
        text(x + w * 74 + 32, 68, "small mid", "warp " w % 2)
      }
      text(x + 69, 96, "small mid", "block 0"); text(x + 217, 96, "small mid", "block 1")
      copies = v == 0 ? 0 : v == 1 ? 2 : 4
      for (w = 0; w < 4; w++) {
        to = v == 0 ? x + 143 : v == 1 ? (w < 2 ? x + 69 : x + 217) : x + w * 74 + 32
        line(x + w * 74 + 32, 102, to, v ? 128 : 206, "way")
      }
      for (c = 0; c < copies; c++) {
        to = v == 1 ? x + 69 + 148 * c : x + c * 74 + 32
        rect(to - 30, 128, 60, 26, "soft")
        text(to, 146, "small mid", "shared")
        line(to, 156, x + 143, 206, "way")
      }
      rect(x + 83, 206, 120, 28, "strong")
      text(x + 143, 225, "small mid light", "global memory")
    }
  }

  # Eight lanes, eight banks.
  function banks(    v, k, b, x, bank, most, used) {
    split("5 5 13 2 5 21 2 7", value, " ")
    begin(980, 330, "Eight lanes count eight bytes, in a memory of eight banks", "The bytes of lanes 0 to 7 are 5 5 13 2 5 21 2 7. With one copy, counter b lies in bank b modulo 8: bank 5 is wanted for the words 5, 13 and 21, which takes three wavefronts; bank 2 for one word, and bank 7 for one. With a copy for each lane, side by side, the counter of value b for lane k is in bank k: each lane has a bank of its own, in one wavefront.")
    for (v = 0; v < 2; v++) {
      x = 30 + v * 490
      text(x, 30, "bold", v ? "a copy for each lane: bins[b][lane]" : "one copy: bins[b]")
      for (k = 0; k < 8; k++) {
        text(x + 50 * k + 22, 58, "small mid", "lane " k)
        rect(x + 50 * k, 66, 44, 26, "soft")
        text(x + 50 * k + 22, 84, "mid", value[k + 1])
        bank = v ? k : value[k + 1] % 8
        line(x + 50 * k + 22, 94, x + 50 * bank + 22, 158, "way")
        text(x + 50 * k + 22, 296, "small mid", "bank " k)
      }
      for (b = 0; b < 8; b++) { # the words that are wanted in each bank, one above the other
        used = ""; most = 0
        for (k = 0; k < 8; k++) {
          bank = v ? k : value[k + 1] % 8
          if (bank != b || index(used, " " value[k + 1] " ")) continue
          used = used " " value[k + 1] " "
          rect(x + 50 * b, 160 + 30 * most, 44, 26, "strong")
          text(x + 50 * b + 22, 178 + 30 * most, "small mid light", v ? value[k + 1] "," k : value[k + 1])
          most++
        }
        for (; most < 3; most++) rect(x + 50 * b, 160 + 30 * most, 44, 26, "word")
      }
      text(x, 318, "small", v ? "32 lanes: always 1 wavefront, whatever the bytes are" : "the busiest bank has three words: 3 wavefronts")
    }
  }

  # An offset, byte by byte.
  function address(    k, x) {
    begin(980, 250, "The offset of a counter, made of two words by one __byte_perm", "Above, the bytes 3 2 1 0 of a word of the input, and the word of the thread, whose bytes 3, 2 and 1 are zero and whose byte 0 is four times the number of the copy. Below, the offset: two zero bytes, byte 2 of the input, and byte 0 of the thread. It is 256 times the value plus 4 times the copy.")
    split("byte 3|byte 2|byte 1|byte 0|0|0|0|4 · copy", byte_of, "|")
    split("3|2|1|0|7|6|5|4", selector, "|")
    text(40, 34, "bold", "four bytes of the input"); text(520, 34, "bold", "the thread")
    for (k = 0; k < 8; k++) {
      x = (k < 4 ? 40 : 520) + (k % 4) * 100
      rect(x, 48, 92, 32, k == 1 || k == 7 ? "strong" : "word")
      text(x + 46, 69, k == 1 || k == 7 ? "mid light" : "mid", byte_of[k + 1])
      text(x + 46, 96, "small mid", selector[k + 1])
    }
    text(280, 232, "small", "__byte_perm(word, copy, 0x5524): from the right, bytes 4, 2, 5 and 5 of the eight")
    text(120, 185, "bold end", "offset")
    split("0|0|byte 2|4 · copy", part, "|")
    for (k = 0; k < 4; k++) {
      rect(280 + k * 100, 164, 92, 32, k < 2 ? "word" : "strong")
      text(326 + k * 100, 185, k < 2 ? "mid" : "mid light", part[k + 1])
    }
    line(186, 100, 526, 162, "way"); line(866, 100, 626, 162, "way"); line(766, 100, 326, 162, "way"); line(766, 100, 426, 162, "way")
    text(700, 185, "", "= 256 · value + 4 · copy")
  }
  BEGIN {
    if (name == "meetings") meetings()
    else if (name == "banks") banks()
    else if (name == "address") address()
    else { print "draw.sh: no figure is called " name > "/dev/stderr"; exit 1 }
    print "</svg>"
  }'
