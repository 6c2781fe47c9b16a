#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (which record.sh printed) and tuning.txt (tune.sh).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record. In this order: TFLOP/s forward, version 1, errors, what the
# versions keep busy, milliseconds of the variants, TFLOP/s backward, errors backward, what its kernels keep busy, decode, its chunks.
set -eu
cd "$(dirname "$0")"
records=h200.txt
[ ! -f tuning.txt ] || records="$records tuning.txt"

# shellcheck disable=SC2086
awk '
  # The field that stands before a word, or behind it.
  function before(word,    f) { for (f = 2; f <= NF; f++) if ($f == word) return $(f - 1) }
  function behind(word,    f) { for (f = 1; f < NF; f++) if ($f == word) return $(f + 1) }
  # Adds a cell to the row `name` of a table. Rows keep their order.
  function cell(table, name, text) {
    if (!((table, name) in row)) names[table, ++rows[table]] = name
    row[table, name] = row[table, name] " " text " |"
  }
  function rows_of(table,    r) {
    for (r = 1; r <= rows[table]; r++) print "| " names[table, r] " |" row[table, names[table, r]]
  }
  function metric(name, kernel) { return counted[kernel, name] }
  function busy(table, name, kernel) {
    if (!((kernel, "launch__registers_per_thread") in counted)) return
    cell(table, name, sprintf("%.0f", metric("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", kernel)))
    cell(table, name, sprintf("%.0f", metric("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active", kernel)))
    cell(table, name, metric("launch__registers_per_thread", kernel))
  }

  /^--- / { section = $0; next }

  # "16 x 1024    full    version 2         1.2345 ms     1.2 ..    1.3    100.0 TFLOP/s   95.0 % of FlashAttention-2   60.0 % of cuDNN"
  section == "--- race, SEED=1" && / ms / && / TFLOP\/s/ {
    key = $1 " x " $3 ", " $4
    speed[key, $5 $6] = before("TFLOP/s")
    cell("forward", key, sprintf("%.0f", before("TFLOP/s")))
    if ($5 " " $6 == "version 3") { flash = of_flash[key] = behind("TFLOP/s"); if (key == "1 x 16384, full") { shortest = $9; longest = $11 } }
    if ($5 " " $6 == "version 5") five_of_cudnn[key] = $(NF - 3)
    if ($5 " " $6 == "version 6") percent = of_cudnn[key] = $(NF - 3)
    if ($5 == "cuDNN") { cell("forward", key, sprintf("%.0f", flash)); cell("forward", key, sprintf("%.0f", percent)) }
  }
  # "4 x 16 heads (16 of K and V), 4096 queries, 4096 keys, full", then "attention1   123.4   123.0 .. 125.0   4.5   0.4"
  section == "--- lesson20, SEED=1" && / queries, / { kind = $NF }
  section == "--- lesson20, SEED=1" && $1 == "attention1" && $4 == ".." { first[kind] = sprintf("%.1f", $6) }
  # "full    Q x 1  version 2         error 0.300 %  largest 0.00123"
  section == "--- race, SEED=1" && / error / { cell("errors", $5 == "version" ? $5 " " $6 : $5, behind("error")) }
  # "2 x 8192    full    lesson 20         1.2345 ms     1.2 ..    1.3    100.0 TFLOP/s   95.0 %"
  section == "--- backward race, SEED=1" && / ms / && / TFLOP\/s/ {
    key = $1 " x " $3 ", " $4
    cell("backward", "backward, " key, sprintf("%.0f", before("TFLOP/s")))
    back[key, $5] = before("TFLOP/s")
    if ($5 == "lesson") of_flash_back[key] = $(NF - 1)
  }
  # "full    lesson 20         error of dQ, dK, dV: 0.237 %  0.235 %  0.235 %"
  section == "--- backward race, SEED=1" && / error of / {
    name = $2 == "lesson" ? $2 " " $3 : $2
    for (f = NF - 5; f < NF; f += 2) cell("backward errors", "backward, " name, $f)
  }
  # "attention_kernel2 sm__... 12.3" for each launch: of the versions the first one counts, of the other parts the last one, which is the largest
  section ~ /^--- ncu/ && NF == 3 && !($1 ~ /^attention/ && (($1, $2) in counted)) { counted[$1, $2] = $3 }
  # "decode: 16 sequences, 8704 to 16384 keys, ..., pages of 16; ...", then "decode_kernel3  0.1 0.1 .. 0.1  GB/s  -  % of copy"
  section == "--- lesson20, SEED=1" && /^decode: / { shape = $0; sub(/;.*/, "", shape); sub(/.*pages/, $2 " x " $6 ", pages", shape) }
  section == "--- lesson20, SEED=1" && /^decode_kernel/ && $4 == ".." {
    cell("decode", "decode, " shape, sprintf("%.1f", $NF))
    if ($1 == "decode_kernel3" && (!lowest || $NF < lowest)) lowest = $NF
    if ($1 == "decode_kernel3" && shape !~ /^1 x /) {
      if (!least_shared || $NF < least_shared) least_shared = $NF
      if ($NF > most_shared) most_shared = $NF
    }
    if ($1 == "decode_kernel3" && shape ~ /pages of 16$/) { sub(/,.*/, "", shape); recorded[shape] = $2 }
  }
  section ~ /^--- lesson20, SEED=2/ && /^decode_kernel/ && $4 == ".." { small[$1] = $NF; small_time[$1] = 1000 * $2 }
  # "1 x 16384   full    two_stages         version 5         1.2345 ms ..."
  section == "--- tune" && / TFLOP\/s/ {
    if ($6 != "version") next
    name = $6 " " $7 ", " $5
    gsub(/_/, " ", name)
    cell("tuning", name, sprintf("%.3f", before("ms")))
    taken[$5, $7, $3 $4] = before("ms")
    if ($5 == "as_it_is" && $7 == 3 && $3 $4 == "16384full") behind_flash = 100 - behind("TFLOP/s")
  }
  section == "--- tune decode" && /^decode: / { shape = $0; sub(/^decode: /, "", shape); sub(/;.*/, "", shape) }
  section == "--- tune decode" && /^as it is / { of_copy[shape] = $(NF - 3) }
  section == "--- tune decode" && /^as it is / && shape in recorded {
    more = 1000 * (before("ms") - recorded[shape])
    if (!least_more || more < least_more) least_more = more
    if (more > most_more) most_more = more
  }
  # "chunks of 512        0.1234 ms     0.1230 ..    0.1240    4000.0 GB/s    95.0 % of copy"
  section == "--- tune decode" && / GB\/s / && $1 != "copy" {
    name = $0
    sub(/  .*/, "", name)
    cell("tuning decode", "decode, " name, $(NF - 3))
  }

  # What the text says of these numbers.
  function gain(key) { return 100 * (speed[key, "version5"] / speed[key, "version4"] - 1) }
  function say_forward(    k, least, most) {
    for (k = 1; k <= rows["forward"]; k++) {
      key = names["forward", k]
      if (k == 1 || gain(key) < least) least = gain(key)
      if (k == 1 || gain(key) > most) most = gain(key)
    }
    print "~ version 1 reaches " first["full"] " TFLOP/s"
    printf "~ %.1f times as fast as version 3, and", speed["1 x 16384, full", "version4"] / speed["1 x 16384, full", "version3"]
    printf " %.1f times with a mask.", speed["1 x 16384, causal", "version4"] / speed["1 x 16384, causal", "version3"]
    printf " What version 5 does at the same time gains another %.0f to %.0f %%\n", least, most
  }
  function least_of(values, keys,    list, n, k, least) {
    n = split(keys, list, ";")
    for (k = 1; k <= n; k++) if (k == 1 || values[list[k]] < least) least = values[list[k]]
    return least
  }
  function most_of(values, keys,    list, n, k, most) {
    n = split(keys, list, ";")
    for (k = 1; k <= n; k++) if (k == 1 || values[list[k]] > most) most = values[list[k]]
    return most
  }
  function say_targets(    masked, long, long_masked, five) {
    masked = "16 x 1024, causal;8 x 2048, causal;4 x 4096, causal;2 x 8192, causal;1 x 16384, causal"
    long = "4 x 4096, full;2 x 8192, full;1 x 16384, full"
    long_masked = "4 x 4096, causal;2 x 8192, causal;1 x 16384, causal"
    five = "16 x 1024, full;16 x 1024, causal"
    printf "~ %.0f to %.0f %% with one. (With 16384 keys", least_of(of_flash, masked) - 100, most_of(of_flash, masked) - 100
    printf " and no mask its runs took from %.1f to %.1f ms.\n", shortest, longest
    if (behind_flash) printf "~ version 3 is %.0f %% behind\n", behind_flash
    printf "~ version 5 has %.0f %% of cuDNN\047s speed, with a mask and without\n", least_of(five_of_cudnn, five)
    printf "~ version 5 has %.0f %% of cuDNN\047s speed, with a mask and without\n", most_of(five_of_cudnn, five)
    printf "~ version 6 has %.0f %%, and %.0f %% with a mask\n", of_cudnn["16 x 1024, full"], of_cudnn["16 x 1024, causal"]
    printf "~ With 2048 keys it has %.1f %%, and is %.0f %% ahead with a mask\n", of_cudnn["8 x 2048, full"], of_cudnn["8 x 2048, causal"] - 100
    printf "~ it is %.0f to %.0f %% ahead, and %.0f to %.0f %% with a mask\n", least_of(of_cudnn, long) - 100, most_of(of_cudnn, long) - 100,
      least_of(of_cudnn, long_masked) - 100, most_of(of_cudnn, long_masked) - 100
    printf "~ version 5 is %.0f %% faster than version 6, and %.0f %% with a mask\n", 100 * (speed["1 x 16384, full", "version5"] / speed["1 x 16384, full", "version6"] - 1),
      100 * (speed["1 x 16384, causal", "version5"] / speed["1 x 16384, causal", "version6"] - 1)
  }
  function slower(name, version, column) { return 100 * (taken[name, version, column] / taken["as_it_is", version, column] - 1) }
  function say_tuning(    k, c, most, columns, percent) {
    split("1024full 4096full 16384full 1024causal 4096causal 16384causal", columns, " ")
    for (c = 1; c <= 6; c++) for (k = 4; k <= 6; k++) {
      percent = slower("two_stages", k, columns[c])
      if (percent > most) most = percent
    }
    printf "~ up to %.0f %% slower\n", most
    printf "~ %.0f %% slower with 1024 keys, %.0f %% with a mask\n", slower("no_turns", 5, "1024full"), slower("no_turns", 5, "1024causal")
    printf "~ costs %.0f %%\n", slower("first_tile_first", 5, "16384causal")
    printf "~ costs %.0f %% with 1024 keys, %.0f %% with a mask\n", slower("place_by_place", 6, "1024full"), slower("place_by_place", 6, "1024causal")
    printf "~ cost %.0f %% there, %.0f %% with a mask\n", slower("queries_first", 6, "1024full"), slower("queries_first", 6, "1024causal")
  }
  function say_backward(    key) {
    key = "1 x 16384, full"
    printf "~ %.1f times as long as FlashAttention-2", back[key, "FlashAttention-2"] / back[key, "lesson"]
    printf "\047s, and %.1f times as long as cuDNN\047s\n", back[key, "cuDNN"] / back[key, "lesson"]
    printf "~ seven products are %.0f TFLOP/s\n", back[key, "lesson"] * 7 / 5
    printf "~ it has %.0f %% of its speed, and %.0f %% with a mask\n", of_flash_back["8 x 1024, full"], of_flash_back["8 x 1024, causal"]
  }
  END {
    rows_of("forward")
    say_forward()
    say_targets()
    rows_of("errors")
    for (v = 2; v <= 6; v++) busy("busy", "version " v, "attention_kernel" v)
    rows_of("busy")
    rows_of("tuning")
    if (rows["tuning"]) say_tuning()
    rows_of("backward")
    say_backward()
    rows_of("backward errors")
    busy("busy backward", "backward_kv", "backward_kv_kernel")
    busy("busy backward", "backward_q", "backward_q_kernel")
    rows_of("busy backward")
    rows_of("decode")
    printf "~ decode_kernel3 reads at %d %% of the copy\047s speed or more\n", lowest
    printf "~ rows of %d to %d %%\n", least_shared, most_shared
    if (rows["tuning decode"]) printf "~ %s %% with 64 x 4096, and %s %% with 1 x 131072\n", of_copy["64 x 4096, no common pages"], of_copy["1 x 131072"]
    printf "~ at %.0f %% of a copy\047s speed, and decode_kernel3 at %.0f %%.", small["decode_kernel2"], small["decode_kernel3"]
    printf " They take %.0f and %.0f µs\n", small_time["decode_kernel2"], small_time["decode_kernel3"]
    if (most_more) printf "~ takes %.0f to %.0f µs more\n", least_more, most_more
    rows_of("tuning decode")
  }' $records
