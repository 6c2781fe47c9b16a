#!/bin/sh
# What a lesson takes by the formula: which words, versions and TODOs it counts, where that is written, and which sitting needs a rest.
# quick
set -eu
cd "$(dirname "$0")/../.."
PYTHONPATH=tools exec python3 -B tests/authoring/minutes.py
