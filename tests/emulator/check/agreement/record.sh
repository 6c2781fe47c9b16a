#!/bin/sh
# record.sh OUTPUT: runs the programs of this folder under compute-sanitizer's four tools on this machine's GPU and writes
# OUTPUT/h200.csv (program, tool, errors, warnings, first finding) and OUTPUT/h200.txt.gz (all that was said). Those in this
# folder are from an H200 (CUDA 13.0, driver 580, compute-sanitizer 2025.3.1).
set -eu
cd "$(dirname "$0")"
work=${WORK:-/tmp/agreement}
mkdir -p "$work"

# record.sh --one NAME TOOL: one run.
if [ "$1" = --one ]; then
  options=''
  [ "$3" != memcheck ] || options='--leak-check full'
  status=0
  timeout 40 compute-sanitizer --tool "$3" $options "$work/all" "$2" >"$work/$2.$3" 2>&1 || status=$?
  echo "status $status" >>"$work/$2.$3"
  exit
fi

output=$1
mkdir -p "$output"
./make_all.sh "$work/all.cu"
nvcc -O3 -lineinfo -std=c++17 -arch=sm_90 -o "$work/all" "$work/all.cu" 2>"$work/log" || { cat "$work/log"; exit 1; }
for source in *.cu; do
  for tool in memcheck racecheck synccheck initcheck; do echo "${source%.cu} $tool"; done
done >"$work/runs"
WORK=$work xargs -P 12 -L 1 ./record.sh --one <"$work/runs"

while read -r name tool; do
  awk -v name="$name" -v tool="$tool" '
    /SUMMARY: [0-9]+ (error|hazard)/ {
      errors = warnings = 0
      for (i = 1; i < NF; i++) {
        if ($(i + 1) ~ /^errors?,?$/) { errors = $i; gsub(/[^0-9]/, "", errors) }
        if ($(i + 1) ~ /^warnings?\)?$/) { warnings = $i; gsub(/[^0-9]/, "", warnings) }
      }
      seen = 1
    }
    /^========= / && !/COMPUTE-SANITIZER|SUMMARY/ && !first { first = $0; sub(/^========= */, "", first) }
    END { gsub(/"/, "", first); printf "%s,%s,%s,%s,\"%s\"\n", name, tool, seen ? errors : "none", seen ? warnings : "none", first }
  ' "$work/$name.$tool"
done <"$work/runs" >"$output/h200.csv"
while read -r name tool; do
  echo "##### $name $tool"
  cat "$work/$name.$tool"
done <"$work/runs" | gzip -9n >"$output/h200.txt.gz"
