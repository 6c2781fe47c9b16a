"""Lesson 33: Triton, where a program works on a block of elements. GELU and its derivative, softmax, a matrix product.

    make lesson33 run                 every step, verified against the CPU
    make lesson33 run V=3             that step alone; SIZE= and SEED= as everywhere
    make lesson33 ptx                 what Triton makes of the kernels

Each step has one idea:

    programs1       a program and its block of elements, in the place of threads
    masks2          the edge: mask for each load and store, and `other` for what is not there
    compiled3       what is compiled and when; threads and vectors come from the compiler
    planes4         two dimensions: bias and GELU backward, pointers from strides
    softmax5        a row for a program: reductions inside of it
    matmul6         tiles and tl.dot, and autotune by a measure of our own
    interpreter7    mistakes: what Triton's interpreter sees of them, and what the emulator

Nothing here needs a GPU; with one, Triton compiles for it (and asks PyTorch for the stream).
"""

# sizes: 0 1 1025

import importlib.util
import math
import os
import re
import subprocess
import sys

import numpy as np
import triton
import triton.language as tl
from arrays import poisoned, to_device
from common import bench, device, verify

SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 20  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.reshape(-1).tolist()]).reshape(x.shape)


def gelu_backward_cpu(x, dy):
    below = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.reshape(-1).tolist()]).reshape(x.shape)
    wide = x.astype(np.float64)
    return dy * (below + wide * np.exp(-0.5 * wide * wide) / math.sqrt(2 * math.pi))


def softmax_cpu(x):
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


# ---------------------------------------------------------------- the kernels


# Grid: a program for each BLOCK elements.
@triton.jit
def gelu_kernel1(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    tl.store(y + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=inside)


# The same without the guard: for a grid that fits.
@triton.jit
def gelu_kernel2(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)))


# Called by kernels.
@triton.jit
def gelu_derivative(v):
    below = 0.5 * (1 + tl.erf(v * 0.7071067811865476))
    return below + v * (0.3989422804014327 * tl.exp(-0.5 * v * v))


# Grid: a program for each ROWS x COLS elements. A stride is how many elements further the next row begins.
@triton.jit
def bias_gelu_backward_kernel(x, bias, dy, dx, rows, cols, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.program_id(1) * COLS + tl.arange(0, COLS)
    at = row[:, None] * stride + col[None, :]
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    v = tl.load(x + at, mask=inside) + tl.load(bias + col, mask=col < cols)[None, :]
    tl.store(dx + at, tl.load(dy + at, mask=inside) * gelu_derivative(v), mask=inside)


# Grid: a program for each row. BLOCK is a power of two, and as long as a row or longer.
@triton.jit
def softmax_kernel(x, y, cols, stride, MISSING: tl.constexpr, BLOCK: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + col, mask=col < cols, other=MISSING)
    powers = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + col, powers / tl.sum(powers, axis=0), mask=col < cols)


# Grid: a program for each M x N elements of c = a b, in groups of GROUP rows of tiles, so that neighbours share what they read.
@triton.jit
def matmul_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    across = tl.cdiv(n, N)
    first = tl.program_id(0) // (GROUP * across) * GROUP
    height = min(tl.cdiv(m, M) - first, GROUP)
    within = tl.program_id(0) % (GROUP * across)
    i = (first + within % height) * M + tl.arange(0, M)
    j = within // height * N + tl.arange(0, N)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        inner = start + tl.arange(0, K)
        left = tl.load(a + i[:, None] * k + inner[None, :], mask=(i[:, None] < m) & (inner[None, :] < k), other=0.0)
        right = tl.load(b + inner[:, None] * n + j[None, :], mask=(inner[:, None] < k) & (j[None, :] < n), other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + i[:, None] * n + j[None, :], sums, mask=(i[:, None] < m) & (j[None, :] < n))


# ---------------------------------------------------------------- launches


def forward(x, BLOCK=1024, **options):
    y = poisoned(x.shape)
    if y.nbytes:
        gelu_kernel1[(triton.cdiv(x.shape[0], BLOCK),)](x, y, x.shape[0], BLOCK=BLOCK, **options)
    return y


def softmax(x, MISSING=-math.inf, **options):
    rows, cols = x.shape
    y = poisoned(x.shape)
    if y.nbytes:
        softmax_kernel[(rows,)](x, y, cols, cols, MISSING=MISSING, BLOCK=triton.next_power_of_2(cols), **options)
    return y


def backward(x, bias, dy):
    rows, cols = x.shape
    dx = poisoned(x.shape)
    if dx.nbytes:
        grid = (triton.cdiv(rows, 16), triton.cdiv(cols, 64))
        bias_gelu_backward_kernel[grid](x, bias, dy, dx, rows, cols, cols, ROWS=16, COLS=64)
    return dx




