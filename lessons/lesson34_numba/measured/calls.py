"""calls.py - what a call costs through Numba, in turns in one process with the same kernel of nvcc through ctypes (lesson
27's library). For a GPU; on the emulator it verifies, and times nothing.

    launch            GELU of 256 floats on the device, 1000 launches and one wait: what the CPU needs for each
    1 KB, 64 MB       x from an array of NumPy, y to one: copies and launch by hand, left to the launch, none at all
    compiled          the first call of a kernel that nobody has called yet

FOLDER is where that library is: record.list has it built. A time is the median of 21 turns, each the mean of some calls; its lowest and highest come behind it.
"""

import ctypes
import os
import statistics
import sys
import time
import warnings
from ctypes import c_size_t, c_void_p

import lesson34
import numba
import numpy as np
from common import device, record, verify
from lesson34 import ATOL, BLOCK, RTOL, blocks_for, gelu_cpu, gelu_kernel2
from numba import cuda

TURNS, WARM_UP = 21, 3
LIBRARY = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "libgelu.so"))
LIBRARY.gelu_forward.argtypes = [c_void_p, c_void_p, c_size_t, c_void_p]


def timed(call, times):
    cuda.synchronize()
    start = time.perf_counter()
    for _ in range(times):
        call()
    cuda.synchronize()
    return (time.perf_counter() - start) / times


def row(name, times, ways):
    """`ways`: by name, what is called."""
    taken = {way: [] for way in ways}
    for turn in range(WARM_UP + TURNS if not device.is_emulator() else 1):
        for way, call in ways.items():
            seconds = timed(call, times)
            if turn >= WARM_UP:
                taken[way].append(1e6 * seconds)
    record.part(name)
    for way, all_of in taken.items():
        if all_of:
            median, low, high = statistics.median(all_of), min(all_of), max(all_of)
            print(f"{name:10}  {way:12}  {median:12.3f} us  ({low:.3f} .. {high:.3f})", flush=True)
            for column, microseconds in (("us", median), ("shortest", low), ("longest", high)):
                record.row(way, column, microseconds, "us")


def address(array):
    return array.__cuda_array_interface__["data"][0]


def launch(times):
    x = verify.random(256, -4, 4, 1)
    x_there, y_there = cuda.to_device(x), cuda.to_device(verify.poisoned(256))
    configured = gelu_kernel2[1, BLOCK]
    ways = {
        "ctypes": lambda: LIBRARY.gelu_forward(address_x, address_y, 256, None),
        "Numba": lambda: gelu_kernel2[1, BLOCK](x_there, y_there),
        "configured": lambda: configured(x_there, y_there),
        "lambda": lambda: None,
    }
    address_x, address_y = address(x_there), address(y_there)
    for way in ("ctypes", "Numba", "configured"):
        y_there.copy_to_device(verify.poisoned(256))
        ways[way]()
        verify.floats(f"launch, {way}", y_there.copy_to_host(), gelu_cpu(x), ATOL, RTOL)
    row("launch", times, ways)


def size(name, n, times, seed):
    x, y = verify.random(n, -4, 4, seed), verify.poisoned(n)
    x_there, y_there = cuda.to_device(x), cuda.to_device(y)
    grid = blocks_for(n)

    def by_hand():
        x_there.copy_to_device(x)
        gelu_kernel2[grid, BLOCK](x_there, y_there)
        y_there.copy_to_host(y)

    ways = {
        "stays": lambda: gelu_kernel2[grid, BLOCK](x_there, y_there),
        "by hand": by_hand,
        "hints": lambda: gelu_kernel2[grid, BLOCK](cuda.In(x), cuda.Out(y)),
        "NumPy": lambda: gelu_kernel2[grid, BLOCK](x, y),
    }
    expected = gelu_cpu(x[: 1 << 16])
    for way in ("by hand", "hints", "NumPy"):
        verify.poison(y)
        ways[way]()
        verify.floats(f"{name}, {way}", y[: 1 << 16], expected, ATOL, RTOL)
    row(name, times, ways)


def compiled():
    """A new function each time: what is compiled for one is not looked for by another."""
    x, y = cuda.to_device(np.ones(256, np.float32)), cuda.device_array(256, np.float32)
    row("compiled", 1, {
        "gelu_kernel1": lambda: cuda.jit(lesson34.gelu_kernel1.py_func)[1, BLOCK](x, y),
        "gelu_kernel2": lambda: cuda.jit(lesson34.gelu_kernel2.py_func)[1, BLOCK](x, y),
    })  # fmt: skip


def main():
    device.print_backend()
    record.row("Numba", "version", numba.__version__)
    warnings.simplefilter("ignore")
    emulated = device.is_emulator()
    seed = int(os.environ.get("SEED") or 1)
    launch(1 if emulated else 1000)
    size("1 KB", 256, 1 if emulated else 100, seed)
    size("64 MB" if not emulated else "64 KB", 1 << 14 if emulated else 1 << 24, 1 if emulated else 3, seed + 1)
    compiled()
    return verify.finish("calls")


sys.exit(main())
