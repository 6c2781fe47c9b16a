#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind `~`, words of its text that quote a number, made from
# h200.txt and layouts.txt (which record.sh printed on that machine). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk -F'","' '
  function number(text) { gsub(/[",]/, "", text); return text + 0 }
  BEGIN {
    name["stride1"] = "neighbouring floats, from an aligned address on"
    name["misaligned"] = "the same, one float further on"
    name["stride2"] = "every second float"
    name["stride8"] = "every eighth float"
    name["stride32"] = "every 32nd float"
    name["weigh_structs"] = "weight, one float of eight | array of structs"
    name["weigh_arrays"] = "weight, one float of eight | struct of arrays"
    name["move_structs"] = "move, six floats of eight | array of structs"
    name["move_arrays"] = "move, six floats of eight | struct of arrays"
    name["move_vectors"] = "move, six floats of eight | array of two `float4` each"
  }
  /^--- / { section = substr($0, 5); next }
  { fields = split($0, word, " ") }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }

  # Times: of the first seed, as the program prints them, and of other shapes.
  fields >= 5 && word[1] ~ /^(copy|cudaMemcpy|blur_kernel[0-9])$/ {
    title = word[1] == "copy" ? "copy kernel" : word[1]
    if (section == "lesson04, SEED=1") {
      if (word[1] == "copy") printf "| version | predict: %% of copy | ms (%s, %s) | GB/s | %% of copy |\n", machine, date
      printf "| %s |%s | %s | %.0f | %.1f |\n", title, word[1] == "copy" ? " 100" : "", word[fields - 3], word[fields - 2], word[fields]
      ms[word[1]] = word[fields - 3]
    }
    v = substr(word[1], 12)
    if (section ~ /^lesson04/ && v) by_size[section, v] = word[fields]
    if (section ~ /^(block|rows)/) of_copy[section, v] = word[fields]
    if (section == "lesson04, SEED=1") of_copy["32x8", v] = word[fields]
  }
  section == "patterns" && word[1] in name {
    row[++patterns] = sprintf("| %s | %s | %.1f |", name[word[1]], word[2], word[fields])
    pattern_ms[word[1]] = word[2]
  }

  # ncu: what a version did, in all.
  section ~ /^ncu, SIZE=5120/ && word[1] ~ /^blur_kernel/ { counted[substr(word[1], 12), word[2]] = word[3] }

  # ncu, particles: 2^25 of them.
  section ~ /^ncu, patterns/ && /"ID"/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } }
  section ~ /^ncu, patterns/ && /_kernel/ {
    split($column["Kernel Name"], kernel, "(")
    sub(/_kernel/, "", kernel[1])
    read[kernel[1]] = number($column["dram__bytes_read.sum"]) / 33554432
    written[kernel[1]] = number($column["dram__bytes_write.sum"]) / 33554432
  }
  function issued(v) { return counted[v, "smsp__inst_executed.sum"] / 1536000 }
  function limit(v, metric) { return counted[v, metric ".avg.pct_of_peak_sustained_elapsed"] }
  function shape(name, text) { printf "| %s | %.1f | %.1f |\n", text, of_copy[name, 2], of_copy[name, 6] }
  END {
    for (v = 1; v <= 6; v++)
      printf "| blur_kernel%d | %.1f | %.1f | %.1f | %.0f | %.0f | %.0f | %.0f |\n", v,
        counted[v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / 1536000, counted[v, "lts__t_sectors_srcunit_tex_op_read.sum"] / 1536000,
        (counted[v, "dram__bytes_read.sum"] + counted[v, "dram__bytes_write.sum"]) / 49152000, issued(v),
        limit(v, "smsp__issue_active"), limit(v, "l1tex__data_pipe_lsu_wavefronts"), limit(v, "lts__throughput")
    for (v = 1; v <= 6; v++)
      printf "| blur_kernel%d | %.1f | %.1f | %.1f |\n", v, by_size["lesson04, SIZE=1920", v], by_size["lesson04, SEED=1", v],
        by_size["lesson04, SIZE=5119: rows that are not aligned", v]
    shape("block256x1", "256 x 1")
    shape("block64x4", "64 x 4")
    shape("32x8", "32 x 8")
    shape("block16x16", "16 x 16")
    shape("block8x32", "8 x 32")
    for (p = 1; p <= patterns; p++) print row[p]

    printf "~ A copy of as many bytes takes %s ms.\n", ms["copy"]
    printf "~ Version 3 is %.0f times as slow as version 2.\n", ms["blur_kernel3"] / ms["blur_kernel2"]
    printf "~ Version 1 takes %.0f %% longer than version 2\n", 100 * ms["blur_kernel1"] / ms["blur_kernel2"] - 100
    printf "~ %.0f instructions of the machine for 32 numbers, and version 2 %.0f\n", issued(1), issued(2)
    printf "~ Version 4 is %.1f times as fast as version 2\n", ms["blur_kernel2"] / ms["blur_kernel4"]
    printf "~ L1 is busy for %.0f %% of the time, and the schedulers for %.0f %%\n", limit(3, "l1tex__data_pipe_lsu_wavefronts"), limit(3, "smsp__issue_active")
    printf "~ %.1f times as long from structs as from arrays\n", pattern_ms["weigh_structs"] / pattern_ms["weigh_arrays"]
    printf "~ %.1f times as long from structs, and %.1f times from pairs of `float4`\n", pattern_ms["move_structs"] / pattern_ms["move_arrays"], pattern_ms["move_vectors"] / pattern_ms["move_arrays"]
    printf "~ reads %.0f bytes for each particle, of which 4 are wanted\n", read["weigh_structs"]
    printf "~ from arrays it reads %.0f bytes for each particle and writes %.0f, from structs it reads %.0f and writes %.0f\n", read["move_arrays"], written["move_arrays"], read["move_structs"], written["move_structs"]
  }' h200.txt

awk '
  BEGIN {
    name["planes_number"] = "planes | a number (version 2)"
    name["planes_pixel"] = "planes | a pixel"
    name["structs_pixel"] = "pixels of 12 bytes | a pixel (version 4)"
    name["vectors_pixel"] = "pixels of 16 bytes | a pixel (version 5)"
  }
  /^--- / { section = substr($0, 5); next }
  section == "layouts, SEED=1" && $1 in name { printf "| %s | %s | %.1f |\n", name[$1], $2, $NF }
  section ~ /version 3/ && $2 ~ /wavefronts/ { steps[substr(section, length(section) - 3)] = $3 / (25 + 1) / 1536000 } # loads, a store
  section ~ /version 3/ && $2 ~ /time/ { ns[substr(section, length(section) - 3)] = $3 }
  END {
    printf "~ A request takes L1 %.0f steps, one after the other\n", steps[5120]
    printf "~ a request takes %.1f steps, and version 3 is %.1f times as fast\n", steps[5119], ns[5120] / ns[5119]
  }' layouts.txt
