#!/bin/sh
# A page's figures are what figures/draw.py, or draw.sh, draws. A figure that is drawn from a record is that of the record:
# measured/NAME_figure.sh prints figures/NAME.svg.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

python3 tools/workbook figures --check || true

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

# chart CALL: draws a chart with it.
chart() { capture env PYTHONPATH=tools python3 -B -c "from workbook.charts import *; $1"; }
chart 'ladder("t", "n", "GB/s", "p", [Rung("a", float("nan"), 2)])'
expect "a rung without a number is refused" error 't: not a positive number: nan'
chart 'roofline("t", "n", Limit(4000, "m"), Limit(60, "p"), [Version("a", 1, float("inf"), 2, "left")])'
expect "a point without a number is refused" error 't, a: not a positive number: inf'
