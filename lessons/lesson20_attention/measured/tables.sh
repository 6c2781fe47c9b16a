#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (which record.sh printed). tests/lessons/tables.test.sh looks whether the
# page has them, as soon as there is a record. In this order: TFLOP/s forward, errors, TFLOP/s backward, decode.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }

  # "16 x 1024    full    version 2         1.2345 ms     1.2 ..    1.3    100.0 TFLOP/s   95.0 % of FlashAttention-2   60.0 % of cuDNN"
  section ~ /^--- race, SEED=1/ && / ms / && / TFLOP\/s/ {
    key = $1 " x " $3 ", " $4
    name = $5 == "version" ? $5 " " $6 : $5
    if (!(key in row)) { row[key] = ""; order[++keys] = key }
    for (f = 1; f <= NF; f++) if ($f == "TFLOP/s") {
      row[key] = row[key] sprintf(" %.0f |", $(f - 1))
      if (name == "version 3") flash[key] = $(f + 1)
      if (name == "version 5") cudnn[key] = $(f + 5)
    }
  }
  # "full    Q x 1  version 2         error 0.300 %  largest 0.00123"
  section ~ /^--- race, SEED=1/ && / error / {
    name = $5 == "version" ? $5 " " $6 : $5
    if (!(name in errors)) { errors[name] = ""; by[++names] = name }
    for (f = 1; f <= NF; f++) if ($f == "error") errors[name] = errors[name] sprintf(" %s |", $(f + 1))
  }
  # "2 x 8192    full    lesson 20         1.2345 ms     1.2 ..    1.3    100.0 TFLOP/s   95.0 %"
  section ~ /^--- backward race, SEED=1/ && / ms / && / TFLOP\/s/ {
    key = $1 " x " $3 ", " $4
    if (!(key in back)) { back[key] = ""; backs[++count] = key }
    for (f = 1; f <= NF; f++) if ($f == "TFLOP/s") back[key] = back[key] sprintf(" %.0f |", $(f - 1))
  }
  # "decode: 16 sequences, 8704 to 16384 keys, ...", then "decode_kernel3  0.1 0.1 .. 0.1  GB/s  -  % of copy"
  section ~ /^--- decode, SEED=1/ && /^decode: / { shape = $2 " x " $6 ", pages of " $0; sub(/pages of .*pages of /, "pages of ", shape); sub(/;.*/, "", shape) }
  section ~ /^--- decode, SEED=1/ && /^decode_kernel/ && $4 == ".." {
    if (!(shape in decoded)) { decoded[shape] = ""; shapes[++many] = shape }
    decoded[shape] = decoded[shape] sprintf(" %.1f |", $NF)
  }
  END {
    for (k = 1; k <= keys; k++) printf "| %s |%s %.0f | %.0f |\n", order[k], row[order[k]], flash[order[k]], cudnn[order[k]]
    for (k = 1; k <= names; k++) printf "| %s |%s\n", by[k], errors[by[k]]
    for (k = 1; k <= count; k++) printf "| backward, %s |%s\n", backs[k], back[backs[k]]
    for (k = 1; k <= many; k++) printf "| decode, %s |%s\n", shapes[k], decoded[shapes[k]]
  }' h200.txt
