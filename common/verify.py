"""verify.py - is the result right? The equivalent of verify.h for lessons in Python, with NumPy arrays.

    x = verify.random(n, -3, 3, seed)               fresh input, the same for the same seed
    y = verify.poisoned(n)                          NaN until it is written
    verify.floats("gelu_forward", y, expected, 1e-6, 1e-5)
    verify.fact("the address is whole", found, expected)
    sys.exit(verify.finish("gelu"))                 PASS or FAIL, and the exit status

The poison is 0xFFFD, repeated: as half, bfloat16, float and double a NaN that no arithmetic produces. The comparison
is |found - expected| <= atol + rtol * |expected|, written so that a NaN is correct only where NaN is expected and a
kernel has written it.
"""

import numpy as np

SHOWN = 5
POISON = 0xFFFD
tally = {"comparisons": 0, "failures": 0}


def random(n, low, high, seed):
    return np.random.default_rng(seed).uniform(low, high, n).astype(np.float32)


def poison(array):
    """Fills an array of any type; it has to be contiguous."""
    raw = array.reshape(-1).view(np.uint8)
    raw[0::2], raw[1::2] = POISON & 0xFF, POISON >> 8
    return array


def poisoned(shape, dtype=np.float32):
    return poison(np.empty(shape, dtype))


def is_poison(found):
    if found.dtype != np.float32:
        return np.zeros(found.shape, bool)
    return np.ascontiguousarray(found).view(np.uint32) >> 16 == POISON


def wrong(found, expected, atol, rtol):
    """The positions where they disagree, element by element."""
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        close = difference <= atol + rtol * np.abs(expected.astype(np.float64))
    special = np.isinf(expected) | np.isinf(found)
    close = np.where(special, found == expected, close)
    both_nan = np.isnan(expected) & np.isnan(found) & ~is_poison(found)
    return ~(close | both_nan)


def floats(name, found, expected, atol, rtol):
    """True when all agree; otherwise the first mismatches are printed, with their positions."""
    tally["comparisons"] += 1
    if found.shape != expected.shape:
        tally["failures"] += 1
        print(f"{name}: the shape is {found.shape}, expected {expected.shape}")
        return False
    bad = np.flatnonzero(wrong(found, expected, atol, rtol))
    if bad.size == 0:
        return True
    tally["failures"] += 1
    print(f"{name}: wrong for n = {found.size}\n    {'index':>12}  {'expected':>16}  {'found':>16}")
    for i in bad[:SHOWN]:
        written = "  never written" if is_poison(found).flat[i] else ""
        print(f"    {i:12}  {expected.flat[i]:16.9g}  {found.flat[i]:16.9g}{written}")
    print(f"    {bad.size} of {found.size} are wrong{', the first ones are shown' if bad.size > SHOWN else ''}")
    return False


def fact(name, found, expected):
    """A value that is not an array: it must be the one that the lesson states."""
    if found != expected:
        tally["failures"] += 1
        print(f"{name}: expected {expected!r}, found {found!r}")
    return found == expected


def finish(what):
    """The last line of a lesson and its exit status. A run that compared nothing has not passed."""
    comparisons, failures = tally["comparisons"], tally["failures"]
    if failures or not comparisons:
        print(f"FAIL: {what}: {failures} of {comparisons} comparisons with the CPU reference failed")
        return 1
    print(f"PASS: {what}: {comparisons} comparisons with the CPU reference agree")
    return 0
