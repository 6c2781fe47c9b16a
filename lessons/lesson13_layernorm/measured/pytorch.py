"""pytorch.py: PyTorch's LayerNorm and RMSNorm, forward and backward, in turns with the lesson's versions and with a copy that moves the same number
of bytes. `make record LESSON=13` builds the library (library.cu) in $FOLDER and runs this.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts. What was timed is compared with PyTorch's own result. PyTorch's gamma and beta are of the type of x, as it wants them for
bf16; the lesson's are floats.
"""

import ctypes
import os
import random
import sys

import torch

from common import record

SHAPES = [(32768, 8192), (32768, 4096), (32768, 1024)]
WARMUP, RUNS, EPSILON = 3, 21, 1e-5
ARRAYS = {"forward": 2, "RMSNorm": 2, "residual": 4, "backward": 3}
native, native_backward = torch.ops.aten.native_layer_norm, torch.ops.aten.native_layer_norm_backward

library = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "library"))
library.lesson13.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
library.lesson13_partial.restype = ctypes.c_longlong
library.lesson13_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_void_p]
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")


class Ours:
    """The lesson's version with results of its own."""

    def __init__(self, version, x, residual, dy, gamma, beta, mean=None, rstd=None):
        self.rows, self.cols = x.shape
        self.version, self.bf16 = version, int(x.dtype == torch.bfloat16)
        new = lambda like: torch.full_like(like, float("nan"))
        per_row = torch.full((self.rows,), float("nan"), device="cuda")
        self.sum, self.y, self.dx = new(x), new(x), new(x)
        self.dgamma, self.dbeta = new(gamma), new(gamma)
        self.mean, self.rstd = (per_row if mean is None else mean), (per_row.clone() if rstd is None else rstd)
        self.partial = torch.empty(library.lesson13_partial(self.cols), device="cuda")
        tensors = [x, residual, dy, self.sum, self.y, self.dx, gamma, beta, self.mean, self.rstd, self.dgamma, self.dbeta, self.partial]
        self.kept = tensors
        self.pointers = (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])

    def launch(self):
        stream = torch.cuda.current_stream().cuda_stream
        library.lesson13(self.version, self.bf16, self.pointers, self.rows, self.cols, stream)


def problem(rows, cols, dtype):
    """For each kind: its rows of the table (name, function, a function that returns our result and PyTorch's)."""
    x, residual = torch.rand(rows, cols, device="cuda").to(dtype), torch.rand(rows, cols, device="cuda").to(dtype)
    dy = torch.rand(rows, cols, device="cuda").to(dtype)
    gamma, beta = torch.rand(cols, device="cuda").to(dtype), torch.rand(cols, device="cuda").to(dtype)
    g, b = gamma.float(), beta.float()
    y, mean, rstd = native(x, [cols], gamma, beta, EPSILON)
    rms = torch.nn.functional.rms_norm
    stream = torch.cuda.current_stream().cuda_stream

    def copy(arrays):
        size = arrays * rows * cols * x.element_size()
        source, target = torch.zeros(size // 2, dtype=torch.uint8, device="cuda"), torch.empty(size // 2, dtype=torch.uint8, device="cuda")
        return "copy kernel", lambda: library.lesson13_copy(source.data_ptr(), target.data_ptr(), size, stream), None

    def ours(version, result, expected):
        new = Ours(version, x, residual, dy, g, b, mean.float().flatten(), rstd.float().flatten()) if version >= 10 else Ours(version, x, residual, dy, g, b)
        return f"version {version}", new.launch, lambda: (result(new), expected())

    yield "forward", [
        copy(2),
        ("PyTorch layer_norm", lambda: native(x, [cols], gamma, beta, EPSILON), None),
        *[ours(v, lambda o: o.y, lambda: y) for v in (5, 6)],
    ]
    yield "RMSNorm", [
        copy(2),
        ("PyTorch rms_norm", lambda: rms(x, [cols], gamma, EPSILON), None),
        ours(7, lambda o: o.y, lambda: rms(x, [cols], gamma, EPSILON)),
    ]
    yield "residual", [
        copy(4),
        ("PyTorch add, layer_norm", lambda: native(x + residual, [cols], gamma, beta, EPSILON), None),
        *[ours(v, lambda o: o.y, lambda: native(x + residual, [cols], gamma, beta, EPSILON)[0]) for v in (8, 9)],
    ]
    backward = lambda: native_backward(dy, x, [cols], mean, rstd, gamma, beta, [True, True, True])
    yield "backward", [
        copy(3),
        ("PyTorch backward", backward, None),
        ours(12, lambda o: o.dgamma, lambda: backward()[1]),
        ours(13, lambda o: o.dx, lambda: backward()[0]),
    ]


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def race(kind, table, rows, cols, dtype):
    times = [[] for _ in table]
    for run in range(-WARMUP, RUNS):
        for k in random.sample(range(len(table)), len(table)):
            milliseconds = once(table[k][1])
            if run >= 0:
                times[k].append(milliseconds)
    medians = [sorted(t)[RUNS // 2] for t in times]
    size = 2 if dtype == torch.bfloat16 else 4
    name_of_type = "bf16" if size == 2 else "float"
    print(f"\n{kind}, {rows} x {cols}, {name_of_type}")
    record.part(f"{kind} {name_of_type} {rows} x {cols}")
    print(f"{'':26}{'ms':>10}{'shortest':>10}{'longest':>10}{'GB/s':>10}{'% of copy':>11}")
    for (name, _, results), median, each in zip(table, medians, times):
        speed, share = 1e-6 * ARRAYS[kind] * rows * cols * size / median, 100 * medians[0] / median
        line = f"{name:26}{median:10.4f}{min(each):10.4f}{max(each):10.4f}{speed:10.1f}{share:11.2f}"
        for column, value in (("ms", median), ("shortest", min(each)), ("longest", max(each))):
            record.row(name, column, value, "ms")
        record.row(name, "GB/s", speed, "GB/s")
        record.row(name, "% of copy", share, "%")
        if results:
            found, expected = results()
            atol = (2e-2 if size == 2 else 1e-4) * (1 if found.dim() == 2 else 100)  # a column sum is some hundred times as large
            close = torch.allclose(found.float(), expected.float(), rtol=2e-2 if size == 2 else 1e-4, atol=atol)
            line += "" if close else f"  WRONG by {(found.float() - expected.float()).abs().max().item():g}"
        print(line)
    sys.stdout.flush()


random.seed(1)
torch.manual_seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
with torch.no_grad():
    for rows, cols in SHAPES:
        for dtype in (torch.float32, torch.bfloat16):
            for kind, table in problem(rows, cols, dtype):
                race(kind, table, rows, cols, dtype)
                del table
            torch.cuda.empty_cache()
