#!/bin/sh
# pybind11.sh: builds lesson 28's package, which calls.py compares with; it records nothing.
set -eu
exec make -s lesson28
