#!/bin/sh
# fill_in.sh: writes the table of both reports into the page again, from the emulator's profile and h200.txt. In the root of the workbook, behind
# a new record or a change of the lesson:
#     sh lessons/lesson25_profiling/measured/fill_in.sh
set -eu
folder=lessons/lesson25_profiling
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make lesson25 profile BACKEND=cpu V=1 KERNEL=turn CSV=1 >"$work/profile.csv" 2>"$work/log" || { cat "$work/log" >&2 && exit 1; }
sh $folder/measured/side_by_side.sh "$work/profile.csv" >"$work/rows"
awk -v rows="$work/rows" '
  inside && !/^\|/ { inside = 0 }
  !inside
  /^\| section of ncu / { getline; print; while ((getline line <rows) > 0) print line; inside = 1 }' $folder/README.md >"$work/README.md"
cat "$work/README.md" >$folder/README.md
