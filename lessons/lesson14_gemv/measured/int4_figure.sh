#!/bin/sh
# int4_figure.sh: prints figures/int4.svg: eight weights in a word, and how two of them become numbers of fp16. Nothing of it is measured (see
# rows_figure.sh).
set -eu

awk '
  function text(x, y, class, what) { printf "  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what }
  function rect(x, y, w, class) { printf "  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"30\" class=\"%s\"/>\n", x, y, w, class }
  # A word as eight pieces of four bits, the highest first; piece k says what[k], and is dark if that begins with w.
  function word(y, list, dark,    k, what) {
    split(list, what, " ")
    for (k = 1; k <= 8; k++) {
      rect(left + (k - 1) * 64, y, 64, index(dark, "," what[k] ",") ? "strong" : what[k] ~ /^[0-9]$/ ? "magic" : "word")
      text(left + (k - 0.5) * 64, y + 20, index(dark, "," what[k] ",") ? "mid light" : "mid", what[k])
    }
  }
  BEGIN {
    left = 210
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 300\" width=\"940\" height=\"300\" role=\"img\" aria-labelledby=\"title desc\">"
    print "  <title id=\"title\">From four bits to fp16</title>"
    print "  <desc id=\"desc\">A word of 32 bits holds eight weights of four bits, from the highest bits to the lowest: w7 w5 w3 w1 w6 w4 w2 w0. A mask keeps w1"
    print "  and w0, each at the low end of one half of the word: 0 0 0 w1 0 0 0 w0. As two numbers of fp16 these are 2^-24 times w1 and w0. Another mask"
    print "  keeps w3 and w2, which stand four bits higher: 0 0 w3 0 0 0 w2 0, which is 2^-20 times w3 and w2.</desc>"
    print "  <style>"
    print "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }"
    print "    .small { font-size: 12px; } .mid { text-anchor: middle; } .light { fill: #ffffff; }"
    print "    .word { fill: #ffffff; stroke: #8a8a8a; } .strong { fill: #1f5fa8; stroke: #1a1a1a; } .magic { fill: #eeeeee; stroke: #8a8a8a; }"
    print "  </style>"
    print "  <rect x=\"1\" y=\"1\" width=\"938\" height=\"298\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>"
    text(left, 34, "small", "bits 31 to 16: one number of fp16"); text(left + 256, 34, "small", "bits 15 to 0: the other one")
    text(24, 66, "", "a word: 8 weights"); word(46, "w7 w5 w3 w1 w6 w4 w2 w0", ",w1,w0,")
    text(24, 132, "", "&amp; 000f000f"); word(112, "0 0 0 w1 0 0 0 w0", ",w1,w0,")
    text(left + 526, 132, "", "2^-24 times w1 and w0")
    text(24, 182, "", "&amp; 00f000f0"); word(162, "0 0 w3 0 0 0 w2 0", ",w3,w2,")
    text(left + 526, 182, "", "2^-20 times w3 and w2")
    text(24, 232, "", "and, 8 bits lower,"); text(left, 232, "", "w5 and w4, w7 and w6 in the same way")
    text(24, 272, "small", "A number of fp16 whose five exponent bits are 0 is subnormal: its ten lowest bits, as a whole number, times 2^-24.")
    print "</svg>"
  }'
