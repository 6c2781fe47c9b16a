#!/bin/sh
# explain.sh LOG: a sentence about errors of the compiler whose own advice leads a learner astray.
set -eu

if grep -q 'constexpr __host__ function' "$1"; then
  echo "In a kernel take the functions for floats, sqrtf(2.0f) or fmaxf(a, b), and constants such as M_SQRT1_2; no flag is needed."
fi
if grep -q 'undefined reference to' "$1"; then
  echo "A function is used that nobody defines: is its name spelled alike in both places?"
fi
if grep -Eq 'fatal error: .*: (No such file or directory|Permission denied)' "$1"; then
  echo "A submission may include its own headers (beside it or below), what lies in common/, and the toolkit's. Nothing else is there while it is compiled."
fi
