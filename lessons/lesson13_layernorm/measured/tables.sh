#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU and, behind `~`, words of its text, made from h200.txt (which record.sh printed).
# tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  # tuning/h200.txt: the candidates by name.
  FILENAME ~ /tuning/ {
    if (/^--- sweep/) tuned = $3 $4
    if (/>/ && !/> (early|atomics) / && $NF ~ /^[0-9.]+$/) { name = $0; sub(/> .*/, ">", name); if (!((tuned, name) in sweep)) sweep[tuned, name] = $NF }
    if (/> early / && $NF ~ /^[0-9.]+$/) { name = $0; sub(/ early .*/, " early", name); sweep[tuned, name] = $NF }
    next
  }
  /^--- / { section = substr($0, 5); kind = ""; next }
  /^20[0-9][0-9]-/ { date = $1 }

  # The programs: one table for each kind, type and shape, the first seed and the second.
  / to move$/ {
    line = $0
    split(line, part, ", ")
    kind = part[1] == "residual added" ? "residual" : part[1]
    type = part[1] == "residual added" ? part[3] : part[2]
    shape = part[1] == "residual added" ? part[4] : part[3]
    sub(/:.*/, "", shape); gsub(/ /, "", shape)
    key = section "|" type "|" shape
  }
  /^(copy kernel|cudaMemcpy|[a-z]+_kernel[0-9]+) .*\.\./ && kind != "" {
    name = $1 == "copy" ? "copy " kind : $1
    ms[key "|" name] = $1 == "copy" ? $3 : $2
    percent[key "|" name] = $NF
  }
  /^largest error of y/ { kind = "errors" }
  kind == "errors" && /^[a-z]+_kernel[0-9]+ / && section ~ /SEED=1/ && NF == 6 { errors[++error_rows] = "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " |" }

  section ~ /SEED=1/ && /times the same column sums:/ { repeats[++repeat_rows] = "| " $1 " | " $8 " |" }


  # PyTorch.
  section ~ /^PyTorch/ && /^[a-zA-Z]+, [0-9]+ x [0-9]+, / { split($0, part, ", "); torch = part[1]; shape = part[2]; type = part[3]; gsub(/ /, "", shape) }
  section ~ /^PyTorch/ && /^(PyTorch|version) / { name = $1 == "version" ? "version " $2 : "PyTorch"; racer[torch, shape, type, name] = $NF }

  # ncu: NAME METRIC VALUE, where NAME may have spaces.
  section ~ /^ncu/ && $NF ~ /^[0-9.]+$/ {
    name = $0
    sub(/ [a-z0-9_]+\.?[^ ]* [0-9.]+$/, "", name)
    sub(/^void /, "", name)
    type = name ~ /bfloat16/ ? "bf16" : "float"
    sub(/<.*/, "", name)
    metric = $(NF - 1)
    if (!((name, type, metric) in counter)) counter[name, type, metric] = $NF
  }

  function of(seed, type, shape, name) { return percent["lesson13, SEED=" seed "|" type "|" shape "|" name] }
  function time(type, shape, name) { return ms["lesson13, SEED=1|" type "|" shape "|" name] }
  function variant(name, v, type) { return percent[name ", V=" v " SIZE=8192|" type "|32768x8192|" (v == 5 ? "layernorm" : "backward") "_kernel" v] }
  function arrays(name, type, metric) { return counter[name, type, metric] / (8192 * 8192 * (type == "bf16" ? 2 : 4)) }
  function spread(name, which,   n, list, k, s, seed, low, high, value) {
    low = 1000; high = 0
    n = split("32768x8192 32768x4096 32768x1024 262144x1024", list, " ")
    for (k = 1; k <= n; k++) {
      value = of(2, which, list[k], name)
      if (value < low) low = value
      if (value > high) high = value
    }
    low = sprintf("%.0f", low); high = sprintf("%.0f", high)
    return low == high ? low : low " to " high
  }
  END {
    tall = "262144x1024"
    names = "layernorm_kernel1 layernorm_kernel2 layernorm_kernel3 layernorm_kernel4 layernorm_kernel5 layernorm_kernel6 rmsnorm_kernel7"
    names = names " add_kernel8 add_kernel9 backward_kernel10 backward_kernel11 backward_kernel12 backward_kernel13"
    n = split(names, listed, " ")
    for (k = 1; k <= n; k++) {
      v = listed[k]
      printf "| %s | | %.4f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", v, time("float", "32768x8192", v), of(1, "float", "32768x8192", v),
        of(1, "float", "32768x4096", v), of(1, "float", "32768x1024", v), of(1, "bf16", "32768x8192", v), of(1, "bf16", "32768x4096", v),
        of(1, "bf16", "32768x1024", v)
    }
    for (k = 1; k <= error_rows; k++) print errors[k]
    for (k = 1; k <= repeat_rows; k++) print repeats[k]
    m = split("32768x8192 32768x4096 32768x1024", shapes, " ")
    for (s = 1; s <= m; s++) for (t = 1; t <= 2; t++) {
      type = t == 1 ? "float" : "bf16"
      wide = shapes[s]; sub(/x/, " x ", wide)
      printf "| %s, %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", wide, type,
        racer["forward", shapes[s], type, "PyTorch"], racer["forward", shapes[s], type, "version 5"],
        racer["RMSNorm", shapes[s], type, "PyTorch"], racer["RMSNorm", shapes[s], type, "version 7"],
        racer["residual", shapes[s], type, "PyTorch"], racer["residual", shapes[s], type, "version 9"],
        racer["backward", shapes[s], type, "PyTorch"], racer["backward", shapes[s], type, "version 13"]
    }
    split("layernorm_kernel1 layernorm_kernel2 layernorm_kernel3 layernorm_kernel4 layernorm_kernel5 layernorm_kernel6 backward_kernel10 columns_kernel10 backward_kernel11 backward_kernel12 backward_kernel13", listed, " ")
    for (k = 1; k <= 11; k++) {
      v = listed[k]
      printf "| %s | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f |\n", v, arrays(v, "float", "dram__bytes_read.sum"), arrays(v, "float", "dram__bytes_write.sum"),
        counter[v, "float", "launch__registers_per_thread"], counter[v, "float", "sm__warps_active.avg.pct_of_peak_sustained_active"],
        counter[v, "float", "smsp__issue_active.avg.pct_of_peak_sustained_active"], counter[v, "float", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"]
    }
    split("fp32 bf16", types, " "); split("8192 4096 1024", cols, " ")
    for (k = 1; k <= 3; k++) for (t = 1; t <= 2; t++) {
      threads = cols[k] / 16 / t
      lead = "forward_rows<T " threads ", R " (threads < 128 ? 128 / threads : 1) ", STAT "
      at = "32768x" cols[k] "," types[t]
      printf "| 32768 x %s, %s | %.1f | %.1f | %.1f | %.1f |\n", cols[k], t == 1 ? "float" : "bf16", sweep[at, lead "0, CACHE 0, ADD 0>"],
        sweep[at, lead "1, CACHE 0, ADD 0>"], sweep[at, lead "2, CACHE 0, ADD 0>"], sweep[at, lead "3, CACHE 0, ADD 0>"]
      printf "| 32768 x %s, %s | %.1f | %.1f | %.1f | %.1f |\n", cols[k], t == 1 ? "float" : "bf16", sweep[at, lead "2, CACHE 0, ADD 0>"],
        sweep[at, lead "2, CACHE 3, ADD 0>"], sweep[at, lead "2, CACHE 4, ADD 0>"], sweep[at, lead "2, CACHE 1, ADD 0>"]
    }
    printf "~ NVIDIA H200, %s.\n", date
    printf "~ With 262144 rows of 1024 columns version 5 reaches %.1f %% (bf16 %.1f), version 6 %.1f (%.1f), version 9 %.1f (%.1f), version 12 %.1f (%.1f) and version 13 %.1f (%.1f).\n",
      of(1, "float", tall, "layernorm_kernel5"), of(1, "bf16", tall, "layernorm_kernel5"), of(1, "float", tall, "layernorm_kernel6"), of(1, "bf16", tall, "layernorm_kernel6"),
      of(1, "float", tall, "add_kernel9"), of(1, "bf16", tall, "add_kernel9"), of(1, "float", tall, "backward_kernel12"), of(1, "bf16", tall, "backward_kernel12"),
      of(1, "float", tall, "backward_kernel13"), of(1, "bf16", tall, "backward_kernel13")
    printf "~ With the numbers of `SEED=2`, over all four shapes: version 5 %s %% in float and %s in bf16, version 13 %s and %s.\n",
      spread("layernorm_kernel5", "float"), spread("layernorm_kernel5", "bf16"), spread("backward_kernel13", "float"), spread("backward_kernel13", "bf16")
    printf "~ With 32768 rows of 1024 columns that fails three times: forward in bf16 (%.1f %%), backward in float (%.1f) and in bf16 (%.1f).\n",
      of(1, "bf16", "32768x1024", "layernorm_kernel6"), of(1, "float", "32768x1024", "backward_kernel13"), of(1, "bf16", "32768x1024", "backward_kernel13")
    printf "~ With one row on its way instead of two, version 13 reaches %.1f %% at 32768 x 8192 in float and %.1f in bf16, with three %.1f and %.1f.\n",
      variant("stages1", 13, "float"), variant("stages1", 13, "bf16"), variant("stages3", 13, "float"), variant("stages3", 13, "bf16")
    lead = "backward_stay<T 128, R 2, MINB 2, KIND 2, S 2, GREG 1, CACHE 0>"
    printf "~ from %.1f to %.1f %% in the sweep\n", sweep["32768x1024,bf16", lead], sweep["32768x1024,bf16", lead " early"]
    lead = "R 1, MINB 1, KIND 3, S 3, GREG 1, CACHE 0>"
    printf "~ In the sweep it reached %.1f %% at 32768 x 8192 in bf16 and %.1f at 32768 x 4096 in float.\n", sweep["32768x8192,bf16", "backward_stay<T 512, " lead], sweep["32768x4096,fp32", "backward_stay<T 512, " lead]
    printf "~ From memory come %.2f arrays in version 1, %.2f in version 3 and %.2f in version 5.\n", arrays("layernorm_kernel1", "float", "dram__bytes_read.sum"),
      arrays("layernorm_kernel3", "float", "dram__bytes_read.sum"), arrays("layernorm_kernel5", "float", "dram__bytes_read.sum")
  }' tuning/h200.txt h200.txt
