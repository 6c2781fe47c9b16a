"""peers.py - the kernels that call_jit makes, next to torch.nn.functional.gelu and to a copy, on the same arrays of
PyTorch's, in turns. Verified against PyTorch in double precision. For a GPU.

A speed is that of the median of 21 turns, in GB/s of what has to be read and written. While Python queues a turn, the
GPU fills another array: so it never waits for Python between the two events, and finds nothing in its cache.
"""

import os
import statistics
import sys
import tempfile
from ctypes import c_size_t, c_void_p

import torch
from common import device, record, verify
from lesson31 import Jit

TURNS, WARM_UP = 21, 3
N = 1 << 26
LOOKED_AT = 1 << 20
TYPES = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16}
CLOSE = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-3, "bfloat16": 8e-3}


def once(run, other):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    other.zero_()
    start.record()
    run()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def compare(jit, dtype, seed):
    generator = torch.Generator("cuda").manual_seed(seed)
    x = (8 * torch.rand(N, generator=generator, device="cuda", dtype=torch.float32) - 4).to(TYPES[dtype])
    dy = (2 * torch.rand(N, generator=generator, device="cuda", dtype=torch.float32) - 1).to(TYPES[dtype])
    y, size = torch.empty_like(x), x.element_size()
    narrow = jit.kernel("gelu", dtype, 1)
    gelu, backward = torch.nn.functional.gelu, torch.ops.aten.gelu_backward
    ways = {
        "copy": (2, lambda: y.copy_(x)),
        "call_jit": (2, lambda: jit.call_on_device("gelu", N, dtype, [x.data_ptr(), y.data_ptr()])),
        "width 1": (2, lambda: launch(narrow, x, y)),
        "PyTorch": (2, lambda: gelu(x)),
        "call_jit backward": (
            3,
            lambda: jit.call_on_device("gelu_backward", N, dtype, [x.data_ptr(), dy.data_ptr(), y.data_ptr()]),
        ),
        "PyTorch backward": (3, lambda: backward(dy, x)),
    }
    taken, other = {way: [] for way in ways}, torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    for turn in range(WARM_UP + TURNS):
        for way, (_, run) in ways.items():
            milliseconds = once(run, other)
            if turn >= WARM_UP:
                taken[way].append(milliseconds)
    copy = 2 * N * size / statistics.median(taken["copy"])
    record.part(dtype)
    for way, (arrays, _) in ways.items():
        speed = arrays * N * size / statistics.median(taken[way])
        record.row(way, "GB/s", speed / 1e6, "GB/s")
        record.row(way, "% of copy", 100 * speed / copy, "%")
        print(f"{dtype:8}  {way:18}  {speed / 1e6:10.1f} GB/s  {100 * speed / copy:6.1f} % of the copy", flush=True)
    exact, exact_dy = x[:LOOKED_AT].double(), dy[:LOOKED_AT].double()
    for way, right in (("call_jit", gelu(exact)), ("call_jit backward", backward(exact_dy, exact))):
        y.fill_(float("nan"))
        ways[way][1]()
        close = torch.allclose(y[:LOOKED_AT].double(), right, rtol=CLOSE[dtype], atol=1e-6)
        verify.tally["comparisons"] += 1
        verify.fact(f"{dtype}, {way}", close, True)


def launch(kernel, x, y):
    kernel.launch(N, c_void_p(x.data_ptr()), c_void_p(y.data_ptr()), c_size_t(N))


def main():
    device.print_backend()
    print("PyTorch", torch.__version__)
    with tempfile.TemporaryDirectory() as folder:
        jit = Jit(folder)
        for dtype in TYPES:
            compare(jit, dtype, int(os.environ.get("SEED") or 1))
    return verify.finish("peers")


sys.exit(main())