def matmul(a, b, kernel=matmul_kernel, **options):
    (m, k), n = a.shape, b.shape[1]
    c = poisoned((m, n))
    if c.nbytes:
        grid = lambda tiles: (triton.cdiv(m, tiles["M"]) * triton.cdiv(n, tiles["N"]),)  # noqa: E731, as Triton's users write it
        kernel[grid](a, b, c, m, n, k, **options)
    return c


def ptx_of(kernel, *given, **options):
    """Compiled for these arguments, as a launch would; launched it is not."""
    return kernel.warmup(*given, grid=(1,), **options).asm["ptx"]


def variants(kernel):
    """How many have been compiled, for this device."""
    return sum(len(caches[0]) for caches in kernel.device_caches.values())


# ---------------------------------------------------------------- the steps


def programs1(seed, sizes):
    """One program, 1024 elements, written as if they were one. Numbers of Python take the type of what they meet."""
    for n in sizes:
        x = verify.random(n, -4, 4, seed)
        looked_at = slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)
        verify.floats("gelu_kernel1", forward(to_device(x)).numpy()[looked_at], gelu_cpu(x[looked_at]), ATOL, RTOL)
    x = to_device(np.ones(1024, np.float32))
    fp64 = len(re.findall(r"\.f64", ptx_of(gelu_kernel1, x, x, 1024, BLOCK=1024)))
    verify.fact("fp64 in the PTX", fp64, 0)
    print(f"    1000 elements are one program of 1024, and 1025 are two; fp64 in the PTX: {fp64}")
    try:
        forward(x, BLOCK=1000)
        refused = "nothing"
    except triton.CompilationError as error:
        refused = str(error).splitlines()[-1]
    verify.fact("BLOCK=1000", refused, "arange's range must be a power of 2")
    print(f"    BLOCK=1000: {refused}")


def masks2(seed):
    """Behind the edge nothing is loaded and nothing is stored. What stands there in a register, `other` says."""
    x = verify.random(5 * 300, -9, -8, seed).reshape(5, 300)
    for missing, right in ((-math.inf, True), (0.0, False)):
        y = softmax(to_device(x), MISSING=missing).numpy()
        if right:
            verify.floats("softmax, other=-inf", y, softmax_cpu(x), ATOL, RTOL)
        verify.fact("a row's sum is 1", bool(np.allclose(y.sum(axis=1), 1, atol=1e-5)), right)
        print(f"    300 elements of 512, other={missing}: the sum of a row is {y[0].sum():.3g}")


