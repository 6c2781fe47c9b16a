"""race.py - Triton's kernels of this lesson, PyTorch's, and those of torch.compile, in turns in one process. Needs PyTorch and
a GPU. Each result is compared with PyTorch's before it is timed.

A row is the median of 21 turns, each timed by events, in GB/s of what must be read and written, and in % of a copy of as many
bytes; of the matrix product in TFLOP/s. While Python queues a turn, the GPU fills another array (bench.Clock).
"""

import os
import statistics
import sys
import warnings

import lesson33
import torch
import triton
from common import bench, device, record, verify

TURNS, WARM_UP = 21, 3


def turns(clock, ways):
    taken = {name: [] for name in ways}
    for turn in range(WARM_UP + TURNS):
        for name, call in ways.items():
            milliseconds = clock.once(call)
            if turn >= WARM_UP:
                taken[name].append(milliseconds)
    return {name: (statistics.median(all_of), min(all_of), max(all_of)) for name, all_of in taken.items()}


def show(what, size, times, unit="GB/s", of="copy"):
    first = times[of][0]
    record.part(what)
    for name, (median, low, high) in times.items():
        for column, milliseconds in (("ms", median), ("shortest", low), ("longest", high)):
            record.row(name, column, milliseconds, "ms")
        record.row(name, unit, size / median / 1e6, unit)
        record.row(name, f"% of {of}", 100 * first / median, "%")
        print(f"{what:10}  {name:14}  {median:9.4f} ms  {size / median / 1e6:10.1f} {unit:8}  {100 * first / median:6.1f} %  "
              f"({low:.4f} .. {high:.4f})", flush=True)  # fmt: skip


def agree(name, found, expected, tolerance):
    close = torch.allclose(found, expected, atol=tolerance, rtol=tolerance)
    verify.tally["comparisons"] += 1
    verify.fact(f"{name} agrees with PyTorch", close, True)


def gelu(clock, n):
    x, y, copied = torch.randn(n, device="cuda"), torch.full((n,), torch.nan, device="cuda"), torch.empty(n, device="cuda")
    operator = torch.nn.functional.gelu
    compiled = torch.compile(operator)
    grid = (triton.cdiv(n, 1024),)
    ways = {
        "copy": lambda: copied.copy_(x),
        "Triton": lambda: lesson33.gelu_kernel1[grid](x, y, n, BLOCK=1024),
        "Triton, odd n": lambda: lesson33.gelu_kernel1[grid](x, y, n - 1, BLOCK=1024),
        "PyTorch": lambda: operator(x),
        "torch.compile": lambda: compiled(x),
    }
    ways["Triton"]()
    agree("gelu", y, operator(x), 1e-5)
    agree("gelu, compiled", compiled(x), operator(x), 1e-5)
    show("gelu", 8 * n, turns(clock, ways))


def softmax(clock, rows, cols):
    x = torch.randn(rows, cols, device="cuda")
    y, copied = torch.full_like(x, torch.nan), torch.empty_like(x)
    operator = torch.softmax
    compiled = torch.compile(operator)
    block = triton.next_power_of_2(cols)
    launch = lambda warps: lesson33.softmax_kernel[(rows,)](  # noqa: E731
        x, y, cols, cols, MISSING=-lesson33.math.inf, BLOCK=block, num_warps=warps
    )
    ways = {
        "copy": lambda: copied.copy_(x),
        "4 warps": lambda: launch(4),
        "8 warps": lambda: launch(8),
        "PyTorch": lambda: operator(x, -1),
        "torch.compile": lambda: compiled(x, -1),
    }
    for warps in 4, 8:
        y.fill_(torch.nan)
        launch(warps)
        agree(f"softmax {cols}, {warps} warps", y, operator(x, -1), 1e-5)
    agree("softmax, compiled", compiled(x, -1), operator(x, -1), 1e-5)
    show(f"softmax {cols}", 8 * rows * cols, turns(clock, ways))


def matmul(clock, n):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.full((n, n), torch.nan, device="cuda")
    tiles = [triton.Config({"M": m, "N": w, "K": k, "GROUP": 8}, num_warps=warps, num_stages=stages)
             for m, w, k, warps, stages in ((64, 64, 32, 4, 3), (128, 128, 32, 4, 3), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (64, 256, 32, 4, 4))]  # fmt: skip
    tuned = triton.autotune(configs=tiles, key=["m", "n", "k"])(lesson33.matmul_kernel)
    ways = {
        "cuBLAS": lambda: torch.matmul(a, b),
        "Triton": lambda: tuned[grid](a, b, c, n, n, n),
    }
    grid = lambda t: (triton.cdiv(n, t["M"]) * triton.cdiv(n, t["N"]),)  # noqa: E731
    ways["Triton"]()
    agree("matmul", c.half(), torch.matmul(a, b), 5e-2 * (n / 4096) ** 0.5)
    print(f"matmul {n}: autotune has taken {tuned.best_config}")
    show(f"matmul {n}", 2 * n**3 / 1e3, turns(clock, ways), "TFLOP/s", of="cuBLAS")
    record.row("Triton", "configuration", str(tuned.best_config))


def record_warnings():
    """What torch.compile warns of is recorded, too."""
    show_warning = warnings.showwarning

    def show_and_record(message, *where, **more):
        record.part("")
        record.row("warning", "words", " ".join(str(message).split()))
        show_warning(message, *where, **more)

    warnings.showwarning = show_and_record


def main():
    device.print_backend()
    record_warnings()
    for name, module in ("PyTorch", torch), ("Triton", triton):
        record.row(name, "version", module.__version__)
    torch.manual_seed(int(os.environ.get("SEED") or 1))
    clock = bench.Clock()
    gelu(clock, 1 << 26)
    softmax(clock, 65536, 1024)
    softmax(clock, 65536, 1000)
    softmax(clock, 8192, 8192)
    matmul(clock, 4096)
    return verify.finish("race")


sys.exit(main())
