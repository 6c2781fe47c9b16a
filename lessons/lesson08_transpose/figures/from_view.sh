#!/bin/sh
# from_view.sh: makes the figures that `make lesson08 view` draws, on the emulator: one store of version 1, and one load from the tile in versions 3
# and 4. Run it in the root of the workbook when lesson08.cu has changed: the figures name its lines.
set -eu
here=lessons/lesson08_transpose/figures

draw() { # VERSION PART-OF-THE-NAME FIGURE
  folder=$(mktemp -d)
  OUT=$folder V=$1 KERNEL=transpose_kernel$1 SIZE=128 BACKEND=cpu sh tools/actions/view.sh build/lessons/lesson08 >/dev/null 2>&1
  cp "$folder"/transpose_kernel"$1"_line*_"$2".svg $here/"$3".svg
  rm -rf "$folder"
}
draw 1 global_store store_scattered
draw 3 shared_load banks_plain
draw 4 shared_load banks_padding
