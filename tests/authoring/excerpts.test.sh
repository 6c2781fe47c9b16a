#!/bin/sh
# The code of pages: what a marker takes from a program, what it refuses, and what `fill` does with it.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
PYTHONPATH=tools python3 -B tests/authoring/excerpts.py "$scratch"
