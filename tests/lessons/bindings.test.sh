#!/bin/sh
# The table of all bindings: bench/bindings/run.py measures what lessons' measured/binding.py say, counts lines as its words promise, refuses a binding
# whose results are wrong, and says why it leaves one out. (tables.test.sh checks that README.md has what is recorded.)
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu

for binding in lessons/*/measured/binding.py; do
  lesson=${binding%/measured/binding.py}
  capture python3 bench/bindings/measure.py "$lesson" none lines
  expect "$lesson has lines of a binding" 0 '^lines [1-9][0-9]*$'
done

made=$scratch/lesson99_made
mkdir -p "$made/measured"
cat >"$made/some.py" <<'END'
"""What documents is no code.
And its second line is none, either."""

import os  # not of f, nor of C


@os.fspath
def f(x):
    """Not code."""
    # nor this
    text = """but
    this is"""

    return text + x


class C:
    pass
END
cat >"$made/some.cpp" <<'END'
/* Two lines
 * of a comment. */
#include <x.h>

int f() { // with code
    // without
    return 1;
}

// ---------------------------------------------------------------- for the lesson: not counted
int g() { return 2; }

// ---------------------------------------------------------------- the module
int h;
END
binding() { # CODE FORWARD
  printf 'CODE = %s\nCOMPILES = False\nEMPTY = None\ndef files(folder):\n    return {}\ndef opened():\n    return (lambda: None), %s\n' "$1" "$2" \
    >"$made/measured/binding.py"
  capture python3 bench/bindings/measure.py "$made" none lines
}
binding '["some.py#f"]' None
expect "lines of a function: without comments and texts" 0 '^lines 5$'
binding '["some.py#f,C"]' None
expect "lines of a function and a class" 0 '^lines 7$'
binding '["some.cpp"]' None
expect "lines of C++: without comments and what is for the lesson" 0 '^lines 5$'
binding '["some.py#g"]' None
expect "a function that is not there is an error" error 'there is no function or class g'

if ! python=$(DOWNLOAD=0 sh tools/python/environment.sh 27 2>/dev/null); then
  skip "bindings are measured" "NumPy cannot be had"
  exit
fi
. tools/messages.sh
. tools/actions/backend.sh
choose_backend
run_made() { capture env PYTHONPATH="$PWD" CUDA_RUNTIME="libcudart.so.$CUDA_MAJOR" "$python" bench/bindings/measure.py "$made" none calls; }
binding '["some.py#f"]' 'lambda x: 0 * x'
run_made
expect "a binding whose result is wrong has no row" error 'forward of 1000 elements is wrong'
binding '["some.py#f"]' 'lambda x: __import__("numpy").array([0.5 * v * (1 + __import__("math").erf(v / 2**0.5)) for v in x.tolist()])'
run_made
expect "one whose result is right has its empty call, and nothing that needs a GPU" 0 '^empty  [0-9.]+ us'
case $output in *KB* | *MB*) no "no call with data is timed on the emulator" "$output" ;; *) pass "no call with data is timed on the emulator" ;; esac

capture env QUIET=1 sh tools/compile/build.sh lessons/lesson27_ctypes/lesson27.py build/tests/lessons/lesson27
capture env BUILT=1 ROUNDS=1 python3 bench/bindings/run.py 27
expect "run.py prints a lesson's record: lines and size" 0 '^size [0-9]+ library$'
expect "run.py prints a lesson's record: the empty call" 0 '^empty  [0-9.]+ us'
capture cat build/bindings/cpu.csv
expect "run.py writes the record: lines" 0 '^cpu 27 ctypes,binding,lines,[1-9][0-9]*,,,'
expect "run.py writes the record: the empty call" 0 '^cpu 27 ctypes,empty,µs,[0-9.]+,µs,,'
capture env BUILT=1 ROUNDS=1 PYTHON=false python3 bench/bindings/run.py 27
expect "run.py says why it leaves one out" 0 '^skipped: lesson 27 needs Python 3.10 or newer'
