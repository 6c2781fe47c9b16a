#!/bin/sh
# ask_ptxas.sh PTXAS SOURCE PTX...: fails with ptxas's words, those about a line of PTX with the line of the source, when it refuses to
# make machine code of the PTX that nvcc has made of a program. Whether it is fast code does not matter: -O0. RELOCATABLE=1: what is
# missing in a file is in another one.
set -eu
ptxas=$1 source=$2
shift 2

# The source's line is in the last .loc before the line of PTX.
source_lines() { # PTX
  awk -v source="$source" -v ptx="$1" '
    FILENAME == ptx { if ($1 == ".loc") at = $3; line_of[FNR] = at; next }
    match($0, /, line [0-9]+;/) {
      line = substr($0, RSTART + 7, RLENGTH - 8)
      $0 = source (line_of[line] ? "(" line_of[line] ")" : "") ":" substr($0, RSTART + RLENGTH)
    }
    { print }' "$1" -
}

failed=0
for ptx; do
  [ -f "$ptx" ] || continue
  arch=$(sed -n '/^\.target \(sm_[0-9a-z]*\).*/{s//\1/p;q;}' "$ptx")
  if ! said=$("$ptxas" -O0 ${RELOCATABLE:+-c} -arch="$arch" "$ptx" -o /dev/null 2>&1); then
    printf '%s\n' "$said" | source_lines "$ptx" >&2
    failed=1
  fi
done
exit "$failed"
