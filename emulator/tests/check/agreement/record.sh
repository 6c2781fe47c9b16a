#!/bin/sh
# record.sh OUTPUT [NAMES...]: runs the programs of this folder (or those) under compute-sanitizer's four tools on this machine's
# GPU and writes OUTPUT/h200.csv (program, tool, errors, warnings, first finding) and OUTPUT/h200.txt.gz (all that was said).
# Those in this folder are from an H200 (CUDA 13.0, driver 580, compute-sanitizer 2025.3.1). Programs whose checks are
# all,unused are also run by the tool that looks for unused memory.
# record.sh --join OUTPUT: takes what OUTPUT has over into this folder's records.
set -eu
cd "$(dirname "$0")"
work=${WORK:-/tmp/agreement}
mkdir -p "$work"

# record.sh --build NAME
if [ "$1" = --build ]; then
  ./make_all.sh "$work/$2.cu" "$2"
  nvcc -O3 -lineinfo -std=c++17 -arch=sm_90 -o "$work/$2" "$work/$2.cu" 2>"$work/$2.log" || { cat "$work/$2.log"; exit 1; }
  exit
fi

# record.sh --one NAME TOOL: one run.
if [ "$1" = --one ]; then
  options=''
  tool=$3
  case $3 in memcheck) options='--leak-check full' ;; unused) tool=initcheck options=--track-unused-memory ;; esac
  status=0
  timeout "${TIMEOUT:-40}" compute-sanitizer --tool "$tool" $options "$work/$2" "$2" >"$work/$2.$3" 2>&1 || status=$?
  echo "status $status" >>"$work/$2.$3"
  exit
fi

# Lines of the programs that were recorded again replace the old ones; both files stay in order.
if [ "$1" = --join ]; then
  { cat "$2/h200.csv"; awk -F, 'NR == FNR { new[$1 $2] = 1; next } !($1 $2 in new)' "$2/h200.csv" h200.csv; } |
    LC_ALL=C sort -t , -k 1,1 -s >"$work/joined.csv"
  { gzip -dc "$2/h200.txt.gz"; gzip -dc h200.txt.gz; } | awk '
    /^##### / { key = $2 " " $3; keep = !(key in text); if (keep) order[++n] = key }
    keep { text[key] = text[key] $0 "\n" }
    END { for (i = 1; i <= n; i++) printf "%s", text[order[i]] }' | gzip -9n >"$work/joined.txt.gz"
  mv "$work/joined.csv" h200.csv
  mv "$work/joined.txt.gz" h200.txt.gz
  exit
fi

output=$1
shift
if [ "$#" = 0 ]; then
  for source in *.cu; do set -- "$@" "${source%.cu}"; done
fi
mkdir -p "$output"
printf '%s\n' "$@" | WORK=$work xargs -P "$(nproc)" -n 1 ./record.sh --build
for name in "$@"; do
  for tool in memcheck racecheck synccheck initcheck; do echo "$name $tool"; done
  ! grep -q '^// checks: .*unused' "$name.cu" || echo "$name unused"
done >"$work/runs"
WORK=$work xargs -P 14 -L 1 ./record.sh --one <"$work/runs"

while read -r name tool; do
  awk -v name="$name" -v tool="$tool" '
    /SUMMARY: [0-9]+ (error|hazard)/ && !/not printed/ {
      errors = warnings = 0
      for (i = 1; i < NF; i++) {
        if ($(i + 1) ~ /^errors?,?$/) { errors = $i; gsub(/[^0-9]/, "", errors) }
        if ($(i + 1) ~ /^warnings?\)?$/) { warnings = $i; gsub(/[^0-9]/, "", warnings) }
      }
      seen = 1
    }
    /^========= / && !/COMPUTE-SANITIZER|SUMMARY/ && !first { first = $0; sub(/^========= */, "", first) }
    /Access to .* is misaligned/ && first !~ /misaligned/ { first = first " (misaligned)" }
    END { gsub(/"/, "", first); printf "%s,%s,%s,%s,\"%s\"\n", name, tool, seen ? errors : "none", seen ? warnings : "none", first }
  ' "$work/$name.$tool"
done <"$work/runs" >"$output/h200.csv"
while read -r name tool; do
  echo "##### $name $tool"
  cat "$work/$name.$tool"
done <"$work/runs" | gzip -9n >"$output/h200.txt.gz"
