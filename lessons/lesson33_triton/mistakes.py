"""mistakes.py - kernels with a mistake each, for step interpreter7 of lesson33.py: python3 mistakes.py no_mask no_atomic

TRITON_INTERPRET=1 has them run by Triton's interpreter, else they are compiled. What became of the result is printed in
one word, right or wrong or the name of an exception; then what the emulator has found, where that ran them.
"""

import ctypes
import sys

import numpy as np
import triton
import triton.language as tl
from arrays import INTERPRETED, to_device
from common import device

BLOCK, SIDE = 512, 32


@triton.jit
def no_mask(x, y, n, BLOCK: tl.constexpr):
    """A program has 512 elements, the arrays fewer."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i))


@triton.jit
def no_atomic(x, y, n, BLOCK: tl.constexpr):
    """Two programs add their sums to y[0]."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(y, tl.load(y) + total)


@triton.jit
def no_barrier(x, y, n, BLOCK: tl.constexpr):
    """The numbers in reverse order, by way of y. A program has four warps, and nobody waits for what another one writes."""
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))
    v = tl.load(y + BLOCK - 1 - i)
    tl.store(y + i, v)


@triton.jit
def no_other(x, y, n, BLOCK: tl.constexpr):
    """The largest of numbers that are all negative; what is not loaded counts as 0."""
    i = tl.arange(0, BLOCK)
    tl.store(y, tl.max(tl.load(x + i, mask=i < n), axis=0))


@triton.jit
def false_promise(x, y, n, BLOCK: tl.constexpr):
    """multiple_of promises the compiler that addresses are multiples of 16 bytes. They are not: x + 1."""
    i = tl.arange(0, BLOCK)
    at = tl.max_contiguous(tl.multiple_of(i + 1, BLOCK), BLOCK)
    inside = i < BLOCK // 2
    tl.store(y + i, tl.load(x + at, mask=inside, other=0.0), mask=inside)


@triton.jit
def rounded(x, y, n, SIDE: tl.constexpr):
    """A product of two matrices of float32. tl.dot multiplies them as tf32 unless told otherwise."""
    i, j = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    v = tl.load(x + i * SIDE + j)
    tl.store(y + i * SIDE + j, tl.dot(v, v))


def correct(name, x, y):
    """What the author of each had in mind. Of y only what is written."""
    first = np.zeros_like(y)
    if name == "rounded":
        return (x.reshape(SIDE, SIDE) @ x.reshape(SIDE, SIDE)).reshape(-1)
    if name in ("no_atomic", "no_other"):
        first[0] = x.sum(dtype=np.float64) if name == "no_atomic" else x.max()
        return first
    if name == "false_promise":
        first[: BLOCK // 2] = x[1 : BLOCK // 2 + 1]
        return first
    return 2 * x if name == "no_mask" else x[::-1]


def found():
    """What the emulator has found so far, the worst of it."""
    if INTERPRETED or not device.is_emulator():
        return "nothing"
    verdict = device.runtime().emulatorVerdict
    verdict.restype = ctypes.c_char_p
    return verdict().decode().replace("none", "nothing")


def run(name):
    n = {"no_mask": 1000, "no_atomic": 2 * BLOCK, "no_other": 400, "rounded": SIDE * SIDE}.get(name, BLOCK)
    numbers = np.random.default_rng(1).uniform(1, 2, n).astype(np.float32)
    x = to_device(-numbers if name == "no_other" else numbers)
    y = to_device(np.zeros(n, np.float32))
    grid = (triton.cdiv(n, BLOCK) if name in ("no_mask", "no_atomic") else 1,)
    try:
        globals()[name][grid](x, y, n, SIDE if name == "rounded" else BLOCK)
        result = y.numpy()
        close = np.abs(result - correct(name, x.numpy(), result)) <= 1e-5 * np.abs(result)
        word = "right" if close.all() else "wrong"
    except (Exception, SystemExit) as error:  # whatever somebody has to say of it
        word = type(error).__name__
    sys.stderr.flush()
    print(f"{name}: {word}, {found()}", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(name)
