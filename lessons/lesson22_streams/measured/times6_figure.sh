#!/bin/sh
# times6_figure.sh: prints figures/times6.svg: what version 6 did when, on an H200, from h200.txt.
set -eu
cd "$(dirname "$0")"
awk '/^--- / { wanted = /timeline, V=6/ } wanted && ($1 == "title" || $1 == "unit" || $1 ~ /^(in|run|out|sum)$/)' h200.txt | sh ../timeline.sh -
