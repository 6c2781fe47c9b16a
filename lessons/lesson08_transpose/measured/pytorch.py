"""pytorch.py VERSION...: PyTorch's transpose, out.copy_(x.t()), which is what x.t().contiguous() does, in turns with the lesson's versions (library.cu, as
$FOLDER/library.so) and with copies.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts. What was timed is compared with PyTorch's own result.
"""

import ctypes
import os
import random
import sys

import torch

from common import record

SHAPES = [(16384, 16384), (4096, 4097), (10000, 3000), (1000003, 7)]
VERSIONS = [int(word) for word in sys.argv[1:]]
WARMUP, RUNS = 3, 21

library = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "library.so"))
library.lesson08.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
library.lesson08_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_void_p]
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")


def rows_of_the_table(x, rows, cols):
    """Name, function, and the tensor that has the result."""
    stream = torch.cuda.current_stream().cuda_stream
    copied, cloned, transposed = torch.empty_like(x), torch.empty_like(x), torch.empty(cols, rows, device="cuda")
    table = [
        ("copy kernel", lambda: library.lesson08_copy(x.data_ptr(), copied.data_ptr(), x.numel(), stream), None),
        ("torch copy_", lambda: cloned.copy_(x), None),
        ("torch copy_(x.t())", lambda: transposed.copy_(x.t()), transposed),
    ]
    for version in VERSIONS:
        out = torch.full((cols, rows), float("nan"), device="cuda")
        launch = lambda version=version, out=out: library.lesson08(version, x.data_ptr(), out.data_ptr(), rows, cols, stream)
        table.append((f"transpose_kernel{version}", launch, out))
    return table


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def race(rows, cols):
    x = torch.rand(rows, cols, device="cuda")
    table = rows_of_the_table(x, rows, cols)
    times = [[] for _ in table]
    for run in range(-WARMUP, RUNS):
        for k in random.sample(range(len(table)), len(table)):
            milliseconds = once(table[k][1])
            if run >= 0:
                times[k].append(milliseconds)
    medians = [sorted(t)[RUNS // 2] for t in times]
    print(f"{rows} x {cols}")
    record.part(f"{rows} x {cols}")
    print(f"{'version':24}{'ms':>10}{'shortest':>10}{'longest':>10}{'GB/s':>10}{'% of copy':>11}")
    for (name, _, out), median, each in zip(table, medians, times):
        wrong = out is not None and not torch.equal(out, x.t())
        gigabytes = 8e-6 * rows * cols / median
        line = f"{name:24}{median:10.4f}{min(each):10.4f}{max(each):10.4f}{gigabytes:10.1f}{100 * medians[0] / median:11.2f}"
        print(line + (" WRONG" if wrong else ""))
        if not wrong:
            record_times(name, median, each, gigabytes, 100 * medians[0] / median)
    print()


def record_times(name, median, each, gigabytes, of_copy):
    record.row(name, "ms", median, "ms")
    record.row(name, "shortest", min(each), "ms")
    record.row(name, "longest", max(each), "ms")
    record.row(name, "GB/s", gigabytes, "GB/s")
    record.row(name, "% of copy", of_copy, "%")


random.seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
record.row("PyTorch", "version", torch.__version__)
record.row("PyTorch", "CUDA", torch.version.cuda)
for shape in SHAPES:
    race(*shape)
