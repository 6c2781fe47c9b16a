"""Lesson 34: kernels written in Python, with Numba. GELU, its derivative, and the sum that a bias needs.

    make lesson34 run                 every step, verified against the CPU
    make lesson34 run V=3             that step alone; SIZE= and SEED= as everywhere
    make lesson34 ptx                 what Numba makes of the kernels

Each step has one idea:

    launch1         a function becomes a kernel: grid, block, guard, and an index below zero
    signatures2     what is compiled and when; a signature is believed, not compared
    promotion3      a number of Python in a kernel makes fp64 arithmetic
    copies4         NumPy's arrays are copied at each launch, there and back
    interface5      device memory from others and for others: __cuda_array_interface__
    reduction6      shared memory, a barrier, shuffles: the sum of dx
    checks7         mistakes: what Numba's simulator sees of them, and what the emulator

Nothing here needs a GPU; with one, Numba compiles for it.
"""

# sizes: 0 1 1025

import ctypes
import importlib.util
import math
import os
import re
import subprocess
import sys
import warnings

import numpy as np
from common import bench, device, verify
from numba import config, cuda, float32

BLOCK, WARPS = 256, 8  # threads and warps in a block
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 20  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # that a small grid keeps no GPU busy, we know

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])


def gelu_backward_cpu(x, dy):
    below = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])
    wide = x.astype(np.float64)
    return dy * (below + wide * np.exp(-0.5 * wide * wide) / math.sqrt(2 * math.pi))


# ---------------------------------------------------------------- the kernels


