"""backward_race.py LIBRARY - lesson 20's backward pass and those behind PyTorch's scaled_dot_product_attention, in turns in one process. Needs
PyTorch and a GPU. LIBRARY: parts.cu, built as a library. SIZES="1024 4096" in the environment leaves other sizes out.

A row is the median of 21 turns, timed as in race.py. TFLOP/s are of the 5 products that the pass needs; ours computes 7. Before it is timed, each
result is compared with that of fp64 on a small problem: the error is the root of the mean square, in percent of that of the exact result.
"""

import ctypes
import os
import random
import statistics
import sys

import torch
from common import bench, device, record, verify
from race import BACKENDS, FLUSH_SIZE, HEADS, TURNS, D, kind_of, load, record_times, sizes, time_in_turns
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

LESSON = load(sys.argv[1])


class Problem:
    """Q, K, V and dO as [batch, sequence, heads, d]; what comes out is NaN first."""

    def __init__(self, batch, n, causal):
        self.batch, self.n, self.causal = batch, n, causal
        make = lambda: torch.randn(batch, n, HEADS, D, device="cuda", dtype=torch.bfloat16)  # noqa: E731
        self.q, self.k, self.v, self.d_out = (make() for _ in range(4))
        self.out, *self.grads = (torch.full_like(self.q, torch.nan) for _ in range(4))
        self.lse, self.delta = (torch.full((batch, HEADS, n), torch.nan, device="cuda") for _ in range(2))

    def call(self, function, *more):
        tensors = (self.q, self.k, self.v, self.out, self.lse, *more)
        addresses = (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        function(self.batch, HEADS, HEADS, self.n, int(self.causal), addresses, stream)

    def forward(self):
        self.call(LESSON.lesson20_forward)

    def backward(self):
        self.call(LESSON.lesson20_backward, self.d_out, self.delta, *self.grads)

    def peer(self, backend, dtype=torch.bfloat16):
        """A function that runs PyTorch's backward pass alone, and returns dQ, dK and dV."""
        leaves = [t.detach().to(dtype).requires_grad_() for t in (self.q, self.k, self.v)]
        d_out = self.d_out.to(dtype).transpose(1, 2)
        with sdpa_kernel(backend):
            out = scaled_dot_product_attention(*(t.transpose(1, 2) for t in leaves), is_causal=self.causal)
        return lambda: torch.autograd.grad(out, leaves, d_out, retain_graph=True)


def error(found, exact):
    return 100 * float((found.double() - exact).pow(2).mean().sqrt() / exact.pow(2).mean().sqrt())


def compare_errors(causal):
    """Against fp64. Anything above a percent is wrong."""
    p = Problem(2, 1024, causal)
    exact = p.peer(SDPBackend.MATH, torch.float64)()
    p.forward()
    p.backward()
    results = {"lesson 20": p.grads}
    for name, backend in BACKENDS.items():
        results[name] = p.peer(backend)()
    record.part(f"errors, {kind_of(causal)}")
    for name, grads in results.items():
        errors = [error(found, right) for found, right in zip(grads, exact)]
        print(f"{kind_of(causal):6}  {name:16}  error of dQ, dK, dV: " + "  ".join(f"{e:.3f} %" for e in errors))
        for column, value in zip(("dQ", "dK", "dV"), errors):
            record.row(name, column, value, "%")
        verify.tally["comparisons"] += 1
        verify.fact(f"{name}: errors below 1 %", all(e < 1 for e in errors), True)


def race(clock, n, causal):
    p = Problem(max(1, min(8, 16384 // n)), n, causal)
    p.forward()
    ways = {"lesson 20": p.backward}
    for name, backend in BACKENDS.items():
        ways[name] = p.peer(backend)
    taken = time_in_turns(clock, ways, TURNS)
    flops = 2.5 * 4 * p.batch * HEADS * n * n * D * (0.5 if causal else 1)
    best = statistics.median(taken["FlashAttention-2"])
    record.part(f"{p.batch} x {n}, {kind_of(causal)}")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{p.batch} x {n:<6}  {kind_of(causal):6}  {name:16}  {median:9.4f} ms  {min(times):9.4f} .. {max(times):9.4f}  "
              f"{flops / median / 1e9:8.1f} TFLOP/s  {100 * best / median:6.1f} %", flush=True)  # fmt: skip
        record_times(name, times, flops / median / 1e9, "TFLOP/s")
        record.row(name, "% of FlashAttention-2", 100 * best / median, "%")
    for grad in p.grads:
        verify.tally["comparisons"] += 1
        verify.fact("what was timed has written numbers", bool(torch.isfinite(grad).all()), True)


def main():
    device.print_backend()
    seed = int(os.environ.get("SEED") or 1)
    torch.manual_seed(seed)
    random.seed(seed)
    for causal in False, True:
        compare_errors(causal)
    clock = bench.Clock(FLUSH_SIZE)
    for causal in False, True:
        for n in sizes(1024, 2048, 4096, 8192, 16384):
            race(clock, n, causal)
    return verify.finish("backward")


sys.exit(main())
