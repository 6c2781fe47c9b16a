"""calls.py - what a call costs: by C, and through ctypes, in turns in one process. For a GPU; on the emulator it
verifies, and times nothing.

    nothing           a function that gives its argument back
    1 KB, 64 MB       copy in, forward, copy out, wait: memory that is allocated already, pinned on the CPU
    the same, whole   lesson27.forward(x): allocates, converts, copies from and to ordinary arrays, frees

A time is the median of 21 turns, each the mean of some calls; its lowest and highest come behind it.
"""

import ctypes
import os
import statistics
import sys
import time
from ctypes import byref, c_double, c_int, c_size_t, c_void_p

import lesson27
import numpy as np
from common import device, record, verify
from lesson27 import check, gelu

TURNS, WARM_UP = 21, 3
LOOP = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "libloop.so"))
LOOP.loop_nothing.argtypes, LOOP.loop_nothing.restype = [c_void_p, c_int], c_double
LOOP.loop_round_trip.argtypes, LOOP.loop_round_trip.restype = [c_void_p, c_int], c_double


class RoundTrip(ctypes.Structure):
    """struct round_trip of loop.cpp."""

    _fields_ = [(name, c_void_p) for name in ("copy", "forward", "wait", "host_x", "host_y", "x", "y")] + [
        ("n", c_size_t)
    ]


def address_of(function):
    return ctypes.cast(function, c_void_p).value


def pinned(n):
    made = c_void_p()
    check(gelu.gelu_allocate_pinned(byref(made), 4 * n))
    return np.frombuffer((ctypes.c_float * n).from_address(made.value), np.float32)


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
            for column, value in (("µs", statistics.median(all_of)), ("shortest", min(all_of)), ("longest", max(all_of))):
                record.row(way, column, value, "µs")
            print(
                f"{name:10}  {way:12}  {statistics.median(all_of):12.3f} us  ({min(all_of):.3f} .. {max(all_of):.3f})",
                flush=True,
            )


def nothing(times):
    function = gelu.gelu_same_address
    undeclared = ctypes.CDLL(lesson27.LIBRARY).gelu_same_address
    row("nothing", times, {
        "C": lambda k: LOOP.loop_nothing(address_of(function), k),
        "ctypes": lambda k: timed(lambda: function(None), k),
        "undeclared": lambda k: timed(lambda: undeclared(None), k),
        "lambda": lambda k: timed(lambda: None, k),
    })  # fmt: skip


def size(name, n, times, seed):
    x, y = pinned(n), pinned(n)
    x[:] = verify.random(n, -4, 4, seed)
    expected = lesson27.gelu_cpu(x[: 1 << 16])
    with lesson27.DeviceArray(n) as x_there, lesson27.DeviceArray(n) as y_there:
        trip = RoundTrip(*map(address_of, (gelu.gelu_copy, gelu.gelu_forward, gelu.gelu_synchronize)), x.ctypes.data, y.ctypes.data,
                         x_there.address, y_there.address, n)  # fmt: skip

        def by_ctypes():
            check(gelu.gelu_copy(trip.x, trip.host_x, 4 * n, None))
            check(gelu.gelu_forward(trip.x, trip.y, n, None))
            check(gelu.gelu_copy(trip.host_y, trip.y, 4 * n, None))
            check(gelu.gelu_synchronize(None))

        def by_c(times):
            seconds = LOOP.loop_round_trip(byref(trip), times)
            verify.fact("a call of C has failed", seconds < 0, False)
            return seconds

        for way, call in (("C", lambda: by_c(1)), ("ctypes", by_ctypes)):
            verify.poison(y)
            call()
            verify.floats(f"{name}, {way}", y[: 1 << 16], expected, lesson27.ATOL, lesson27.RTOL)
        ordinary = np.array(x)
        row(
            name,
            times,
            {
                "C": by_c,
                "ctypes": lambda k: timed(by_ctypes, k),
                "whole": lambda k: timed(lambda: lesson27.forward(ordinary), k),
            },
        )
    for array in (x, y):
        check(gelu.gelu_free_pinned(array.ctypes.data))


def main():
    device.print_backend()
    emulated = device.is_emulator()
    seed = int(os.environ.get("SEED") or 1)
    nothing(1 if emulated else 10000)
    size("1 KB", 256, 1 if emulated else 200, seed)
    size("64 MB" if not emulated else "64 KB", 1 << 14 if emulated else 1 << 24, 1 if emulated else 5, seed + 1)
    return verify.finish("calls")


sys.exit(main())
