#!/bin/sh
# headline.sh: prints what README.md says of this lesson in one phrase, made from h200.txt.
set -eu
folder=$(dirname "$0")
megabytes=$(($(sh "$folder/../../../tools/authoring/size_of.sh" "$folder/h200.txt") * 4 / 1000000))
sh "$folder/tables.sh" | awk -F ' *\| *' -v megabytes="$megabytes" '
  $2 == "scale1 pageable" { pageable = $4 }
  $2 == "scale2 pinned" { printf "%s MB there and back: pageable memory %s GB/s, pinned %s\n", megabytes, pageable, $4 }'