def compiled3(seed):
    """Types, `n % 16 == 0`, `n == 1` and each constexpr are part of what is compiled. Threads are not yours any more."""
    x = to_device(verify.random(4096, -3, 3, seed))
    before = variants(gelu_kernel1)
    for n in (4096, 2048, 4081, 1000, 1):
        y = poisoned(n)
        launch = lambda: gelu_kernel1[(triton.cdiv(n, 512),)](x, y, n, BLOCK=512)  # noqa: E731, B023
        compiled = launch()
        kind = re.search(r"ld\.global[\w.]*", compiled.asm["ptx"])[0]
        sectors = f", {bench.counted(launch)['load_sectors']} sectors read" if device.is_emulator() else ""
        print(f"    n = {n:4}: {variants(gelu_kernel1) - before} variants compiled, the load is {kind}{sectors}")
        verify.fact(f"n = {n}: the load", kind, "ld.global.v4.b32" if n % 16 == 0 else "ld.global.b32")
        verify.floats(f"compiled3, {n}", y.numpy(), gelu_cpu(x.numpy()[:n]), ATOL, RTOL)
    verify.fact("variants", variants(gelu_kernel1) - before, 3)
    for warps in (1, 4, 16):
        ptx = ptx_of(gelu_kernel1, x, x, 4096, BLOCK=4096, num_warps=warps)
        threads, loads = re.search(r"\.reqntid (\d+)", ptx)[1], len(re.findall(r"ld\.global", ptx))
        verify.fact(f"loads with {warps} warps", (int(threads), loads), (32 * warps, 32 // warps))
        print(f"    4096 elements with num_warps={warps:2}: {threads:>3} threads, {loads:2} loads of four elements in each")


def planes4(seed):
    """row[:, None] and col[None, :] make a plane of addresses and of masks. An array is a pointer and what you know of it."""
    for rows, cols in ((1, 1), (5, 300), (33, 65), (100, 64)):
        x, dy = (verify.random(rows * cols, -3, 3, seed + k).reshape(rows, cols) for k in (0, 1))
        bias = verify.random(cols, -1, 1, seed + 2)
        found = backward(to_device(x), to_device(bias), to_device(dy)).numpy()
        verify.floats(f"backward, {rows} x {cols}", found, gelu_backward_cpu(x + bias, dy), ATOL, RTOL)
    print("    dx of a bias and GELU, 1 x 1 to 100 x 64 in tiles of 16 x 64, agrees")


def softmax5(seed):
    """A row in the registers of one program: read once, written once."""
    for rows, cols in ((1, 1), (7, 33), (3, 1000), (2, 4097)):
        x = verify.random(rows * cols, -9, 9, seed).reshape(rows, cols)
        verify.floats(f"softmax, {rows} x {cols}", softmax(to_device(x)).numpy(), softmax_cpu(x), ATOL, RTOL)
    x, y = to_device(verify.random(64 * 1024, -9, 9, seed).reshape(64, 1024)), poisoned((64, 1024))
    if device.is_emulator():
        c = bench.counted(lambda: softmax_kernel[(64,)](x, y, 1024, 1024, MISSING=-math.inf, BLOCK=1024))
        verify.fact("sectors read and written", (c["load_sectors"], c["store_sectors"]), (8192, 8192))
        print(f"    64 x 1024: {c['load_sectors']} sectors read, {c['store_sectors']} written, each once")
    ptx = ptx_of(softmax_kernel, x, y, 1024, 1024, MISSING=-math.inf, BLOCK=1024)
    found = [len(re.findall(word, ptx)) for word in (r"shfl\.sync\.bfly", r"bar\.sync", r"st\.shared")]
    verify.fact("the reduction uses shuffles and shared memory", all(found), True)
    print("    in its PTX: {} shuffles, {} barriers, {} stores to shared memory".format(*found))


def sectors_of(call, quantiles):
    """A measure for autotune: on the emulator sectors that are read; it has no times."""
    c = bench.counted(call)
    return [float(c["load_sectors"])] * len(quantiles)


TILES = [triton.Config({"M": m, "N": n, "K": 32, "GROUP": 4}, num_warps=4) for m, n in ((32, 32), (32, 64), (64, 64))]
tuned_matmul_kernel = triton.autotune(
    configs=TILES, key=["m", "n", "k"], do_bench=sectors_of if device.is_emulator() else None
)(matmul_kernel)


def matmul6(seed):
    """tl.dot on tiles. Of float32 it uses tf32 (10 bits behind the point) unless one says otherwise: the other 13 are cut off."""
    for m, n, k in ((1, 1, 1), (33, 65, 17), (70, 30, 100)):
        a, b = verify.random(m * k, -1, 1, seed).reshape(m, k), verify.random(k * n, -1, 1, seed + 1).reshape(k, n)
        right = a.astype(np.float64) @ b
        bound = np.abs(a).astype(np.float64) @ np.abs(b)
        # Of either factor tf32 cuts off up to 2^-10; rounding to float16 changes it by up to 2^-11.
        for dtype in (np.float32, np.float16):
            given = [to_device(each.astype(dtype)) for each in (a, b)]
            c = matmul(*given, M=32, N=32, K=32, GROUP=4).numpy()
            error = float((np.abs(c - right) / bound).max())
            verify.fact(f"matmul of {np.dtype(dtype).name}, {m} x {n} x {k}, near enough", error <= 2.2 * 2.0**-10, True)
    a, b = (verify.random(128 * 128, -1, 1, seed + k).reshape(128, 128).astype(np.float16) for k in (0, 1))
    c = matmul(to_device(a), to_device(b), tuned_matmul_kernel).numpy()
    verify.floats("tuned", c, a.astype(np.float64) @ b.astype(np.float64), 1e-4, 1e-4)
    best = tuned_matmul_kernel.best_config.kwargs
    if device.is_emulator():
        verify.fact("the largest tiles read least", (best["M"], best["N"]), (64, 64))
        print("    sectors read for 128 x 128 x 128:", end="")
        for config, measured in tuned_matmul_kernel.configs_timings.items():
            print(f" {config.kwargs['M']} x {config.kwargs['N']}: {measured[0]:.0f};", end="")
        print()
    print(f"    autotune takes tiles of {best['M']} x {best['N']}")


MISTAKES = {  # by the name of the kernel in mistakes.py: the result and what is said, by the interpreter and by the emulator
    "no_other": ("wrong, nothing", "wrong, nothing"),
    "rounded": ("right, nothing", "wrong, nothing"),
    "no_atomic": ("right, nothing", "by chance, race"),
    "no_barrier": ("right, nothing", "by chance, race"),
    "no_mask": ("right, nothing", "SystemExit, out_of_bounds"),
    "false_promise": ("right, nothing", "SystemExit, misaligned"),
}
COMPILED = [["no_other", "rounded", "no_atomic", "no_barrier"], ["no_mask"], ["false_promise"]]


def start_mistakes(names, interpreted):
    """In a process of its own: the interpreter is chosen before Triton is imported, and behind a failed kernel nothing works."""
    watched = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW")  # it is not this process that makes mistakes
    plain = {key: value for key, value in os.environ.items() if not key.startswith(watched)}
    plain |= {"TRITON_INTERPRET": "1"} if interpreted else {"EMULATOR_CHECK": "memcheck,racecheck,synccheck"}
    script = os.path.relpath(importlib.util.find_spec("mistakes").origin)
    words = [sys.executable, "-B", script, *names]
    return subprocess.Popen(words, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def printed_by(children):
    """By the name of the mistake: what was printed, and the words at its end."""
    told, before = {}, []
    for line in "".join(child.communicate()[0] for child in children).splitlines():
        match = re.fullmatch(r"(\w+): (\w+, \w+)", line)
        if match and match[1] in MISTAKES:
            told[match[1]], before = (before, match[2]), []
        else:
            before.append(line)
    return told


def interpreter7(seed):
    """The interpreter runs a program after the other, with NumPy in the place of a block, and compiles nothing. The
    emulator runs what was compiled."""
    interpreted = [start_mistakes(MISTAKES, interpreted=True)]
    compiled = [start_mistakes(names, interpreted=False) for names in COMPILED if device.is_emulator()]
    interpreted, compiled = printed_by(interpreted), printed_by(compiled)
    print(f"    {'mistake':14}  {'interpreter: y, it says':24}  emulator: y, it says")
    for name, (interpreter, emulator) in MISTAKES.items():
        told = interpreted.get(name, ([], "?"))[1]
        verify.fact(f"{name}, interpreter", told, interpreter)
        other = compiled.get(name, ([], "not run"))[1]
        if emulator.startswith("by chance"):
            other = re.sub("right|wrong", "by chance", other)
        verify.fact(f"{name}, emulator", other, emulator if device.is_emulator() else "not run")
        print(f"    {name:14}  {told:24}  {other}")
    if "no_barrier" in compiled:
        print("    of no_barrier the emulator says:")
        report = compiled["no_barrier"][0]
        first = max(number for number, line in enumerate(report) if "[64 hazards]" in line)
        print(*report[first + 1 : first + 9], sep="\n")
    x = verify.random(1000, -3, 3, seed)
    verify.floats("interpreter7", forward(to_device(x)).numpy(), gelu_cpu(x), ATOL, RTOL)


# ---------------------------------------------------------------- main


def measure(n, seed):
    """The kernels on arrays that are on the device already."""
    table = bench.Table(8 * n)
    x, y = to_device(verify.random(n, -4, 4, seed)), poisoned(n)
    grid, odd = (max(1, triton.cdiv(n, 1024)),), max(1, n - 1)
    table.run("gelu, n % 16 = 0", lambda: gelu_kernel1[grid](x, y, n - n % 16, BLOCK=1024), n, 8 * n)
    table.run("gelu, odd n", lambda: gelu_kernel1[grid](x, y, odd - 1 + odd % 2, BLOCK=1024), n, 8 * n)
    cols = 1024
    rows = n // cols
    if rows:
        softmax_of = lambda: softmax_kernel[(rows,)](x, y, cols, cols, MISSING=-math.inf, BLOCK=cols)  # noqa: E731
        table.run("softmax, 1024", softmax_of, rows * cols, 8 * rows * cols)
    table.finish()


def print_ptx():
    """For `make lesson33 ptx`."""
    x = to_device(np.zeros((64, 64), np.float32))
    print(ptx_of(gelu_kernel1, x, x, 1024, BLOCK=1024))
    print(ptx_of(bias_gelu_backward_kernel, x, x, x, x, 64, 64, 64, ROWS=16, COLS=64))
    print(ptx_of(softmax_kernel, x, x, 1024, 1024, MISSING=-math.inf, BLOCK=1024))
    print(ptx_of(matmul_kernel, x, x, x, 64, 64, 64, M=64, N=64, K=32, GROUP=4))


def main():
    if sys.argv[1:] == ["--ptx"]:
        return print_ptx()
    options = device.read_options(versions=7)
    device.print_backend()
    n = options.size if options.size is not None else 100000 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [programs1, masks2, compiled3, planes4, softmax5, matmul6, interpreter7]
    for version, step in enumerate(steps, 1):
        if options.size is not None and not options.version and step is not programs1:
            continue  # these have sizes of their own
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is programs1 else []))
    if options.version == 0 and n > 0:
        measure(n, options.seed)
    return verify.finish("gelu, softmax, matmul")


if __name__ == "__main__":
    sys.exit(main())
