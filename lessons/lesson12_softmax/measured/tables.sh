#!/bin/sh
# tables.sh: prints the rows of the page's H200 tables and, behind `~`, what its text says of them, made from h200.txt (which record.sh
# printed on that machine) and from tuning/first.txt and tuning/second.txt (sweep.cu). tests/lessons/tables.test.sh looks whether the page has them.
set -eu
cd "$(dirname "$0")"

awk '
  FNR == 1 { shape = section = "" }

  # tuning/: candidates of sweep.cu, the fastest first.
  FILENAME ~ /tuning/ {
    if (/^--- /) { shape = $2 " " $3 "x" $5; sub(/,.*/, "", shape) }
    else if ($NF == "%") {
      name = substr($0, 1, 48)
      sub(/ +$/, "", name)
      if (!((FILENAME " " shape " " name) in tuned)) tuned[FILENAME " " shape " " name] = $(NF - 1)
      kind = $1
      if (!((FILENAME " " shape " best " kind) in tuned)) tuned[FILENAME " " shape " best " kind] = $(NF - 1)
    }
    next
  }

  # h200.txt: tables for each shape; a row is a name, milliseconds, ..., percent.
  /^--- / { section = substr($0, 5); shape = ""; next }
  /^[0-9]+ x [0-9]+(, bfloat16|, masked)?$/ {
    columns = $3
    sub(/,/, "", columns)
    shape = section " " $1 "x" columns (NF > 3 ? " " $4 : "")
  }
  shape != "" && /^(copy kernel|torch |softmax_kernel)/ {
    percent[shape " " $1] = $NF
    for (k = 2; k <= NF; k++)
      if ($k ~ /^[0-9]+\.[0-9]+$/) { ms[shape " " $1] = $k; break }
  }
  section ~ /^ncu/ && NF == 3 { counter[section " " $1 " " $2] = $3 }

  function of(key) { return key in percent ? percent[key] : "-" }
  function pct(key) { return key in percent ? sprintf("%.1f", percent[key]) : "-" }
  function of_ncu(section, v, metric) { return counter[section " softmax_kernel" v " " metric] }
  END {
    first = "lesson12, SEED=1 "
    second = "lesson12, SEED=2 "
    torch = "PyTorch, in turns "
    printf "~ A copy of 32768 x 8192 takes %s ms.\n", ms[first "32768x8192 copy"]
    count = split("32768x8192 524288x256 1000000x64 10000x50257 4096x131072 32x131072", shapes, " ")
    for (v = 1; v <= 9; v++) {
      printf "| softmax_kernel%d | | %s |", v, ms[first "32768x8192 softmax_kernel" v]
      for (s = 1; s <= count; s++) printf " %s |", pct(first shapes[s] " softmax_kernel" v)
      printf "\n"
    }
    for (s = 1; s <= count; s++) {
      text = shapes[s]
      sub(/x/, " x ", text)
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", text, pct(torch shapes[s] " torch"), pct(torch shapes[s] " softmax_kernel9"), pct(second shapes[s] " softmax_kernel9"),
        pct(torch shapes[s] " bfloat16 torch"), pct(torch shapes[s] " bfloat16 softmax_kernel11"), pct(second shapes[s] " bfloat16 softmax_kernel11")
    }
    count = split("32768x8192 65536x4096", shapes, " ")
    for (s = 1; s <= count; s++) {
      text = shapes[s]
      sub(/x/, " x ", text)
      printf "| %s | %s | %s |\n", text, pct(torch shapes[s] " masked torch"), pct(torch shapes[s] " masked softmax_kernel10")
    }
    big = "ncu, 8192 x 8192"
    for (v = 2; v <= 5; v++)
      printf "| softmax_kernel%d | %.0f | %.2f | %.0f | %.0f | %.0f |\n", v, of_ncu(big, v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") * 32 / 8192 / 8192,
        of_ncu(big, v, "dram__bytes_read.sum") / 8192 / 8192 / 4, of_ncu(big, v, "launch__registers_per_thread"),
        of_ncu(big, v, "sm__warps_active.avg.pct_of_peak_sustained_active"), of_ncu(big, v, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
    split("3 9", versions, " ")
    big = "ncu, 512 x 131072"
    for (k = 1; k <= 2; k++) {
      v = versions[k]
      printf "| softmax_kernel%d | %.2f | %.0f |\n", v, of_ncu(big, v, "dram__bytes_read.sum") / 512 / 131072 / 4, of_ncu(big, v, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
    }
    split("lesson12 four streaming", variants, " ")
    split("as it is|four `float4` in each thread|loads and stores that ask not to be kept in L2 (`__ldcs`, `__stcs`)", words, "|")
    for (k = 1; k <= 3; k++) printf "| %s | %s |\n", words[k], pct(variants[k] ", V=5 32768x8192 softmax_kernel5")
    split("lesson12 by_index", variants, " ")
    split("as it is: two blocks for each row|known by `blockIdx`, without drawing a number", words, "|")
    for (k = 1; k <= 2; k++) printf "| %s | %s |\n", words[k], pct(variants[k] ", V=9 4096x131072 softmax_kernel9")

    big = "ncu, 8192 x 8192"
    printf "~ its three passes read device memory %.2f times\n", of_ncu(big, 2, "dram__bytes_read.sum") / 8192 / 8192 / 4
    printf "~ %.0f million instructions of warps, where version 2 has %.0f million\n", of_ncu(big, 3, "smsp__inst_executed.sum") / 1e6, of_ncu(big, 2, "smsp__inst_executed.sum") / 1e6
    printf "~ In a second run, with another seed, version 5 comes to %s %% of the copy at 32768 x 8192, version 7 to %s %% at 1000000 x 64, version 9 to %s %% at 4096 x 131072.\n", pct(second "32768x8192 softmax_kernel5"), pct(second "1000000x64 softmax_kernel7"), pct(second "4096x131072 softmax_kernel9")
    printf "~ At 50257 columns PyTorch is faster than version 11, %s %% against %s %%\n", pct(torch "10000x50257 bfloat16 torch"), pct(torch "10000x50257 bfloat16 softmax_kernel11")
    one = "tuning/first.txt f32 "
    two = "tuning/second.txt f32 "
    printf "~ in clusters came to %.1f %% of the copy, with words in global memory to %.1f %%\n", tuned[two "4096x131072 cluster 1024x8x4 min 1"], tuned[one "4096x131072 share 1024x8x4 memset min 1"]
    printf "~ reading twice, from L2, came to %.1f %%\n", tuned[one "4096x131072 best reread"]
    printf "~ two passes with four `float4` at a time came to %.1f %% in the tuning\n", tuned[one "32768x8192 2 passes, 512x4 unroll 4"]
    printf "~ came to %.1f %%, blocks that come and go to %.1f %%\n", tuned[one "32768x8192 best stay"], tuned[one "32768x8192 best block"]
  }' tuning/first.txt tuning/second.txt h200.txt
