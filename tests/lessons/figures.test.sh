#!/bin/sh
# A page's figures are what figures/draw.py draws, those of a record what the record says. Charts refuse what is no number, drawings
# a class without a look.
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

capture env PYTHONPATH=tools python3 -B -c "
from pathlib import Path
from workbook.drawing import Drawing, Style
from workbook.figures import draw_figure
def cells():
    drawing = Drawing(9, 9, 't', 'd', Style('on2'))
    drawing.cell(0, 0, 9, 'on2', 1)
    return drawing
draw_figure(Path('draw.py'), 'cells', cells)"
expect "a class that the style lacks is named, with its figure" error 'draw.py, cells: the style has no mid mono: add it to the classes of Style'

python3 tools/workbook figures --check
