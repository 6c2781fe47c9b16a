#!/bin/sh
# What the lessons in Python share: the comparison that lets nothing slip through, options, and a bad result that ends with FAIL. And what lesson 27
# measures with is right on the emulator, where nothing is timed.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tools/messages.sh
. tools/actions/backend.sh
make_scratch
need_python "what lessons in Python share" 27
python=$(sh tools/python/environment.sh 27)
export BACKEND=cpu QUIET=1 CUDA_RUNTIME="libcudart.so.$CUDA_MAJOR" PYTHONPATH="$PWD:$PWD/lessons/lesson27_ctypes" LESSON_LIBRARIES="$scratch"
choose_backend

cat >"$scratch/compare.py" <<'END'
import sys

import numpy as np
from common import device, verify

one = np.ones(5, np.float32)
nan, inf = np.float32(np.nan), np.float32(np.inf)
with_nan, with_inf = one.copy(), one.copy()
with_nan[2], with_inf[2] = nan, inf
poison = verify.poisoned(5)
half_written = one.copy()
half_written[4] = poison[0]
cases = {
    "the same": (one, one, True),
    "within the tolerance": (one + np.float32(5e-6), one, True),
    "outside of it": (one + np.float32(5e-5), one, False),
    "NaN for a number": (with_nan, one, False),
    "a number for NaN": (one, with_nan, False),
    "NaN for NaN": (with_nan, with_nan, True),
    "poison for NaN": (poison, np.full(5, nan), False),
    "the last was never written": (half_written, one, False),
    "infinity for a number": (with_inf, one, False),
    "infinity for infinity": (with_inf, with_inf, True),
    "the other infinity": (with_inf, -with_inf, False),
    "another shape": (one, one[:4], False),
}
for name, (found, expected, right) in cases.items():
    print("ok" if verify.floats(name, found, expected, 1e-6, 1e-5) == right else "not ok", "verify.py:", name)
print("ok" if verify.is_poison(poison).all() and np.isnan(poison).all() else "not ok", "verify.py: poison is NaN")
print("ok" if not np.array_equal(verify.random(9, 0, 1, 1), verify.random(9, 0, 1, 2)) else "not ok", "verify.py: another seed")
sys.exit(verify.finish("compare"))
END
capture "$python" -B "$scratch/compare.py"
expect "a run with wrong results ends with FAIL" 1 '^FAIL: compare: 8 of 12 comparisons'
printf '%s\n' "$output" | grep -E '^(not )?ok '
expect "what was never written is said to be" 1 '4 +1 +nan  never written'
capture "$python" -B -c 'import sys; from common import verify; sys.exit(verify.finish("nothing"))'
expect "comparing nothing is no PASS" 1 '^FAIL: nothing: 0 of 0'

options() { capture env "$@" "$python" -B -c 'from common import device; o = device.read_options(7); print(o.size, o.seed, o.version)'; }
options A=1
expect "no options" 0 '^None 1 0$'
options SIZE=10 SEED=3 V=7
expect "options in the environment" 0 '^10 3 7$'
options V=8
expect "a version that is not there" 2 'V must be a whole number from 1 to 7, not 8'
options SIZE=1e3
expect "a size that is no whole number" 2 'SIZE must be a whole number'

sh tools/python/device_code.sh lessons/lesson27_ctypes/lesson27.py "$scratch" >/dev/null
"${HOST_COMPILER:-g++}" -Wall -Werror -O1 -shared -fPIC lessons/lesson27_ctypes/measured/loop.cpp -o "$scratch/libloop.so"
capture env FOLDER="$scratch" "$python" -B lessons/lesson27_ctypes/measured/calls.py
expect "measured/calls.py verifies what it measures" 0 '^PASS: calls: 4 comparisons'
case $output in *' us '*) no "and times nothing on the emulator" "a time was printed" && show_output ;; *) pass "and times nothing on the emulator" ;; esac

# A table of times, without a clock: a version that moves nothing has no speed.
cat >"$scratch/table.py" <<'END'
from common import bench

table = bench.Table.__new__(bench.Table)
table.rows = [("cudaMemcpy", 0, 4000000, 0.002), ("half", 1, 2000000, 0.002), ("nothing", 0, 0, 0.001)]
table.print_times()
END
capture "$python" -B "$scratch/table.py"
expect "bench.py: a speed, and how much of the copy's it is" 0 '^half +0.0020 +1000.0 +50.0$'
expect "bench.py: nothing to move, and no speed" 0 '^nothing +0.0010 +- +-$'
