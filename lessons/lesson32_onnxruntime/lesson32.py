"""Lesson 32: onnxruntime. FILL IN what it is about, in one line.

    make lesson32 run                 every step, verified against the CPU
    make lesson32 run V=2             that step alone; SIZE= and SEED= as everywhere

FILL IN: you will learn ... The job of the onnxruntime is y = 2 * x. Each step has one idea:

    call1           a function of the library, its types declared, arrays of NumPy
    errors2         a code becomes an exception
"""

# library: onnxruntime.cu

import ctypes
import os
import sys
from ctypes import c_char_p, c_int, c_longlong, c_void_p

import numpy as np
from common import bench, device, verify

LIBRARY = os.path.join(os.environ["LESSON_LIBRARIES"], "libonnxruntime.so")
SIZES = [0, 1, 31, 33, 1000, 1025]
ATOL, RTOL = 1e-6, 1e-6

# ---------------------------------------------------------------- the CPU reference


def onnxruntime_cpu(x):
    return 2 * x.astype(np.float64)


# ---------------------------------------------------------------- the binding

library = ctypes.CDLL(LIBRARY)
library.onnxruntime_double.argtypes = [c_void_p, c_void_p, c_longlong]
library.onnxruntime_launch.argtypes = [c_void_p, c_void_p, c_longlong]
library.onnxruntime_error.argtypes, library.onnxruntime_error.restype = [c_int], c_char_p


def check(code):
    if code:
        raise RuntimeError(library.onnxruntime_error(code).decode())


def onnxruntime(x):
    x = np.ascontiguousarray(x, np.float32)
    y = verify.poisoned(x.size)
    check(library.onnxruntime_double(x.ctypes.data, y.ctypes.data, x.size))
    return y


# ---------------------------------------------------------------- the steps: one idea each


def call1(seed, sizes):
    for n in sizes:
        x = verify.random(n, -4, 4, seed)
        verify.floats("call1", onnxruntime(x), onnxruntime_cpu(x), ATOL, RTOL)
    print(f"    {len(sizes)} sizes")


def errors2(seed):
    try:
        check(library.onnxruntime_double(None, None, -1))
        raised = "nothing"
    except RuntimeError as error:
        raised = str(error)
    verify.fact("a length of -1", raised, "invalid argument")
    print(f"    a length of -1: {raised}")
    x = verify.random(1000, -4, 4, seed)
    verify.floats("errors2", onnxruntime(x), onnxruntime_cpu(x), ATOL, RTOL)


# ---------------------------------------------------------------- main


def measure(n):
    table = bench.Table(8 * n)
    x, y = bench.allocate(4 * n), bench.allocate(4 * n)
    device.check(device.runtime().cudaMemset(x, 0, ctypes.c_size_t(4 * n)), "cudaMemset")
    table.run("onnxruntime", lambda: library.onnxruntime_launch(x, y, n), n, 8 * n)
    table.finish()
    for memory in (x, y):
        device.runtime().cudaFree(memory)


def main():
    options = device.read_options(versions=2)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    for version, step in enumerate([call1, errors2], 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is call1 else []))
    if options.version in (0, 1):
        measure(n or 1)
    return verify.finish("onnxruntime")


if __name__ == "__main__":
    sys.exit(main())
