"""race.py LIBRARY - versions 2 to 6 of lesson 20 and the kernels behind PyTorch's scaled_dot_product_attention, in turns in one process. Needs
PyTorch and a GPU. LIBRARY: parts.cu, built as a library, its name in $FOLDER or its path. SIZES="1024 4096" in the environment leaves other sizes out.

A row is the median of 21 turns, each timed by events with the L2 cache flushed before, and each turn in another order. Python needs longer to start
PyTorch's kernels than ours. So the GPU gets other work first, half a millisecond: nobody's time has a part in which it waits for the CPU. There are
16 heads and 16384 tokens in all. TFLOP/s are of the two products, half of them with a causal mask. Before that, each result is compared with that of fp64 on a
small problem: the error is the root of the mean square, in percent of that of the exact result.
"""

import ctypes
import os
import random
import statistics
import sys

import torch
from common import bench, device, record, verify
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

TURNS, WARM_UP, HEADS, D, TOKENS = 21, 3, 16, 128, 16384
FLUSH_SIZE = 2 << 30  # bytes that the GPU fills before each run
BACKENDS = {"FlashAttention-2": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}


def load(name):
    """A library by its name in the folder of what record.list builds, or by its path."""
    return ctypes.CDLL(os.path.join(os.environ.get("FOLDER", ""), name))


def kind_of(causal):
    return "causal" if causal else "full"


def record_times(name, times, speed, unit):
    """A row of the record, of times in milliseconds, with the speed."""
    for column, value in ("ms", statistics.median(times)), ("shortest", min(times)), ("longest", max(times)):
        record.row(name, column, value, "ms")
    record.row(name, unit, speed, unit)


class Problem:
    """Q, K and V as [batch, sequence, heads, d]; what comes out is NaN first. `spread`: of the numbers of Q."""

    def __init__(self, batch, n, causal, spread=1):
        self.batch, self.n, self.causal = batch, n, causal
        make = lambda: torch.randn(batch, n, HEADS, D, device="cuda", dtype=torch.bfloat16)  # noqa: E731
        self.q, self.k, self.v = make() * spread, make(), make()
        self.outputs = []

    def version(self, library, number):
        """A function that runs a version of the lesson, into an output of its own."""
        out = torch.full_like(self.q, torch.nan)
        lse = torch.full((self.batch, HEADS, self.n), torch.nan, device="cuda")
        tensors = (self.q, self.k, self.v, out, lse)
        addresses = (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))
        self.outputs.append((out, lse))

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            library.lesson20_version(number, self.batch, HEADS, HEADS, self.n, int(self.causal), addresses, stream)
            return out

        return call

    def peer(self, backend, dtype=torch.bfloat16):
        """A function that runs PyTorch's kernel."""
        q, k, v = (t.to(dtype).transpose(1, 2) for t in (self.q, self.k, self.v))

        def call():
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=self.causal)

        return call

    def versions(self, library):
        numbers = (2, 3, 4, 5, 6) if torch.cuda.get_device_capability() == (9, 0) else (2, 3)
        return {f"version {number}": self.version(library, number) for number in numbers}

    def peers(self):
        return {name: self.peer(backend) for name, backend in BACKENDS.items()}


def sizes(*all_of_them):
    return [int(n) for n in os.environ.get("SIZES", "").split()] or all_of_them


def compare_errors(library, causal, spread):
    """Against fp64. Anything above a percent is wrong."""
    p = Problem(2, 1024, causal, spread)
    record.part(f"errors, {kind_of(causal)}, Q x {spread}")
    exact = p.peer(SDPBackend.MATH, torch.float64)()
    for name, call in (p.versions(library) | p.peers()).items():
        out = call() if name in BACKENDS else call().transpose(1, 2)
        error = 100 * float((out.double() - exact).pow(2).mean().sqrt() / exact.pow(2).mean().sqrt())
        largest = float((out.double() - exact).abs().max())
        print(f"{kind_of(causal):6}  Q x {spread}  {name:16}  error {error:.3f} %  largest {largest:.5f}", flush=True)
        record.row(name, "error", error, "%")
        record.row(name, "largest", largest)
        verify.tally["comparisons"] += 1
        verify.fact(f"{name}: error below 1 %", error < 1, True)


def time_in_turns(clock, ways, turns):
    taken = {name: [] for name in ways}
    for turn in range(WARM_UP + turns):
        for name in random.sample(list(ways), len(ways)):
            milliseconds = clock.once(ways[name])
            if turn >= WARM_UP:
                taken[name].append(milliseconds)
    return taken


def compare_speeds(clock, p, ours, turns=TURNS):
    """Ours, functions by their names, and PyTorch's kernels."""
    taken = time_in_turns(clock, ours | p.peers(), turns)
    flops = 4 * p.batch * HEADS * p.n * p.n * D * (0.5 if p.causal else 1)
    flash, cudnn = (statistics.median(taken[name]) for name in BACKENDS)
    width = max(len(name) for name in taken)
    record.part(f"{p.batch} x {p.n}, {kind_of(p.causal)}")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{p.batch} x {p.n:<6}  {kind_of(p.causal):6}  {name:{width}}  {median:9.4f} ms  {min(times):9.4f} .. {max(times):9.4f}  "
              f"{flops / median / 1e9:8.1f} TFLOP/s  {100 * flash / median:6.1f} % of FlashAttention-2  {100 * cudnn / median:6.1f} % of cuDNN",
              flush=True)  # fmt: skip
        row = " ".join(name.split())
        record_times(row, times, flops / median / 1e9, "TFLOP/s")
        record.row(row, "% of FlashAttention-2", 100 * flash / median, "%")
        record.row(row, "% of cuDNN", 100 * cudnn / median, "%")
    expected = p.peers()["FlashAttention-2"]().transpose(1, 2)
    for name, (out, lse) in zip(ours, p.outputs):
        verify.tally["comparisons"] += 1
        close = torch.allclose(out.float(), expected.float(), atol=2e-2, rtol=2e-2)
        verify.fact(f"what {name} wrote while it was timed agrees with PyTorch", close, True)
        verify.fact(f"{name} has written log-sum-exp", bool(torch.isfinite(lse).all()), True)


def main():
    device.print_backend()
    library = load(sys.argv[1])
    record.row("PyTorch", "version", torch.__version__.split("+")[0])
    record.row("cuDNN", "version", f"{torch.backends.cudnn.version() // 10000}.{torch.backends.cudnn.version() // 100 % 100}")
    seed = int(os.environ.get("SEED") or 1)
    torch.manual_seed(seed)
    random.seed(seed)
    for causal in False, True:
        for spread in 1, 4:
            compare_errors(library, causal, spread)
    clock = bench.Clock(FLUSH_SIZE)
    for causal in False, True:
        for n in sizes(1024, 2048, 4096, 8192, 16384):
            p = Problem(max(1, TOKENS // n), n, causal)
            compare_speeds(clock, p, p.versions(library))
    return verify.finish("race")


if __name__ == "__main__":
    sys.exit(main())
