#!/bin/sh
# explain.sh LOG ARCHITECTURES: a sentence about errors of the compiler whose own advice leads a learner astray. ARCHITECTURES has, first, the one
# that the file was compiled for, as in compute_75.
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
# What another GPU has: nvcc does not declare it, and ptxas names an architecture or a version.
if grep -Eq 'requires \.target sm_|identifier "(__reduce_[a-z]*_sync|__nanosleep|__hmax_nan|__hmin_nan|__hfma_relu)" is undefined|not supported on .*(sm_|compute_)[0-9]|[Nn]ot supported .*architecture' "$1"; then
  number=$(printf '%s\n' "$2" | tr ' ,=' '\n' | sed -n 's/^\(sm\|compute\)_\([0-9]*\)\([0-9]\)[af]*$/\2.\3/p' | head -n 1)
  needed=$(sed -n 's/.*requires \.target sm_\([0-9]*[af]*\).*/\1/p' "$1" | head -n 1)
  echo "An exercise is compiled for the oldest GPU that it is for${number:+, here of compute capability $number}. For a newer one add a line to your file:"
  echo "// nvcc: -gencode arch=compute_${needed:-80},code=compute_${needed:-80}"
fi
