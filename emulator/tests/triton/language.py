"""What Triton's language has besides: each function runs a kernel and compares it with NumPy."""

import sys

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.tools.tensor_descriptor import TensorDescriptor

from cuda_emulator_triton.arrays import empty, to_device, zeros

random = np.random.default_rng(2)


def normal(shape, dtype=np.float32):
    return random.standard_normal(shape, np.float32).astype(dtype)


@triton.jit
def atomics_kernel(integers, reals, halves, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    same = i * 0
    tl.atomic_max(integers + same, i - 5)
    tl.atomic_min(integers + 1 + same, 5 - i)
    tl.atomic_and(integers + 2 + same, ~(i & 3))
    tl.atomic_or(integers + 3 + same, i)
    tl.atomic_xor(integers + 4 + same, i * 3)
    tl.atomic_add(integers + 5, 1, sem="relaxed", scope="cta")
    tl.atomic_max(reals + same, i.to(tl.float32) - 5)
    tl.atomic_min(reals + 1 + same, 5 - i.to(tl.float32))
    tl.atomic_add(halves + i % 2, i.to(tl.float16) * 0.125)
    tl.atomic_add(wide + same, i.to(tl.int64) << 32)


def atomics():
    integers, reals = to_device(np.array([0, 0, -1, 0, 0, 0], np.int32)), zeros(2)
    halves, wide = zeros(2, np.float16), zeros(1, np.int64)
    atomics_kernel[(1,)](integers, reals, halves, wide, N=128)
    i = np.arange(128)
    assert list(integers.numpy()) == [122, -122, -4, 127, np.bitwise_xor.reduce(i * 3), 1]
    assert list(reals.numpy()) == [122, -122]
    assert list(halves.numpy()) == [i[::2].sum() / 8, i[1::2].sum() / 8]
    assert wide.numpy()[0] == i.sum() << 32


@triton.jit
def shapes_kernel(x, transposed, swapped, turned, chosen, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    values = tl.load(x + i * N + j)
    tl.store(transposed + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(values))
    even, odd = tl.split(tl.reshape(values, (M, N // 2, 2)))
    tl.store(swapped + i * N + j, tl.reshape(tl.join(odd, even), (M, N)))
    tl.store(turned + i * N + j, tl.gather(values, tl.broadcast_to(N - 1 - j, (M, N)), 1))
    tl.store(chosen + tl.arange(0, M), tl.argmin(values, 1) + tl.xor_sum(values.to(tl.int32), 1))


def shapes():
    m, n = 16, 32
    x = normal((m, n)) * 100
    transposed, swapped, turned, chosen = empty((n, m)), empty((m, n)), empty((m, n)), empty(m, np.int32)
    shapes_kernel[(1,)](to_device(x), transposed, swapped, turned, chosen, M=m, N=n)
    assert np.array_equal(transposed.numpy(), x.T)
    assert np.array_equal(swapped.numpy(), x.reshape(m, n // 2, 2)[..., ::-1].reshape(m, n))
    assert np.array_equal(turned.numpy(), x[:, ::-1])
    assert np.array_equal(chosen.numpy(), x.argmin(1) + np.bitwise_xor.reduce(x.astype(np.int32), 1))


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def scans_kernel(x, sums, minima, ordered, counts, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(values, 0, reverse=True))
    tl.store(minima + i, tl.associative_scan(values, 0, smaller))
    tl.store(ordered + i, tl.sort(values))
    tl.store(counts + tl.arange(0, 16), tl.histogram(values & 15, 16))


def scans():
    x = random.integers(-500, 500, 512, np.int32)
    sums, minima, ordered, counts = (empty(n, np.int32) for n in (512, 512, 512, 16))
    scans_kernel[(1,)](to_device(x), sums, minima, ordered, counts, N=512)
    assert np.array_equal(sums.numpy(), x[::-1].cumsum()[::-1])
    assert np.array_equal(minima.numpy(), np.minimum.accumulate(x))
    assert np.array_equal(ordered.numpy(), np.sort(x))
    assert np.array_equal(counts.numpy(), np.bincount(x & 15, minlength=16))


@triton.jit(noinline=True)
def called(x, y):
    return x * y + 1


@triton.jit
def functions_kernel(x, out, doubles, quotients, n, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    size = tl.abs(values) + 0.25
    sums = tl.exp(values) + tl.log2(size) + tl.sin(values) + tl.rsqrt(size) + tl.floor(values) + tl.erf(values)
    sums += libdevice.pow(size, values) + libdevice.tanh(values) + libdevice.log1p(size) + tl.sigmoid(values)
    tl.store(out + i, sums * called(n, 3))
    wide = values.to(tl.float64)
    tl.store(doubles + i, tl.exp(wide) + tl.sqrt(tl.abs(wide)) + libdevice.atan2(wide, size.to(tl.float64)))
    divisor = (size * 100).to(tl.int64)
    dividend = (values * 1e12).to(tl.int64)
    shifted = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(quotients + i, dividend // divisor + dividend % divisor + shifted)


def functions():
    from math import erf

    x = normal(256)
    out, doubles, quotients = empty(256), empty(256, np.float64), empty(256, np.int64)
    functions_kernel[(1,)](to_device(x), out, doubles, quotients, 2, N=256)
    y = x.astype(np.float64)
    size = np.abs(x) + np.float32(0.25)
    sums = np.exp(y) + np.log2(size) + np.sin(y) + 1 / np.sqrt(size) + np.floor(y) + [erf(v) for v in y]
    sums += size**y + np.tanh(y) + np.log1p(size) + 1 / (1 + np.exp(-y))
    np.testing.assert_allclose(out.numpy(), 7 * sums, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(doubles.numpy(), np.exp(y) + np.sqrt(np.abs(y)) + np.arctan2(y, size), rtol=1e-14)
    divisor, dividend = (size * np.float32(100)).astype(np.int64), (x * np.float32(1e12)).astype(np.int64)
    quotient = np.sign(dividend) * (np.abs(dividend) // divisor)
    assert np.array_equal(quotients.numpy(), quotient + dividend - quotient * divisor + (np.arange(256) << 3))


@triton.jit
def dot_kernel(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, PRECISION: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, STEP)
    sums = tl.zeros((M, N), c.dtype.element_ty)
    for start in range(0, K, STEP):
        left, right = tl.load(a + i * K + start + k[None, :]), tl.load(b + (start + k[:, None]) * N + j)
        sums = tl.dot(left, right, sums, input_precision=PRECISION, out_dtype=c.dtype.element_ty)
    tl.store(c + i * N + j, sums)


def multiply(a, b, c_type, precision="tf32"):
    c = empty((a.shape[0], b.shape[1]), c_type)
    (m, k), n = a.shape, b.shape[1]
    dot_kernel[(1,)](to_device(a), to_device(b), c, k, M=m, N=n, STEP=64, PRECISION=precision)
    return c.numpy()


def dots():
    a, b = random.integers(-99, 100, (32, 128)).astype(np.int8), random.integers(-99, 100, (128, 64)).astype(np.int8)
    assert np.array_equal(multiply(a, b, np.int32), a.astype(np.int32) @ b.astype(np.int32))
    a, b = normal((32, 128)), normal((128, 64))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a).astype(np.float64) @ np.abs(b)
    for precision, error in (("tf32", 2**-9), ("tf32x3", 1e-6), ("ieee", 1e-6), ("bf16x3", 2**-14), ("bf16x6", 1e-6)):
        assert (np.abs(multiply(a, b, np.float32, precision) - exact) <= error * size).all(), precision
    np.testing.assert_allclose(multiply(a.astype(np.float64), b.astype(np.float64), np.float64), exact, rtol=1e-10)


@triton.jit
def small_types_kernel(x, product, N: tl.constexpr, TYPE: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    values = tl.load(x + i * N + j).to(TYPE)
    tl.store(product + i * N + j, tl.dot(values, tl.trans(values)))


def small_types():
    """Small integers, which each of these types has."""
    x = random.integers(-4, 5, (32, 32)).astype(np.float32)
    for kind in (tl.bfloat16, tl.float8e4nv, tl.float8e5):
        product = empty(x.shape)
        small_types_kernel[(1,)](to_device(x), product, N=32, TYPE=kind)
        assert np.array_equal(product.numpy(), x @ x.T), kind


@triton.jit
def tiles_kernel(x, out, described, m, n, TILE: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (TILE, TILE), (1, 0))
    target = tl.make_block_ptr(out, (m, n), (n, 1), (0, 0), (TILE, TILE), (1, 0))
    from_map = tl.make_tensor_descriptor(x, [m, n], [n, 1], [TILE, TILE])
    to_map = tl.make_tensor_descriptor(described, [m, n], [n, 1], [TILE, TILE])
    for start in range(0, n, TILE):
        values = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, values * 2, boundary_check=(0, 1))
        source, target = tl.advance(source, (0, TILE)), tl.advance(target, (0, TILE))
        to_map.store([0, start], from_map.load([0, start]) + 1)


def tiles():
    triton.set_allocator(lambda size, align, stream: empty(size, np.int8))
    x = normal((13, 36))
    out, described = empty(x.shape), empty(x.shape)
    tiles_kernel[(1,)](to_device(x), out, described, *x.shape, TILE=16)
    assert np.array_equal(out.numpy(), 2 * x)
    assert np.array_equal(described.numpy(), x + 1)


@triton.jit
def hints_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    sums = tl.load(x + i, mask=inside, cache_modifier=".cg") + tl.load(x + i, mask=inside, eviction_policy="evict_last")
    sums += tl.load(x + i, mask=inside, volatile=True)
    tl.store(out + i, sums, mask=inside, eviction_policy="evict_first")


def launches():
    """What a launch may say; a kernel that is compiled for each."""
    x = random.integers(-9, 10, 1000).astype(np.float32)
    options = dict(launch_cooperative_grid=True, launch_pdl=True, maxnreg=32, num_warps=1)
    for option, value in (*options.items(), ("num_warps", 32)):
        out = empty(1000)
        hints_kernel[(4,)](to_device(x), out, 1000, BLOCK=256, **{option: value})
        assert np.array_equal(out.numpy(), 3 * x), option


@triton.jit
def described_kernel(source, target, TILE: tl.constexpr):
    i, j = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    target.store([i, j], source.load([i, j]) * 2)


def described():
    """Tensor descriptors that the host makes."""
    x = normal((40, 24))
    out = empty(x.shape)
    arguments = [TensorDescriptor(a, list(a.shape), list(a.stride()), [16, 16]) for a in (to_device(x), out)]
    described_kernel[(3, 2)](*arguments, TILE=16)
    assert np.array_equal(out.numpy(), 2 * x)


def compiled_first():
    """A kernel that is compiled, asked what it needs, and then launched."""
    x = random.integers(-9, 10, 1000).astype(np.float32)
    source, out = to_device(x), empty(1000)
    kernel = hints_kernel.warmup(source, out, 1000, BLOCK=256, grid=(1,))
    kernel._init_handles()
    properties = triton.runtime.driver.active.utils.get_device_properties(None)
    assert 0 < kernel.n_regs * 32 * kernel.metadata.num_warps < properties["max_num_regs"]
    assert kernel.n_spills == 0 and kernel.metadata.shared <= properties["max_shared_mem"]
    assert "LDG" in kernel.asm["sass"]
    kernel[(4, 1, 1)](source, out, 1000, 256)
    assert np.array_equal(out.numpy(), 3 * x)


ALL = atomics, shapes, scans, functions, dots, small_types, tiles, launches, described, compiled_first
FUNCTIONS = {f.__name__: f for f in ALL}

for name in sys.argv[1:] or FUNCTIONS:
    FUNCTIONS[name]()
    print(name, "agrees with NumPy")
