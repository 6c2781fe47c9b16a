#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): who, fp32 or fp16, nprobe, the share that is
# read, recall, and microseconds of a query; then recall and microseconds of other vectors, from another seed. Behind "~ " are words of the page's
# text. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; seed = /race, SEED=[0-9]/ ? substr($3, 6) : 0; next }
  section ~ /lesson35/ && $1 ~ /^(groups4|batches5)$/ && NF == 3 { few[$1] = $3 }
  seed == 1 && $2 == "trained" { trained[$1] = $4; filled[$1] = $8 }
  seed && $1 == "faiss-cpu" && $4 == "threads" { threads = $3 }
  seed && $2 ~ /^float(16|32)$/ && $NF == "us" {
    row = $1 " " substr($2, 6) " " $3
    if (seed == 1) rows[++count] = row
    read[seed, row] = $4
    recall[seed, row] = $6
    time[seed, row] = $7
  }

  function of(row) { return time[1, row] }
  function ratio(slow, fast) { return of(slow) / of(fast) }
  function size(x) { return x < 0 ? -x : x }

  # At how many times the speed of groups4 batches5 is, for each number of probes.
  function batches(bits, all, i, word) {
    for (i = 1; i <= count; i++) {
      split(rows[i], word, " ")
      if (word[1] == "batches5" && word[2] == bits)
        all = all sprintf("%s%.1f with %d", all ? ", " : "", ratio("groups4 " bits " " word[3], rows[i]), word[3])
    }
    return all
  }

  # The most that seed 2 differs in time, in % of seed 1, and that fp16 loses of an index in recall.
  function worst(peer, i, most, differs) {
    for (i = 1; i <= count; i++) if ((rows[i] ~ /^faiss/) == peer) {
      differs = 100 * size(time[2, rows[i]] / of(rows[i]) - 1)
      if (differs > most) most = differs
    }
    return most
  }
  function lost(i, half, most) {
    for (i = 1; i <= count; i++) if (rows[i] ~ /^(lists3|groups4|batches5) 32/) {
      half = rows[i]
      sub(/ 32/, " 16", half)
      if (recall[1, rows[i]] - recall[1, half] > most) most = recall[1, rows[i]] - recall[1, half]
    }
    return most
  }

  # What groups4 reads in a second: the share of a million vectors of 128 numbers.
  function terabytes(bits, row) {
    row = "groups4 " bits " 64"
    return read[1, row] / 100 * 1e6 * 128 * bits / 8 / of(row) / 1e6
  }

  END {
    for (i = 1; i <= count; i++) {
      split(rows[i], word, " ")
      name = word[1] == "faiss-cpu" ? word[1] ", " threads " CPU threads" : word[1]
      printf "| %s | float%s | %s | | %s | %s | %s | %s | %s |\n", name, word[2], word[3] + 0 ? word[3] : "all", read[1, rows[i]], recall[1, rows[i]],
        of(rows[i]), recall[2, rows[i]], time[2, rows[i]]
    }
    printf "~ makes %.0f times the speed\n", ratio("brute1 32 0", "tiles2 32 0")
    printf "~ %.1f µs with tiles2, %.1f with PyTorch\n", of("tiles2 32 0"), of("PyTorch 32 0")
    printf "~ At a recall of %.3f batches5 is %.1f times as fast as tiles2, groups4 %.1f times, lists3 %.1f times\n", recall[1, "batches5 32 64"],
      ratio("tiles2 32 0", "batches5 32 64"), ratio("tiles2 32 0", "groups4 32 64"), ratio("tiles2 32 0", "lists3 32 64")
    printf "~ Against PyTorch, the faster brute force, it is %.1f, %.1f and %.1f times\n", ratio("PyTorch 32 0", "batches5 32 64"),
      ratio("PyTorch 32 0", "groups4 32 64"), ratio("PyTorch 32 0", "lists3 32 64")
    printf "~ in %s µs are %.1f TB/s\n", of("groups4 32 64"), terabytes(32)
    printf "~ in %s µs are %.1f again\n", of("groups4 16 64"), terabytes(16)
    printf "~ in %s µs would be %.1f TB/s\n", of("batches5 32 64"), terabytes(32) / 4 * ratio("groups4 32 64", "batches5 32 64")
    printf "~ times as fast as groups4: %s\n", batches(32)
    printf "~ In fp16 it is %s\n", batches(16)
    printf "~ With 64 probes groups4 is %.2f times as fast as in fp32, batches5 %.2f times, lists3 %.2f times\n", ratio("groups4 32 64", "groups4 16 64"),
      ratio("batches5 32 64", "batches5 16 64"), ratio("lists3 32 64", "lists3 16 64")
    printf "~ tiles2 takes %.2f times as long\n", ratio("tiles2 16 0", "tiles2 32 0")
    printf "~ at most %.4f of the recall\n", lost()
    printf "~ by at most %.1f %%, those of faiss-cpu by up to %.0f %%\n", worst(0), worst(1)
    printf "~ With 64 probes it has found %s at %s %%\n", recall[2, "batches5 32 64"], read[2, "batches5 32 64"]
    printf "~ faiss-cpu finds %s, where ours finds %s\n", recall[1, "faiss-cpu 32 64"], recall[1, "batches5 32 64"]
    printf "~ takes %.0f µs for a query\n", of("faiss-cpu 32 64")
    printf "~ takes %s µs with groups4 and %s with batches5\n", few["groups4"], few["batches5"]
    printf "~ training %s and filling %s\n", trained["float32:"], filled["float32:"]
  }' h200.txt