# Grid: n threads or more.
@cuda.jit(lineinfo=True)
def gelu_kernel1(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 0.5 * x[i] * (1 + math.erf(x[i] * 0.7071067811865476))


# Numbers from outside of a kernel are constants in it, and they keep their type.
ONE, HALF, ROOT_HALF = np.float32(1), np.float32(0.5), np.float32(math.sqrt(0.5))
DENSITY = np.float32(1 / math.sqrt(2 * math.pi))


# Grid: n threads or more.
@cuda.jit(lineinfo=True)
def gelu_kernel2(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = HALF * x[i] * (ONE + math.erf(x[i] * ROOT_HALF))


# Called by kernels. It is compiled into each of them, for their types.
@cuda.jit(device=True)
def gelu_derivative(v):
    below = HALF * (ONE + math.erf(v * ROOT_HALF))
    return below + v * (DENSITY * math.exp(-HALF * v * v))


# Grid: n threads or more.
@cuda.jit(lineinfo=True)
def gelu_backward_kernel(x, dy, dx):
    i = cuda.grid(1)
    if i < x.size:
        dx[i] = dy[i] * gelu_derivative(x[i])


# Grid: any number of blocks. Each thread adds up its share, each block its threads, and total gets a number from each block.
@cuda.jit(lineinfo=True)
def sum_kernel1(x, total):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    mine = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    tile[t] = mine
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(total, 0, tile[0])


# The same, but a warp adds up without shared memory: a number from each warp goes there.
@cuda.jit(lineinfo=True)
def sum_kernel2(x, total):
    tile = cuda.shared.array(WARPS, float32)
    t = cuda.threadIdx.x
    mine = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    for offset in (16, 8, 4, 2, 1):
        mine += cuda.shfl_down_sync(0xFFFFFFFF, mine, offset)
    if t % 32 == 0:
        tile[t // 32] = mine
    cuda.syncthreads()
    if t == 0:
        for w in range(1, WARPS):
            mine += tile[w]
        cuda.atomic.add(total, 0, mine)


KERNELS = [gelu_kernel1, gelu_kernel2, gelu_backward_kernel, sum_kernel1, sum_kernel2]

# ---------------------------------------------------------------- the functions that the steps arrive at


to_device = cuda.to_device  # a copy on the device of an array of NumPy


def blocks_for(n):
    return (n + BLOCK - 1) // BLOCK


def blocks_for_sum(n):
    """So many that each thread has 16 elements to add up, and not more than run at the same time."""
    return min((n + 16 * BLOCK - 1) // (16 * BLOCK), 1056)


def forward(x, kernel=gelu_kernel2):
    """x on the device; so is the result."""
    y = to_device(verify.poisoned(x.shape))
    if x.size > 0:  # a grid has one block or more
        kernel[blocks_for(x.size), BLOCK](x, y)
    return y


def backward(x, dy):
    dx = to_device(verify.poisoned(x.shape))
    if x.size > 0:
        gelu_backward_kernel[blocks_for(x.size), BLOCK](x, dy, dx)
    return dx


def total_of(x, kernel=sum_kernel2):
    total = to_device(np.zeros(1, np.float32))
    if x.size > 0:
        kernel[blocks_for_sum(x.size), BLOCK](x, total)
    return total


def ptx_of(kernel):
    """What was compiled last."""
    return list(kernel.inspect_asm().values())[-1]


def fp64_in(kernel):
    """Instructions that compute in fp64: their names end so. A copy (mov) is none."""
    return len(re.findall(r"^\t(?:@%p\d+ )?(?!mov)[a-z][\w.]*\.f64[ \t]", ptx_of(kernel), re.M))


# ---------------------------------------------------------------- the steps


def launch1(seed):
    """kernel[blocks, threads](arrays). Nobody compares an index with the array's size, and -1 is the last element."""
    x = verify.random(1000, -3, 3, seed)
    print(f"    {x.size} elements in blocks of {BLOCK}: gelu_kernel1[{blocks_for(x.size)}, {BLOCK}](x, y)")
    verify.floats("launch1", forward(to_device(x), gelu_kernel1).copy_to_host(), gelu_cpu(x), ATOL, RTOL)

    @cuda.jit
    def read_last(x, y):
        y[0] = x[cuda.threadIdx.x - 1]

    y = to_device(verify.poisoned(1))
    read_last[1, 1](to_device(x), y)
    verify.floats("x[-1] in a kernel", y.copy_to_host(), x[-1:], 0, 0)
    print("    x[-1] in a kernel is the last element, as in Python")
    try:
        gelu_kernel1[0, BLOCK](y, y)
        refused = "nothing"
    except Exception as error:  # its type differs between the versions of Numba
        refused = str(error)
    verify.fact("a grid of no blocks is refused", refused != "nothing", True)
    print(f"    a grid of no blocks: {refused}")


def double_it(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + x[i]


def signatures2(seed):
    """Each combination of types is compiled at its first call. A signature that is written down is not compared."""
    lazy = cuda.jit(double_it)
    x = to_device(verify.random(1000, 1, 3, seed))
    wide, y = to_device(x.copy_to_host().astype(np.float64)), to_device(verify.poisoned(1000))
    for words, given, expected in (
        ("before the first call", None, 0),
        ("1000 of float32", x, 1),
        ("10 of float32", x[:10], 1),
        ("1000 of float64", wide, 2),
        ("every second of float32", x[::2], 3),
    ):
        if given is not None:
            lazy[4, BLOCK](given, y)
        verify.fact(f"compiled, {words}", len(lazy.signatures), expected)
        print(f"    {words:24} compiled so far: {len(lazy.signatures)}")

    eager = cuda.jit("void(float32[::1], float32[::1])")(double_it)
    verify.fact("compiled before a call", len(eager.signatures), 1)
    for words, given, expected in (
        ("float64 for float32[::1]", wide, wide.copy_to_host().view(np.float32)[:1000]),
        ("x[::2] for float32[::1]", x[::2], x.copy_to_host()[:500]),
    ):
        y = to_device(verify.poisoned(1000))
        eager[4, BLOCK](given, y)
        verify.floats(words, y.copy_to_host()[: expected.size], 2 * expected, 0, 0)
        print(f"    {words}: not refused, and its memory is read as contiguous float32")


def promotion3(seed):
    """0.5 is a float64, and 1 an int64: with a float32, both of them make a float64."""
    x = verify.random(1000, -3, 3, seed)
    counts = []
    for kernel in gelu_kernel1, gelu_kernel2:
        verify.floats(kernel.__name__, forward(to_device(x), kernel).copy_to_host(), gelu_cpu(x), ATOL, RTOL)
        counts.append(fp64_in(kernel))
        print(f"    {kernel.__name__}: {counts[-1]} instructions of fp64 in its PTX")
    verify.fact("fp64 in gelu_kernel1, and none in gelu_kernel2", (counts[0] > 20, counts[1]), (True, 0))

    @cuda.jit
    def scale(x, factor):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= factor

    for factor, expected in ((2.0, True), (2, True), (np.float32(2), False)):
        scale[4, BLOCK](to_device(x), factor)
        found = fp64_in(scale)
        verify.fact(f"fp64 for a factor of {type(factor).__name__}", found > 0, expected)
        print(f"    x[i] *= factor, a {type(factor).__name__:8} {found} instructions of fp64")


@cuda.jit
def double_into(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + x[i]


def copies4(seed, sizes):
    """What lies in the CPU's memory is copied to the device before the launch and back behind it, whether it is written or
    only read. What lies on the device stays there."""
    x = verify.random(1000, -3, 3, seed)
    y = verify.poisoned(1000)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        gelu_kernel2[4, BLOCK](x, y)
    verify.floats("arrays of NumPy", y, gelu_cpu(x), ATOL, RTOL)
    verify.fact("warned", [one.category.__name__ for one in warned], ["NumbaPerformanceWarning"] * 2)
    print(f"    x and y of NumPy: the result is right, and {warned[0].category.__name__} says for each of them:")
    plain = re.sub("\x1b\\[[0-9]*m", "", str(warned[0].message))  # with colorama it is in bold
    print(f"    {plain}")

    warnings.simplefilter("ignore")  # in what follows, it is on purpose
    for words, result, factor in (
        ("double_into(x, x), x of NumPy", lambda x: double_into[4, BLOCK](x, x), 1),
        ("double_into(x, cuda.In(x))", lambda x: double_into[4, BLOCK](x, cuda.In(x)), 2),
    ):
        twice = x.copy()
        result(twice)
        verify.floats(words, twice, factor * x, 0, 0)
        print(f"    {words:30} x is {'what it was before' if factor == 1 else 'doubled'}")
    there = to_device(x)
    double_into[4, BLOCK](there, there)
    verify.floats("double_into(x, x), x on the device", there.copy_to_host(), 2 * x, 0, 0)
    print(f"    {'double_into(x, x), on the device':30} x is doubled")

    for n in sizes:
        x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
        looked_at = slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)
        x_there = to_device(x)
        y = forward(x_there).copy_to_host()[looked_at]
        dx = backward(x_there, to_device(dy)).copy_to_host()[looked_at]
        x, dy = x[looked_at], dy[looked_at]
        verify.floats("gelu_kernel2", y, gelu_cpu(x), ATOL, RTOL)
        verify.floats("gelu_backward_kernel", dx, gelu_backward_cpu(x, dy), ATOL, RTOL)


class Tensor:
    """An array of another library, in as few lines as can be: memory from cudaMalloc, and what says what is in it."""

    def __init__(self, n):
        self.n, self.memory = n, ctypes.c_void_p()
        device.check(device.runtime().cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(4 * n)), "cudaMalloc")

    def close(self):
        device.check(device.runtime().cudaFree(self.memory), "cudaFree")

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.n,), "typestr": "<f4", "data": (self.memory.value, False), "strides": None, "version": 3}


def interface5(seed):
    """An object that has this dictionary is an array of the device for Numba, CuPy and PyTorch alike. Nothing is copied,
    and nobody keeps the memory alive for you."""
    x = verify.random(1000, -3, 3, seed)
    theirs = Tensor(1000)
    x_there = to_device(x)
    gelu_kernel2[4, BLOCK](x_there, theirs)  # Numba takes it as it is
    view = cuda.as_cuda_array(theirs)
    verify.fact("no copy", view.__cuda_array_interface__["data"][0], theirs.memory.value)
    verify.floats("their memory, our kernel", view.copy_to_host(), gelu_cpu(x), ATOL, RTOL)
    ours = x_there[::2].__cuda_array_interface__
    told = {name: ours[name] for name in ("shape", "strides", "typestr")}
    verify.fact("x[::2]", told, {"shape": (500,), "strides": (8,), "typestr": "<f4"})
    verify.fact("the same memory", ours["data"], (x_there.__cuda_array_interface__["data"][0], False))
    print(f"    x[::2].__cuda_array_interface__ says {told}")
    print("    a kernel has written into memory of cudaMalloc, and Numba has copied none of it")
    theirs.close()


add_up = cuda.reduce(lambda a, b: a + b)


def reduction6(seed, sizes):
    """Numba's own reduction, then ours: a tree in shared memory, and shuffles."""
    for n in sizes:
        x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
        dx = backward(to_device(x), to_device(dy))
        if n > LOOKED_AT:
            expected = np.array([dx.copy_to_host().sum(dtype=np.float64)])
        else:
            expected = np.array([gelu_backward_cpu(x, dy).sum()])
        atol = 1e-6 * (1 + n**0.5)  # of a sum whose parts have both signs
        for kernel in sum_kernel1, sum_kernel2:
            verify.floats(f"{kernel.__name__} of {n}", total_of(dx, kernel).copy_to_host(), expected, atol, RTOL)
        if n > 0:
            found = np.array([add_up(dx)], np.float32)
            verify.floats(f"cuda.reduce of {n}", found, expected, atol, RTOL)
    print(f"    the sums of up to {max(sizes)} elements agree")


MISTAKES = {  # by the name of the kernel in mistakes.py: the result and what is said, by the simulator and by the emulator
    "from_the_end": ("wrong, nothing", "wrong, nothing"),
    "small_number": ("right, nothing", "wrong, nothing"),
    "no_atomic": ("right, nothing", "wrong, race"),
    "no_barrier": ("by chance, nothing", "wrong, race"),
    "no_guard": ("IndexError, nothing", "CudaAPIError, out_of_bounds"),
    "own_barrier": ("right, nothing", "CudaAPIError, divergent_barrier"),
}
COMPILED = [["from_the_end", "small_number", "no_atomic", "no_barrier"], ["no_guard"], ["own_barrier"]]


def start_mistakes(names, simulated):
    """In a process of its own: the simulator is chosen before Numba is imported, and behind a failed kernel nothing works."""
    watched = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW")  # it is not this process that makes mistakes
    plain = {key: value for key, value in os.environ.items() if not key.startswith(watched)}
    plain |= {"NUMBA_ENABLE_CUDASIM": "1"} if simulated else {"EMULATOR_CHECK": "memcheck,racecheck,synccheck"}
    script = os.path.relpath(importlib.util.find_spec("mistakes").origin)
    words = [sys.executable, "-B", script, *names]
    return subprocess.Popen(words, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def printed_by(children):
    """By the name of the mistake: what was printed, and the words at its end."""
    told, before = {}, []
    for line in "".join(child.communicate()[0] for child in children).splitlines():
        match = re.fullmatch(r"(\w+): (.*; .* threads of Python)", line)
        if match:
            told[match[1]], before = (before, match[2]), []
        else:
            before.append(line)
    return told


def checks7(seed):
    """The simulator runs each thread of a grid as a thread of Python, one block after the other, and compiles nothing.
    The emulator runs what was compiled."""
    simulated = [start_mistakes(MISTAKES, simulated=True)]
    compiled = [start_mistakes(names, simulated=False) for names in COMPILED if device.is_emulator()]
    simulated, compiled = printed_by(simulated), printed_by(compiled)
    print(f"    {'mistake':14}  {'simulator: y, it says':24}  emulator: y, it says")
    for name, (simulator, emulator) in MISTAKES.items():
        told, threads = simulated.get(name, ([], "?; ?"))[1].split("; ")
        if simulator.startswith("by chance"):
            told = "by chance, " + told.split(", ")[-1]
        verify.fact(f"{name}, simulator", told, simulator)
        verify.fact(f"{name}, simulator", threads, f"{'no' if 'Error' in simulator else 64} threads of Python")
        other = compiled.get(name, ([], "not run; "))[1].split("; ")[0]
        verify.fact(f"{name}, emulator", other, emulator if device.is_emulator() else "not run")
        print(f"    {name:14}  {told:24}  {other}")
    print("    for a block of 64, the simulator has started 64 threads of Python")
    if "no_barrier" in compiled:
        print("    of no_barrier the emulator says:")
        report = compiled["no_barrier"][0]
        first = max(number for number, line in enumerate(report) if "Race reported" in line)
        print(*report[first + 2 : first + 8], sep="\n")
    x = verify.random(1000, -3, 3, seed)
    verify.floats("checks7", forward(to_device(x)).copy_to_host(), gelu_cpu(x), ATOL, RTOL)


# ---------------------------------------------------------------- main


def measure(n, seed):
    """The kernels on arrays that are on the device already. A first launch compiles; verified, it has been."""
    table = bench.Table(8 * n)
    x, y = to_device(verify.random(n, -4, 4, seed)), to_device(verify.poisoned(n))
    total = to_device(np.zeros(1, np.float32))
    grid, few = max(1, blocks_for(n)), max(1, blocks_for_sum(n))
    table.run("gelu_kernel1", lambda: gelu_kernel1[grid, BLOCK](x, y), n, 8 * n)
    table.run("gelu_kernel2", lambda: gelu_kernel2[grid, BLOCK](x, y), n, 8 * n)
    table.run("gelu_backward", lambda: gelu_backward_kernel[grid, BLOCK](x, x, y), n, 12 * n)
    table.run("sum_kernel1", lambda: sum_kernel1[few, BLOCK](x, total), n, 4 * n)
    table.run("sum_kernel2", lambda: sum_kernel2[few, BLOCK](x, total), n, 4 * n)
    table.finish()


def print_ptx():
    """For `make lesson34 ptx`: what is compiled for arrays of float32."""
    x, one = to_device(np.zeros(1, np.float32)), to_device(np.zeros(1, np.float32))
    for kernel in KERNELS:
        kernel[1, BLOCK](*([x, x, one] if kernel is gelu_backward_kernel else [x, one]))
        print(ptx_of(kernel))


def main():
    if sys.argv[1:] == ["--ptx"]:
        return print_ptx()
    options = device.read_options(versions=7)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [launch1, signatures2, promotion3, copies4, interface5, reduction6, checks7]
    for version, step in enumerate(steps, 1):
        if step is checks7 and options.size is not None and not options.version:
            continue  # its mistakes have sizes of their own
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step in (copies4, reduction6) else []))
    if options.version == 0:
        measure(n, options.seed)
    cuda.current_context().reset()  # Numba frees ten arrays at a time, and at the end of a program not the rest
    return verify.finish("gelu")


if __name__ == "__main__":
    sys.exit(main())
