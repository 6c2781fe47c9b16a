#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, and words of its text ("~ "), made from h200.txt (which record.sh printed) and
# tuning/h200.txt (tuning/tune.sh).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  # tuning/h200.txt: a candidate of the second visit, 2^28 bytes: name, settings, ms and GB/s four times, ratio.
  FILENAME ~ /tuning/ {
    if (/^--- /) { visit = $2; next }
    if (/^n = /) { size = $3 + 0; next }
    if (visit == "second" && size == 268435456 && NF >= 10) {
      name = ""
      for (i = 1; i <= NF - 9; i++) name = name (i > 1 ? " " : "") $i
      tuned[name] = sprintf("%s | %s | %s | %s |", $(NF - 7), $(NF - 5), $(NF - 3), $(NF - 1))
    }
    next
  }
  /^--- / { section = substr($0, 5); kind = n = ""; next }
  /^n = / { n = $3 + 0; kind = $4; if ($5 != "") kind = kind " " $5; next }
  # name ms shortest .. longest GB/s - % of CUB
  kind != "" && /^(CUB|\(only reading\)|histogram_kernel[0-9]+) / {
    name = $1; shift = 0
    if (name == "(only") { name = "reading"; shift = 1 }
    key = section "|" n "|" kind "|" name
    ms[key] = $(2 + shift); speed[key] = $(6 + shift); percent[key] = $(8 + shift)
  }
  section ~ /^ncu/ && NF == 3 { counter[(section ~ /uniform/ ? "uniform" : "one") " " $1 " " $2] = $3 }

  function tried(what, name) { printf "| %s | %s\n", what, tuned[name] }
  function of(what, run, size, k, name) { return what == "ms" ? ms[run "|" size "|" kinds[k] "|" name] : what == "speed" ? speed[run "|" size "|" kinds[k] "|" name] : percent[run "|" size "|" kinds[k] "|" name] }
  function least(run, size, name,    k, value, all) {
    all = 1e9
    for (k = 1; k <= 4; k++) { value = of("percent", run, size, k, name); if (value == "") return ""; if (value + 0 < all) all = value + 0 }
    return all
  }
  function share(k) { return of("speed", first, large, k, "histogram_kernel9") / of("speed", first, large, k, "reading") }
  function lowest(    k, low) { low = 2; for (k = 1; k <= 4; k++) if (share(k) < low) low = share(k); return low }
  function highest(    k, high) { for (k = 1; k <= 4; k++) if (share(k) > high) high = share(k); return high }
  function speeds(run, size, name, question,    k, line) {
    line = "| " (name == "reading" ? "only reading" : name) " |" question
    for (k = 1; k <= 4; k++) line = line sprintf(" %.0f |", of("speed", run, size, k, name))
    print line sprintf(" %.0f |", least(run, size, name))
  }
  END {
    split("uniform|one value|Zipf|sorted", kinds, "|")
    first = "lesson09, SEED=1"; second = "lesson09, SEED=2"; large = 268435456; small = 100000007
    alone = "lesson09, V=1 SIZE=268435456"
    line = "| histogram_kernel1 | |"
    for (k = 1; k <= 4; k++) line = line sprintf(" %.1f |", of("speed", alone, large, k, "histogram_kernel1"))
    print line sprintf(" %.1f |", least(alone, large, "histogram_kernel1"))
    for (v = 2; v <= 10; v++) speeds(first, large, "histogram_kernel" v, " |")
    speeds(first, large, "CUB", " |")
    speeds(first, large, "reading", " |")
    for (v = 3; v <= 10; v++) if (v == 3 || v >= 7) speeds(first, small, "histogram_kernel" v, "")
    speeds(first, small, "CUB", "")
    speeds(first, small, "reading", "")
    for (v = 2; v <= 10; v++) {
      name = "histogram_kernel" v
      groups = 67108864 / 32
      if (!(("uniform " name " smsp__inst_executed.sum") in counter)) continue
      printf "| %s | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f |\n", name, counter["uniform " name " l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] / groups,
        counter["one " name " l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] / groups,
        counter["uniform " name " smsp__issue_active.avg.pct_of_peak_sustained_active"],
        counter["uniform " name " l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"],
        counter["uniform " name " dram__throughput.avg.pct_of_peak_sustained_elapsed"], counter["uniform " name " lts__t_sectors_srcunit_tex_op_red.sum"] / 1000
    }
    tried("version 9", "lanes64 both t1024 b1 L4 ahead1 part2 ld1 run0 merge0")
    tried("all blocks begin with counter 0, and add zeros, too", "lanes64 one t1024 b1 L4 ahead1 part2 ld1 run0 merge0")
    tried("four threads add up a counter, and each has an atomic of its own", "lanes64 four t1024 b1 L4 ahead1 part2 ld1 run0 merge0")
    tried("one launch: the block that begins first clears counts", "lanes64 both t1024 b1 L4 ahead1 part2 ld1 run0 merge2")
    tried("one launch: the block that is done last copies the sums", "lanes64 one t1024 b1 L4 ahead1 part2 ld1 run0 merge1")
    tried("sixteen equal bytes are one addition", "lanes64 both t1024 b1 L4 ahead1 part2 ld1 run2 merge0")
    tried("eight vectors at once, none ahead", "lanes64 both t1024 b1 L8 ahead0 part2 ld1 run0 merge0")
    tried("two blocks of 512 threads in a multiprocessor", "lanes64 one t512 b2 L4 ahead1 part2 ld1 run0 merge0")
    tried("16 copies: two lanes for each bank", "interleaved16 t1024 b2 L4 ahead0 part2 ld1 run0 merge0")
    tried("8 copies", "interleaved8 t1024 b2 L4 ahead0 part2 ld1 run0 merge0")
    tried("4 copies", "interleaved4 t1024 b2 L4 ahead0 part2 ld1 run0 merge0")
    printf "~ from %.0f to %.0f ms", of("ms", alone, large, 1, "histogram_kernel1"), of("ms", alone, large, 2, "histogram_kernel1")
    print ""
    printf "~ With four additions of 1 instead of one of 4, version 5 counts %.0f GB/s of one value, and %.0f of uniform bytes", of("speed", "four_ones, V=5 SIZE=268435456", large, 2, "histogram_kernel5"), of("speed", "four_ones, V=5 SIZE=268435456", large, 1, "histogram_kernel5")
    print ""
    printf "~ with blocks of 256 threads, eight in a multiprocessor, version 3 takes %.4f ms for one value, and with two of 1024 %.4f", of("ms", "small_blocks, V=3 SIZE=268435456", large, 2, "histogram_kernel3"), of("ms", first, large, 2, "histogram_kernel3")
    print ""
    printf "~ version 9 counts %.2f, %.2f, %.2f and %.2f times as fast as CUB", of("percent", first, large, 1, "histogram_kernel9") / 100, of("percent", first, large, 2, "histogram_kernel9") / 100, of("percent", first, large, 3, "histogram_kernel9") / 100, of("percent", first, large, 4, "histogram_kernel9") / 100
    print ""
    printf "~ which is %.1f to %.1f %% of only reading", 100 * lowest(), 100 * highest()
    print ""
    printf "~ In a second run, with another seed, these are %.2f, %.2f, %.2f and %.2f", of("percent", second, large, 1, "histogram_kernel9") / 100, of("percent", second, large, 2, "histogram_kernel9") / 100, of("percent", second, large, 3, "histogram_kernel9") / 100, of("percent", second, large, 4, "histogram_kernel9") / 100
    print ""
    printf "~ Of 100000007 bytes they are %.2f, %.2f, %.2f and %.2f", of("percent", first, small, 1, "histogram_kernel9") / 100, of("percent", first, small, 2, "histogram_kernel9") / 100, of("percent", first, small, 3, "histogram_kernel9") / 100, of("percent", first, small, 4, "histogram_kernel9") / 100
    print ""
  }' tuning/h200.txt h200.txt
