#!/bin/sh
# A figure that is drawn from a record is that of the record: measured/NAME_figure.sh prints figures/NAME.svg.
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
