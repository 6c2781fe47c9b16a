#!/bin/sh
# A figure that is drawn from a record is that of the record: measured/NAME_figure.sh prints figures/NAME.svg. And where figures/draw.sh draws a
# page's figures, they are what it draws.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

for script in lessons/*/measured/*_figure.sh; do
  [ -f "$script" ] || continue
  name=${script##*/}
  figure=${script%measured/*}figures/${name%_figure.sh}.svg
  if sh "$script" | cmp -s - "$figure"; then
    pass "$figure is that of its record"
  else
    no "$figure is that of its record" "run: sh $script > $figure"
  fi
done

for script in lessons/*/figures/draw.sh; do
  [ -f "$script" ] || continue
  for figure in $(sed -n '2s/.*draws.*: \(.*\)\. .*/\1/p' "$script" | sed 's/,//g; s/ or / /; s/ and / /'); do
    file=$(dirname "$script")/$figure.svg
    if sh "$script" "$figure" | cmp -s - "$file"; then
      pass "$file is what draw.sh draws"
    else
      no "$file is what draw.sh draws" "run: sh $script $figure > $file"
    fi
  done
done
