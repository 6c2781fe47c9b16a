#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind `~`, what its text says of them, made from h200.txt (which record.sh
# printed on that machine). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = substr($0, 5); next }
  section == "machine" && /^20[0-9][0-9]-/ { date = $1 }
  section == "machine" && /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }

  # "8192 x 8192, fp16, 4 vectors" heads a table of lesson14; "4096 x 4096, fp16, 13 copies" one of models.
  /^[0-9]+ x [0-9]+, / { split($0, part, ", "); table = section "/" part[1] "/" part[2]; if (part[3] ~ /vector|transposed/) table = table "/" part[3]; next }
  section ~ /^lesson14/ && / \.\. / {
    shift = $2 == "kernel" ? 1 : 0
    key = table "/" $1
    ms[key] = $(2 + shift); rate[key] = $(6 + shift); percent[key] = $NF
  }
  section ~ /^models/ && / \.\. / {
    shift = $2 == "kernel" ? 1 : 0
    us[table "/" $1] = $(2 + shift); speed[table "/" $1] = $(NF - 1)
  }
  section == "order" && /^[0-9]+x[0-9]+,/ { split($0, part, ","); if (part[3] == 0 && part[4] == 1) order[part[1] "/" part[2]] = part[5] }
  section ~ /^PyTorch/ && /^[0-9]+ x [0-9]+$/ { shape = $0; raced[++races] = shape }
  section ~ /^PyTorch/ && / ms / { name = substr($0, 1, 20); sub(/ +$/, "", name); torch[shape "/" name] = substr($0, 21, 10) + 0 }
  section ~ /^ncu/ && NF >= 3 { metric = $(NF - 1); name = $0; sub(/^void /, "", name); sub(/[< ].*/, "", name); if (!((name " " metric) in counter)) counter[name " " metric] = $NF }

  function whole(x) { return sprintf("%.0f", x) }
  function one(shape) { return "lesson14, SEED=1/" shape "/" }
  function two(shape) { return "lesson14, SEED=2/" shape "/" }
  function fp32_row(name, shown, question) {
    printf "| %s |%s %s | %.0f | %.1f | %.1f | %.1f |\n", shown, question, ms[one("8192 x 8192") "fp32/" name], rate[one("8192 x 8192") "fp32/" name],
      percent[one("8192 x 8192") "fp32/" name], percent[one("28672 x 4096") "fp32/" name], percent[one("28672 x 8192") "fp32/" name]
  }
  function format_row(format, name, shown,    key, base) {
    key = two("28672 x 8192") format "/" name
    small = two("8192 x 8192") format "/" name
    base = ms[two("28672 x 8192") "fp16/gemv_kernel8"]
    printf "| %s | %s | %.3f | %.0f | %.2f | %.2f |\n", format, shown, ms[key], rate[key], base / ms[key],
      ms[two("8192 x 8192") "fp16/gemv_kernel8"] / ms[small]
  }
  END {
    printf "~ %s, %s\n", machine, date
    for (v = 1; v <= 6; v++) fp32_row("gemv_kernel" v, "gemv_kernel" v, " |")
    fp32_row("cuBLAS", "cuBLAS", " |"); fp32_row("read", "reading alone", " |")
    a = one("8192 x 8192") "fp32/"; b = one("28672 x 4096") "fp32/"
    printf "~ Version 5 reads at %s and %s %% of the copy (8192 x 8192 and 28672 x 4096), and with another seed at %s and %s %%\n",
      percent[a "gemv_kernel5"], percent[b "gemv_kernel5"], percent[two("8192 x 8192") "fp32/gemv_kernel5"], percent[two("28672 x 4096") "fp32/gemv_kernel5"]
    printf "~ %.1f times as fast as version 1\n", ms[a "gemv_kernel2"] ? ms[a "gemv_kernel1"] / ms[a "gemv_kernel2"] : 0

    # Who shares a row, in percent of the speed of reading alone.
    split("f32_R1_U1_W1_T128_x0_ld1_B1_p0|f32_R1_U4_W1_T128_x0_ld1_B1_p0|f32_R1_U8_W1_T128_x0_ld1_B1_p0|f32_R2_U4_W1_T128_x0_ld1_B1_p0|f32_R2_U2_W8_T256_x0_ld1_B1_p0", variant, "|")
    split("a row for a warp, 1 load|a row for a warp, 4 loads: version 3|a row for a warp, 8 loads|two rows for a warp, 4 loads: version 4|two rows for a block, 2 loads: version 5", words, "|")
    columns = split("1024x8192 4096x4096 8192x8192 28672x4096 128256x4096", column, " ")
    for (k = 1; k <= 5; k++) {
      printf "| %s |", words[k]
      for (c = 1; c <= columns; c++) printf " %.0f |", 100 * order[column[c] "/read"] / order[column[c] "/" variant[k]]
      print ""
    }

    # Few rows, transposed.
    few = one("64 x 131072") "fp32/"
    printf "| 64 x 131072 | %.4f | %.4f | %.4f |\n", ms[few "gemv_kernel5"], ms[few "gemv_kernel6"], ms[few "cuBLAS"]
    printf "| 8192 x 8192 | %.4f | %.4f | %.4f |\n", ms[a "gemv_kernel5"], ms[a "gemv_kernel6"], ms[a "cuBLAS"]
    split("8192 x 8192|28672 x 4096|28672 x 8192", shapes, "|")
    for (k = 1; k <= 3; k++) {
      t = two(shapes[k]) "fp32/transposed/"
      printf "| %s | %.4f | %.1f | %.1f |\n", shapes[k], ms[t "gemv_kernel7"], percent[t "gemv_kernel7"], percent[t "cuBLAS"]
    }

    format_row("fp16", "cuBLAS", "cuBLAS")
    format_row("fp16", "gemv_kernel8", "gemv_kernel8")
    format_row("int8", "gemv_kernel9", "gemv_kernel9")
    format_row("int4", "gemv_kernel10", "gemv_kernel10")
    base = ms[two("28672 x 8192") "fp16/gemv_kernel8"]
    printf "~ int4 is %.2f times as fast as fp16 at 28672 x 8192, and %.2f times with other weights\n", base / ms[two("28672 x 8192") "int4/gemv_kernel10"],
      base / ms[one("28672 x 8192") "int4/gemv_kernel10"]

    for (n = 1; n <= 16; n *= 2) {
      t = one("8192 x 8192") "fp16/" n " vector" (n > 1 ? "s" : "") "/"
      printf "| %d | %.4f | %.4f |\n", n, ms[t "gemv_kernel11"], ms[t "cuBLAS"]
    }

    # The models: their matrices in the order of the record.
    count = split("4096 x 4096|1024 x 4096|14336 x 4096|4096 x 14336|128256 x 4096|8192 x 8192|1024 x 8192|28672 x 8192|8192 x 28672|128256 x 8192|28672 x 4096", all, "|")
    for (k = 1; k <= count; k++) {
      t = "models, SEED=1/" all[k] "/"; u = "models, SEED=2/" all[k] "/"
      f = us[t "fp32/cuBLAS"] / us[t "fp32/gemv_kernel5"]; h = us[t "fp16/cuBLAS"] / us[t "fp16/gemv_kernel8"]
      printf "| %s | %.1f | %.2f | %.1f | %.2f | %.1f | %.1f |\n", all[k], us[t "fp32/gemv_kernel5"], f, us[t "fp16/gemv_kernel8"], h, us[t "int8/gemv_kernel9"], us[t "int4/gemv_kernel10"]
      mean32 += log(f) / count; mean16 += log(h) / count
      limit32 += log(us[t "fp32/cuBLAS"] / us[t "fp32/read"]) / count; limit16 += log(us[t "fp16/cuBLAS"] / us[t "fp16/read"]) / count
      again32 += log(us[u "fp32/cuBLAS"] / us[u "fp32/gemv_kernel5"]) / count; again16 += log(us[u "fp16/cuBLAS"] / us[u "fp16/gemv_kernel8"]) / count
    }
    printf "~ On average (the geometric mean) version 5 is %.2f times as fast as cuBLAS in fp32, and version 8 %.2f times in fp16; with another seed %.2f and %.2f times\n",
      exp(mean32), exp(mean16), exp(again32), exp(again16)
    printf "~ Reading alone would be %.2f and %.2f times as fast as cuBLAS\n", exp(limit32), exp(limit16)
    t = "models, SEED=1/28672 x 8192/"; u = "models, SEED=2/28672 x 8192/"
    printf "~ In these graphs int4 is %.2f times as fast as fp16 at 28672 x 8192, and %.2f times with another seed\n",
      us[t "fp16/gemv_kernel8"] / us[t "int4/gemv_kernel10"], us[u "fp16/gemv_kernel8"] / us[u "int4/gemv_kernel10"]

    for (k = 1; k <= races; k++) {
      r = raced[k] "/"
      printf "| %s | %.4f | %.4f | %.4f | %.4f | %s | %.4f |\n", raced[k], torch[r "torch.mv fp32"], torch[r "gemv_kernel5"], torch[r "torch.mv fp16"], torch[r "gemv_kernel8"],
        (r "torch int4 (bf16)") in torch ? sprintf("%.4f", torch[r "torch int4 (bf16)"]) : "-", torch[r "gemv_kernel10"]
    }

    split("1 2 3 4 5 9 10", versions, " ")
    for (k = 1; k <= 7; k++) {
      v = "gemv_kernel" versions[k] " "
      printf "| %s | %.0f | %.1f | %.0f | %.0f | %.0f | %.0f |\n", "gemv_kernel" versions[k], counter[v "dram__bytes_read.sum"] / 1e6,
        counter[v "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"], counter[v "smsp__issue_active.avg.pct_of_peak_sustained_active"],
        counter[v "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"], counter[v "sm__warps_active.avg.pct_of_peak_sustained_active"], counter[v "launch__registers_per_thread"]
    }
  }' h200.txt

