#!/bin/sh
# The formulas of pages, the records that they are over and the lists of what is recorded: what they give, and what they refuse.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
PYTHONPATH=tools python3 -B tests/authoring/formulas.py "$scratch"
