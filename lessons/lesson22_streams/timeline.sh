#!/bin/sh
# timeline.sh FILE > picture.svg: draws what the program has written to the file that TIMELINE names:
#     TIMELINE=order.txt make lesson22 run V=4
#     sh lessons/lesson22_streams/timeline.sh order.txt > order.svg
# A row is a stream, a box is an operation. Columns are steps (the order that is forced), or time, where a GPU has measured it.
set -eu
[ "$1" = - ] || exec <"$1"
exec python3 "$(dirname "$0")/../../tools/workbook" timeline
