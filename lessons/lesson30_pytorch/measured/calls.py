"""calls.py - what a call costs: GELU by our operators, by PyTorch's own, and compiled, in turns in one process. For a
GPU; elsewhere it verifies, and times nothing.

    nothing         an empty call: a function of the library through ctypes, the operator `nothing` of the package, the
                    same through autograd's bookkeeping
    gelu            at several sizes and types: gelu (Python, ctypes), gelu_torch (C++), torch.nn.functional.gelu
    gelu, backward  with the way back
    2 x, gelu, + 1  the same three, compiled by torch.compile, and PyTorch's own as it is

A time is the median of 21 turns, each the mean of some calls, behind which the device is waited for; its lowest and
highest come behind it.
"""

import os
import statistics
import sys
import time

import gelu_torch
import lesson30
import torch
from common import device, record, verify

TURNS, WARM_UP = 21, 3
TIMED = lesson30.WHERE == "cuda"
OWN = torch.nn.functional.gelu


def wait():
    if TIMED:
        torch.cuda.synchronize()


def timed(call, times):
    wait()
    start = time.perf_counter()
    for _ in range(times):
        call()
    wait()
    return 1e6 * (time.perf_counter() - start) / times


def row(name, times, ways):
    taken = {way: [] for way in ways}
    for turn in range(WARM_UP + TURNS if TIMED else 1):
        for way, call in ways.items():
            microseconds = timed(call, times if TIMED else 1)
            if turn >= WARM_UP:
                taken[way].append(microseconds)
    record.part(name)
    for way, all_of in taken.items():
        if all_of:
            for column, value in (("µs", statistics.median(all_of)), ("shortest", min(all_of)), ("longest", max(all_of))):
                record.row(way, column, value, "µs")
            print(f"{name:26} | {way:14} | {statistics.median(all_of):12.3f} us ({min(all_of):.3f} .. {max(all_of):.3f})", flush=True)


def nothing(seed):
    x = lesson30.random(1, seed)
    with_gradient = x.clone().requires_grad_()
    empty = lesson30.library.gelu_forward_float
    nowhere = torch.ops.gelu_torch.nothing.default
    row("nothing", 10000, {
        "ctypes": lambda: empty(None, None, 0, None),
        "C++": lambda: nowhere(x),
        "C++, gradient": lambda: nowhere(with_gradient),
        "lambda": lambda: None,
    })  # fmt: skip


def gelu(n, dtype, times, seed):
    x = lesson30.random(n, seed, dtype)
    ways = {"gelu, Python": lambda: lesson30.gelu(x), "gelu_torch, C++": lambda: gelu_torch.gelu(x), "PyTorch": lambda: OWN(x)}
    name = f"gelu {lesson30.NAMES[dtype]} {n}"
    for way, call in ways.items():
        looked_at = slice(0, lesson30.LOOKED_AT)
        atol = lesson30.ROUNDED.get(dtype, 0) if way == "PyTorch" else 0
        found, right = call()[looked_at], lesson30.gelu_cpu(x[looked_at])
        verify.floats(f"{name}, {way}", found.cpu().double().numpy(), right, 2e-6 + atol, lesson30.ROUNDED.get(dtype, 0) + 1e-5)
    row(name, times, ways)


def back(n, times, seed):
    x, dy = lesson30.random(n, seed).requires_grad_(), lesson30.random(n, seed + 1)

    def both(function):
        x.grad = None
        function(x).backward(dy)

    row(f"forward and backward {n}", times, {
        "gelu, Python": lambda: both(lesson30.gelu),
        "gelu_torch, C++": lambda: both(gelu_torch.gelu),
        "PyTorch": lambda: both(OWN),
    })  # fmt: skip


def compiled(n, times, seed):
    x = lesson30.random(n, seed)
    backend = "inductor" if TIMED else "aot_eager"

    def model(function):
        return lambda x: function(2 * x) + 1

    ways = {"PyTorch, as it is": lambda: model(OWN)(x)}
    for name, function in (("gelu_torch, compiled", gelu_torch.gelu), ("PyTorch, compiled", OWN)):
        torch._dynamo.reset()
        made = torch.compile(model(function), backend=backend, fullgraph=True, dynamic=False)
        lesson30.is_right(f"compiled, {name}", made(x)[: 1 << 16], lesson30.gelu_cpu(2 * x[: 1 << 16]) + 1)
        ways[name] = lambda made=made: made(x)
    row(f"2 x, gelu, + 1 {n}", times, ways)


def main():
    device.print_backend()
    print(f"PyTorch {torch.__version__}, tensors of '{lesson30.WHERE}'")
    record.row("PyTorch", "version", torch.__version__)
    seed = int(os.environ.get("SEED") or 1)
    nothing(seed)
    sizes = ((256, 500), (1 << 14, 500), (1 << 20, 200), (1 << 24, 50), (1 << 26, 20)) if TIMED else ((256, 1), (1 << 12, 1))
    for n, times in sizes:
        for dtype in torch.float32, torch.float16, torch.bfloat16:
            gelu(n, dtype, times, seed)
    for n, times in sizes[::2]:
        back(n, times, seed)
        compiled(n, times, seed)
    return verify.finish("calls")


sys.exit(main())
