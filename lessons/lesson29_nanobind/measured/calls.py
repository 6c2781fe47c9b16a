"""calls.py - what a call costs: through ctypes, pybind11 and nanobind, in turns in one process. For a GPU; on the emulator
it verifies, and times nothing.

    nothing           a function that does nothing: bytes_held of both modules, gelu_same_address of lesson 27's library
    1 KB, 64 MB       forward(x) of an array in CPU memory: allocates, copies in, runs, copies out, frees
    there             forward(x) of an array on the device, through DLPack

A time is the median of 21 turns, each the mean of some calls; its lowest and highest come behind it.
"""

import os
import statistics
import sys
import time

from common import device, record, verify

# Lesson 28's package is as make lesson28 has built it; lesson 27's library is built for the record alone.
sys.path.insert(0, os.path.join(os.environ["LESSON_LIBRARIES"], "../28/installed"))
os.environ["LESSON_LIBRARIES"] = os.environ["FOLDER"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lesson27_ctypes"))
import gelu_nanobind._gelu as by_nanobind  # noqa: E402
import gelu_pybind11._gelu as by_pybind11  # noqa: E402
import lesson27  # noqa: E402
import numpy as np  # noqa: E402

TURNS, WARM_UP = 21, 3


def timed(call, times):
    start = time.perf_counter()
    for _ in range(times):
        call()
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
            for column, value in (("µs", median), ("shortest", low), ("longest", high)):
                record.row(way, column, value, "µs")
            print(f"{name:10}  {way:16}  {median:12.3f} us  ({low:.3f} .. {high:.3f})", flush=True)


def in_cpu_memory(y):
    """Of what any of the ways returns."""
    if isinstance(y, np.ndarray):
        return y
    return y.numpy() if isinstance(y, by_pybind11.DeviceArray) else by_nanobind.to_numpy(y)


def size(name, n, times, seed):
    x = verify.random(n, -4, 4, seed)
    looked_at = slice(0, 1 << 16)
    expected = lesson27.gelu_cpu(x[looked_at])
    there, there_too = by_pybind11.DeviceArray(x), by_nanobind.to_device(x)
    ways = {
        "ctypes": lambda: lesson27.forward(x),
        "pybind11": lambda: by_pybind11.forward(x),
        "nanobind": lambda: by_nanobind.forward(x),
        "pybind11, there": lambda: by_pybind11.forward_device(there),
        "nanobind, there": lambda: by_nanobind.forward(there_too),
    }
    for way, call in ways.items():
        verify.floats(f"{name}, {way}", in_cpu_memory(call())[looked_at], expected, lesson27.ATOL, lesson27.RTOL)
    row(name, times, ways)


def main():
    device.print_backend()
    emulated = device.is_emulator()
    seed = int(os.environ.get("SEED") or 1)
    function = lesson27.gelu.gelu_same_address
    row("nothing", 1 if emulated else 10000, {
        "ctypes": lambda: function(None),
        "pybind11": lambda: by_pybind11.bytes_held(),
        "nanobind": lambda: by_nanobind.bytes_held(),
        "lambda": lambda: None,
    })  # fmt: skip
    size("1 KB", 256, 1 if emulated else 200, seed)
    size("64 MB" if not emulated else "64 KB", 1 << 14 if emulated else 1 << 24, 1 if emulated else 5, seed + 1)
    return verify.finish("calls")


sys.exit(main())