# The tuning: the fastest kernel for each way to unpack the weights, at 28672 x 8192.
awk -F, '
  $1 != "28672x8192" || NF < 7 { next }
  { how = $2; sub(/S?_.*/, "", how) }
  !(how in best) || $5 < best[how] { best[how] = $5; error[how] = $7 }
  END {
    split("i4cvt i4f i4h8 i4h32 i4s i8cvt i8 i8h", name, " ")
    split("int4: shift, mask, convert; sums in fp32|int4: 1024 + w in fp16; sums in fp32|int4: 1024 + w; 8 products added in fp16|int4: 1024 + w; 32 products added in fp16|int4: subnormal numbers; 32 products added in fp16: version 10|int8: convert; sums in fp32|int8: 1024 + w in fp16; sums in fp32: version 9|int8: 1024 + w; 16 products added in fp16", words, "|")
    for (k = 1; k <= 8; k++) printf "| %s | %.1f | %.2g |\n", words[k], best[name[k]], error[name[k]]
  }' tuning/h200.txt

# Where the loads stand, at 8192 x 8192, in percent of the copy of the same run.
awk '
  /^--- loads/ { round = $0 ~ /before/ ? "round" : "top"; next }
  /^registers/ { for (k = 3; k <= 8; k++) uses[round, k] = $(NF - 8 + k) }
  /^---/ { round = "" }
  round != "" && /^gemv_kernel/ && !((round, $1) in percent) { percent[round, $1] = $NF }
  END {
    for (v = 3; v <= 8; v++) {
      name = "gemv_kernel" v
      printf "| %s | %s | %s | %.1f | %.1f |\n", name, uses["top", v], uses["round", v], percent["top", name], percent["round", name]
    }
  }' tuning/h200.txt
