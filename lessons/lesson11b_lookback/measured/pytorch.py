"""pytorch.py VERSION...: torch.cumsum in turns with the lesson's versions (library.cu, as $FOLDER/floats.so and $FOLDER/ints.so) and with a copy.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts. What was timed is compared: ints with PyTorch's own result, floats with its sums in double.
"""

import ctypes
import os
import random
import sys

import torch

from common import record

SIZES = [1 << 28, (1 << 24) + 12345]
VERSIONS = [int(word) for word in sys.argv[1:]]
WARMUP, RUNS = 3, 21
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")


def load(name):
    library = ctypes.CDLL(os.path.join(os.environ["FOLDER"], name))
    library.lesson11b.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    library.lesson11b_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_void_p]
    return library


def rows_of_the_table(library, x):
    """Name, function, and the tensor that has the result."""
    stream, n = torch.cuda.current_stream().cuda_stream, x.numel()
    copied, summed = torch.empty_like(x), torch.empty_like(x)
    words = torch.empty(n // 4096 + 2, dtype=torch.int64, device="cuda")
    table = [
        ("copy kernel", lambda: library.lesson11b_copy(x.data_ptr(), copied.data_ptr(), n, stream), None),
        ("torch.cumsum", lambda: torch.cumsum(x, 0, dtype=x.dtype, out=summed), summed),
    ]
    for version in VERSIONS:
        y = torch.zeros_like(x)
        launch = lambda version=version, y=y: library.lesson11b(version, x.data_ptr(), y.data_ptr(), n, words.data_ptr(), stream)
        table.append((f"scan_kernel{version}", launch, y))
    return table


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def is_right(y, x, expected):
    if x.dtype == torch.int32:
        return torch.equal(y, expected)
    return bool(((y.double() - expected).abs() <= 1e-4 * expected).all())


def race(library, dtype, n):
    x = torch.rand(n, device="cuda") if dtype == torch.float32 else torch.randint(-999, 1000, (n,), dtype=dtype, device="cuda")
    table = rows_of_the_table(library, x)
    times = [[] for _ in table]
    for run in range(-WARMUP, RUNS):
        for k in random.sample(range(len(table)), len(table)):
            milliseconds = once(table[k][1])
            if run >= 0:
                times[k].append(milliseconds)
    expected = torch.cumsum(x, 0, dtype=torch.float64 if dtype == torch.float32 else dtype)
    medians = [sorted(t)[RUNS // 2] for t in times]
    print(f"{str(dtype)[6:]}, n = {n}")
    record.part(f"{str(dtype)[6:]} n={n}")
    print(f"{'version':24}{'ms':>10}{'shortest':>10}{'longest':>10}{'GB/s':>10}{'% of copy':>11}")
    for (name, _, y), median, each in zip(table, medians, times):
        wrong = y is not None and not is_right(y, x, expected)
        gigabytes, of_copy = 8e-6 * n / median, 100 * medians[0] / median
        line = f"{name:24}{median:10.4f}{min(each):10.4f}{max(each):10.4f}{gigabytes:10.1f}{of_copy:11.2f}"
        print(line + (" WRONG" if wrong else ""))
        if not wrong:
            record_times(name, median, each, gigabytes, of_copy)
    print()


def record_times(name, median, each, gigabytes, of_copy):
    record.row(name, "ms", median, "ms")
    record.row(name, "shortest", min(each), "ms")
    record.row(name, "longest", max(each), "ms")
    record.row(name, "GB/s", gigabytes, "GB/s")
    record.row(name, "% of copy", of_copy, "%")


random.seed(1)
torch.manual_seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
record.row("PyTorch", "version", torch.__version__)
record.row("PyTorch", "CUDA", torch.version.cuda)
for size in SIZES:
    race(load("floats.so"), torch.float32, size)
    race(load("ints.so"), torch.int32, size)
