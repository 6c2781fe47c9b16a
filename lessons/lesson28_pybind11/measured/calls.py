"""calls.py - what a call costs: by C, through ctypes and through pybind11, in turns in one process. For a GPU; on the
emulator it verifies, and times nothing.

    nothing           a function that does nothing: bytes_held of the module, gelu_same_address of lesson 27's library
    1 KB, 64 MB       forward(x) of an array in CPU memory: allocates, copies in, runs, copies out, frees
    the same, there   forward_device(x) of an array on the device, through DLPack

A time is the median of 21 turns, each the mean of some calls; its lowest and highest come behind it.
"""

import ctypes
import os
import statistics
import sys
import time

from common import device, record, verify
from gelu_pybind11 import DeviceArray, _gelu

os.environ["LESSON_LIBRARIES"] = os.environ["FOLDER"]  # lesson 27's library is built for the record alone
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lesson27_ctypes"))
import lesson27  # noqa: E402
import numpy as np  # noqa: E402

TURNS, WARM_UP = 21, 3
LOOP = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "libloop.so"))
LOOP.loop_nothing.argtypes, LOOP.loop_nothing.restype = [ctypes.c_void_p, ctypes.c_int], ctypes.c_double


def timed(call, times):
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def row(name, times, ways):
    """`ways`: by name, what returns the seconds of a call, given how many."""
    taken = {way: [] for way in ways}
    for turn in range(WARM_UP + TURNS if not device.is_emulator() else 1):
        for way, measure in ways.items():
            seconds = measure(times)
            if turn >= WARM_UP:
                taken[way].append(1e6 * seconds)
    record.part(name)
    for way, all_of in taken.items():
        if all_of:
            median, low, high = statistics.median(all_of), min(all_of), max(all_of)
            for column, value in (("µs", median), ("shortest", low), ("longest", high)):
                record.row(way, column, value, "µs")
            print(f"{name:10}  {way:12}  {median:12.3f} us  ({low:.3f} .. {high:.3f})", flush=True)


def nothing(times):
    function = lesson27.gelu.gelu_same_address
    address = ctypes.cast(function, ctypes.c_void_p).value
    row("nothing", times, {
        "C": lambda k: LOOP.loop_nothing(address, k),
        "ctypes": lambda k: timed(lambda: function(None), k),
        "pybind11": lambda k: timed(lambda: _gelu.bytes_held(), k),
        "lambda": lambda k: timed(lambda: None, k),
    })  # fmt: skip


def size(name, n, times, seed):
    x = verify.random(n, -4, 4, seed)
    looked_at = slice(0, 1 << 16)
    expected = lesson27.gelu_cpu(x[looked_at])
    with DeviceArray(x) as there:
        ways = {
            "ctypes": lambda: lesson27.forward(x),
            "pybind11": lambda: _gelu.forward(x),
            "there": lambda: _gelu.forward_device(there),
        }
        for way, call in ways.items():
            y = call()
            y = y if isinstance(y, np.ndarray) else y.numpy()
            verify.floats(f"{name}, {way}", y[looked_at], expected, lesson27.ATOL, lesson27.RTOL)
        row(name, times, {way: lambda k, call=call: timed(call, k) for way, call in ways.items()})


def main():
    device.print_backend()
    emulated = device.is_emulator()
    seed = int(os.environ.get("SEED") or 1)
    nothing(1 if emulated else 10000)
    size("1 KB", 256, 1 if emulated else 200, seed)
    size("64 MB" if not emulated else "64 KB", 1 << 14 if emulated else 1 << 24, 1 if emulated else 5, seed + 1)
    return verify.finish("calls")


sys.exit(main())
