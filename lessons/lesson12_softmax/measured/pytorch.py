"""pytorch.py: PyTorch's softmax in turns with the lesson's versions and with copies, in float and bfloat16, and masked. `make record LESSON=12` builds
the library (library.cu) in $FOLDER and runs this.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts. What was timed is compared with a softmax in double precision, on some rows.
"""

import ctypes
import os
import random

import torch

from common import record

SHAPES = [(32768, 8192), (524288, 256), (1000000, 64), (10000, 50257), (4096, 131072), (32, 131072)]
MASKED = [(32768, 8192), (65536, 4096)]
WARMUP, RUNS = 3, 21

library = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "library"))
pointer = ctypes.c_void_p
library.lesson12.argtypes = [ctypes.c_int, pointer, pointer, ctypes.c_int, ctypes.c_int, pointer, pointer, pointer]
library.lesson12_words.restype = ctypes.c_longlong
library.lesson12_copy.argtypes = [pointer, pointer, ctypes.c_longlong, pointer]
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")


def ours(version, x, y):
    rows, cols = x.shape
    words = torch.zeros(library.lesson12_words(rows, cols), dtype=torch.int64, device="cuda")
    number = torch.zeros(1, dtype=torch.int32, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    return lambda: library.lesson12(version, x.data_ptr(), y.data_ptr(), rows, cols, words.data_ptr(), number.data_ptr(), stream)


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def is_wrong(x, y, mask):
    rows = torch.linspace(0, x.shape[0] - 1, 20).long().tolist()
    few = x[rows].double()
    if mask is not None:
        few = few.masked_fill(mask[[r % x.shape[1] for r in rows]], float("-inf"))
    expected = torch.softmax(few, 1)
    tolerance = 1e-2 if x.dtype == torch.bfloat16 else 1e-4
    return not torch.allclose(y[rows].double(), expected, rtol=tolerance, atol=1e-12)


def race(rows, cols, kind, masked):
    x = torch.empty(rows, cols, device="cuda").uniform_(-8, 8).to(kind)
    copied, theirs, mine = torch.empty_like(x), torch.empty_like(x), torch.full_like(x, float("nan"))
    stream = torch.cuda.current_stream().cuda_stream
    size = x.element_size() * x.numel()
    mask = torch.ones(cols, cols, dtype=torch.bool, device="cuda").triu(1) if masked else None
    version = 11 if kind == torch.bfloat16 else 10 if masked else 9
    table = [("copy kernel", lambda: library.lesson12_copy(x.data_ptr(), copied.data_ptr(), size, stream), None)]
    if masked:
        square = x.view(rows // cols, cols, cols)

        def torch_masked():
            torch.softmax(square.masked_fill(mask, float("-inf")), 2, out=theirs.view_as(square))

        table.append(("torch masked_fill, softmax", torch_masked, theirs))
    else:
        table.append(("torch softmax", lambda: torch.softmax(x, 1, out=theirs), theirs))
    table.append((f"softmax_kernel{version}", ours(version, x, mine), mine))
    times = [[] for _ in table]
    for run in range(-WARMUP, RUNS):
        for k in random.sample(range(len(table)), len(table)):
            milliseconds = once(table[k][1])
            if run >= 0:
                times[k].append(milliseconds)
    medians = [sorted(t)[RUNS // 2] for t in times]
    words = [f"{rows} x {cols}"] + ["bfloat16"] * (kind == torch.bfloat16) + ["masked"] * masked
    print(", ".join(words))
    record.part(" ".join(words))
    print(f"{'version':28}{'ms':>10}{'shortest':>10}{'longest':>10}{'GB/s':>10}{'% of copy':>11}")
    for (name, _, out), median, each in zip(table, medians, times):
        wrong = out is not None and is_wrong(x, out, mask)
        speed, share = 2e-6 * size / median, 100 * medians[0] / median
        line = f"{name:28}{median:10.4f}{min(each):10.4f}{max(each):10.4f}{speed:10.1f}{share:11.2f}"
        print(line + (" WRONG" if wrong else ""))
        for column, value, unit in (("ms", median, "ms"), ("shortest", min(each), "ms"), ("longest", max(each), "ms")):
            record.row(name, column, value, unit)
        record.row(name, "GB/s", speed, "GB/s")
        record.row(name, "% of copy", share, "%")
    print(flush=True)


random.seed(1)
torch.manual_seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
for shape in SHAPES:
    race(*shape, torch.float32, False)
    race(*shape, torch.bfloat16, False)
for shape in MASKED:
    race(*shape, torch.float32, True)
