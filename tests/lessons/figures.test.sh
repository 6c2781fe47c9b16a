#!/bin/sh
# A page's figures are what figures/draw.py draws, those of a record what the record says. Charts refuse what is no number.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

# chart CALL: draws a chart with it.
chart() { capture env PYTHONPATH=tools python3 -B -c "from workbook.charts import *; $1"; }
chart 'ladder("t", "n", "GB/s", "p", [Rung("a", float("nan"), 2)])'
expect "a rung without a number is refused" error 't: not a positive number: nan'
chart 'roofline("t", "n", Limit(4000, "m"), Limit(60, "p"), [Version("a", 1, float("inf"), 2, "left")])'
expect "a point without a number is refused" error 't, a: not a positive number: inf'

python3 tools/workbook figures --check
