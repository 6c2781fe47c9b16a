"""pytorch.py: PyTorch's LayerNorm, forward and backward, in turns with copies that move the same number of bytes.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts.
"""

import random
import sys

import torch

SHAPES = [(32768, 8192), (32768, 4096), (32768, 1024), (262144, 1024)]
WARMUP, RUNS = 3, 21
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")


def table(rows, cols, dtype):
    """Name, arrays of rows x cols that must move, function."""
    x = torch.rand(rows, cols, device="cuda").to(dtype)
    dy = torch.rand(rows, cols, device="cuda").to(dtype)
    gamma, beta = torch.rand(cols, device="cuda").to(dtype), torch.rand(cols, device="cuda").to(dtype)
    y, mean, rstd = torch.ops.aten.native_layer_norm(x, [cols], gamma, beta, 1e-5)
    to = torch.empty_like(x)
    wide, wide_to = torch.empty(3 * rows * cols // 2, dtype=dtype, device="cuda"), torch.empty(3 * rows * cols // 2, dtype=dtype, device="cuda")
    backward = torch.ops.aten.native_layer_norm_backward
    found = [
        ("copy_, 2 arrays", 2, lambda: to.copy_(x)),
        ("copy_, 3 arrays", 3, lambda: wide_to.copy_(wide)),
        ("layer_norm", 2, lambda: torch.ops.aten.native_layer_norm(x, [cols], gamma, beta, 1e-5)),
        ("layer_norm backward", 3, lambda: backward(dy, x, [cols], mean, rstd, gamma, beta, [True, True, True])),
    ]
    if hasattr(torch.nn.functional, "rms_norm"):
        found.append(("rms_norm", 2, lambda: torch.nn.functional.rms_norm(x, [cols], gamma, 1e-5)))
    return found


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def race(rows, cols, dtype):
    racers = table(rows, cols, dtype)
    times = [[] for _ in racers]
    with torch.no_grad():
        for run in range(-WARMUP, RUNS):
            for k in random.sample(range(len(racers)), len(racers)):
                milliseconds = once(racers[k][2])
                if run >= 0:
                    times[k].append(milliseconds)
    print(f"\n{rows} x {cols}, {dtype}")
    for (name, arrays, _), each in zip(racers, times):
        median = sorted(each)[RUNS // 2]
        print(f"{name:24}{median:10.4f}{min(each):10.4f}{max(each):10.4f}{1e-6 * arrays * rows * cols * racers_size(dtype) / median:10.1f}")
    sys.stdout.flush()


def racers_size(dtype):
    return torch.empty(0, dtype=dtype).element_size()


random.seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
for shape in SHAPES:
    for dtype in (torch.float32, torch.bfloat16):
        race(*shape, dtype)
