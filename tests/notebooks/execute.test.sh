#!/bin/sh
# A lesson's notebook, with its exercise solved, runs from its first cell to its last.
# runs for each exercise
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
unset LESSON LIMIT PYTHON
export BACKEND=cpu

number=$1
folder=$(echo lessons/lesson"${number}"_*)
lesson=${folder#lessons/}
name="the notebook of $lesson runs from its first cell to its last"
need_jupyterlab "$name"

.venv/bin/python tools/notebooks/make.py --solved "$scratch/solved" "$number" >/dev/null
capture .venv/bin/python tools/notebooks/execute.py "$scratch/executed" "$scratch/solved"/*.ipynb
if [ "$status" = 0 ] && printf '%s\n' "$output" | grep -q "^ok   $lesson:"; then
  pass "$name"
elif printf '%s\n' "$output" | grep -q 'DOWNLOAD=0'; then
  skip "$name" "what it needs is large; DOWNLOAD=1 make test does it"
elif printf '%s\n' "$output" | grep -q 'pip could not install it'; then
  skip "$name" "the packages of its requirements.txt cannot be installed here (no network, or none for this Python)"
else
  no "$name" "it does not"
  show_output
fi
