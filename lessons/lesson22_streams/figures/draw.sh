#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: pipeline2, pipeline3, pipeline4 or pipeline6. What is in them, NAME.txt, the program has
# written (TIMELINE=NAME.txt make lesson22 run V=2).
set -eu
cd "$(dirname "$0")"
sh ../timeline.sh "$1.txt"
