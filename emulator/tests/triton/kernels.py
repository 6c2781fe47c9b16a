"""Triton's kernels, compiled by Triton and compared with NumPy. Arguments: which of KERNELS; none: all."""

import sys

import numpy as np
import triton
import triton.language as tl

from cuda_emulator_triton.arrays import empty, to_device, zeros

random = np.random.default_rng(1)


def normal(shape, dtype=np.float32):
    return random.standard_normal(shape, np.float32).astype(dtype)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def add():
    for n in (1, 1000, 50001):
        x, y = (normal(n) for _ in range(2))
        out = empty(n)
        add_kernel[(triton.cdiv(n, 1024),)](to_device(x), to_device(y), out, n, BLOCK=1024)
        assert np.array_equal(out.numpy(), x + y), n


@triton.jit
def softmax_kernel(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + i, powers / tl.sum(powers, axis=0), mask=i < columns)


def softmax():
    for rows, columns in ((3, 7), (17, 781), (2, 1024)):
        x = normal((rows, columns))
        out = empty(x.shape)
        softmax_kernel[(rows,)](to_device(x), out, columns, columns, BLOCK=triton.next_power_of_2(columns))
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        np.testing.assert_allclose(out.numpy(), powers / powers.sum(axis=1, keepdims=True), rtol=2e-6)


@triton.jit
def matmul_kernel(
    a, b, c, m, n, k, stride_a, stride_b, stride_c,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr,
):
    # Programs that run together share rows of a: groups of GROUP rows of tiles.
    tiles_m, tiles_n = tl.cdiv(m, M), tl.cdiv(n, N)
    group = tl.program_id(0) // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    within = tl.program_id(0) % (GROUP * tiles_n)
    i = (group * GROUP + within % rows) * M + tl.arange(0, M)
    j = within // rows * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        l = start + inner
        left = tl.load(a + i[:, None] * stride_a + l, mask=(i[:, None] < m) & (l < k), other=0.0)
        right = tl.load(b + l[:, None] * stride_b + j, mask=(l[:, None] < k) & (j < n), other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + i[:, None] * stride_c + j, sums.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j < n))


def product(a, b, c_type, tolerance):
    """The kernel's product of a and b, rounded to c_type, is near the exact one for the sizes of what is added up."""
    (m, k), n = a.shape, b.shape[1]
    c = empty((m, n), c_type)
    grid = (triton.cdiv(m, 64) * triton.cdiv(n, 32),)
    matmul_kernel[grid](to_device(a), to_device(b), c, m, n, k, k, n, n, M=64, N=32, K=32, GROUP=2)
    a, b = (x.astype(np.float64) for x in (a, b))
    assert (np.abs(c.numpy() - a @ b) <= tolerance * (np.abs(a) @ np.abs(b))).all(), (m, n, k)


def matmul():
    for m, n, k in ((64, 128, 64), (77, 33, 49), (128, 128, 128)):
        a, b = (normal(shape, np.float16) for shape in ((m, k), (k, n)))
        product(a, b, np.float32, 1e-6)
        product(a, b, np.float16, 2**-11)


def matmul_tf32():
    """Of 32-bit factors the tensor cores see the upper 19 bits."""
    a, b = (normal(shape) for shape in ((77, 49), (49, 33)))
    product(*((x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (a, b)), np.float32, 1e-6)
    product(a, b, np.float32, 2**-9)


@triton.jit
def total_kernel(x, total, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@triton.jit
def histogram_kernel(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, mask=i < n), 1, mask=i < n)


def atomics():
    n = 5001
    for dtype in (np.float32, np.int32):
        x = random.integers(-50, 50, n).astype(dtype)
        total = zeros(1, dtype)
        total_kernel[(triton.cdiv(n, 512),)](to_device(x), total, n, BLOCK=512)
        assert total.numpy()[0] == x.sum(dtype=np.float64)
    x = random.integers(0, 37, n, np.int32)
    counts = zeros(37, np.int32)
    histogram_kernel[(triton.cdiv(n, 256),)](to_device(x), counts, n, BLOCK=256)
    assert np.array_equal(counts.numpy(), np.bincount(x, minlength=37))


@triton.jit
def layer_norm_kernel(x, out, weight, bias, means, n, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        sums += tl.load(x + row * n + i, mask=i < n, other=0.0)
    mean = tl.sum(sums, axis=0) / n
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        away = tl.where(i < n, tl.load(x + row * n + i, mask=i < n, other=0.0) - mean, 0.0)
        squares += away * away
    scale = tl.rsqrt(tl.sum(squares, axis=0) / n + epsilon)
    tl.store(means + row, mean)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        away = tl.load(x + row * n + i, mask=i < n, other=0.0) - mean
        values = away * scale * tl.load(weight + i, mask=i < n) + tl.load(bias + i, mask=i < n)
        tl.store(out + row * n + i, values, mask=i < n)


@triton.jit
def locked_sums_kernel(x, locks, started, sums, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Adds rows up, those of a group one after the other, as layer norm's backward pass does."""
    row = tl.program_id(0)
    group = row % GROUPS
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + i, mask=i < n, other=0.0)
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    first = tl.load(started + group) == 0
    tl.debug_barrier()  # all warps have read it
    if first:
        tl.atomic_xchg(started + group, 1)
    else:
        values += tl.load(sums + group * n + i, mask=i < n)
    tl.store(sums + group * n + i, values, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


def layer_norm():
    rows, n = 5, 1151
    x, weight, bias = normal((rows, n)), normal(n), normal(n)
    out, means = empty(x.shape), empty(rows)
    arrays = to_device(x), out, to_device(weight), to_device(bias), means
    layer_norm_kernel[(rows,)](*arrays, n, 1e-5, BLOCK=256, num_warps=8)
    exact = x.astype(np.float64)
    mean, variance = (f(exact, axis=1, keepdims=True) for f in (np.mean, np.var))
    expected = (exact - mean) / np.sqrt(variance + 1e-5) * weight + bias
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(means.numpy(), mean[:, 0], atol=1e-6)
    rows, n, groups = 13, 100, 3
    x = random.integers(-9, 10, (rows, n)).astype(np.float32)
    sums = empty((groups, n))
    started, locks = (zeros(groups, np.int32) for _ in range(2))
    locked_sums_kernel[(rows,)](to_device(x), locks, started, sums, n, GROUPS=groups, BLOCK=128)
    assert np.array_equal(sums.numpy(), [x[g::groups].sum(axis=0) for g in range(groups)])


@triton.jit
def attention_kernel(q, k, v, out, scale, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    head = tl.program_id(1) * n * D
    queries = tl.load(q + head + i[:, None] * D + d, mask=i[:, None] < n, other=0.0)
    largest = tl.full((M,), -1e30, tl.float32)
    total = tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, D), tl.float32)
    for start in range(0, n, N):
        j = start + tl.arange(0, N)
        keys = tl.load(k + head + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        values = tl.load(v + head + j[:, None] * D + d, mask=j[:, None] < n, other=0.0)
        seen = (j[None, :] < n) & (j[None, :] <= i[:, None]) if CAUSAL else (j[None, :] < n)
        scores = tl.where(seen, tl.dot(queries, keys) * scale, -1e30)
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        powers = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(powers, axis=1)
        sums = tl.dot(powers.to(values.dtype), values, sums * shrink[:, None])
        largest = larger
    tl.store(out + head + i[:, None] * D + d, (sums / total[:, None]).to(out.dtype.element_ty), mask=i[:, None] < n)


def attention():
    for heads, n, width, causal in ((2, 100, 32, True), (1, 64, 64, False)):
        q, k, v = (normal((heads, n, width), np.float16) for _ in range(3))
        out = empty(q.shape, np.float16)
        scale = 1 / np.sqrt(width)
        grid = (triton.cdiv(n, 64), heads)
        arrays = [to_device(x) for x in (q, k, v)]
        attention_kernel[grid](*arrays, out, scale / np.log(2), n, D=width, M=64, N=32, CAUSAL=causal)
        q, k, v = (x.astype(np.float64) for x in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) * scale
        powers = np.exp(np.where(np.tri(n, dtype=bool), scores, -np.inf) if causal else scores)
        np.testing.assert_allclose(out.numpy(), powers / powers.sum(axis=-1, keepdims=True) @ v, rtol=4e-3, atol=4e-3)


@triton.autotune([triton.Config({"BLOCK": n}, num_warps=n // 128) for n in (128, 1024)], key=["n"])
@triton.jit
def twice_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def autotune():
    x = normal(3001)
    source, out = to_device(x), empty(x.shape)
    twice_kernel[lambda meta: (triton.cdiv(x.size, meta["BLOCK"]),)](source, out, x.size)
    assert np.array_equal(out.numpy(), 2 * x)
    assert twice_kernel.best_config in twice_kernel.configs
    assert triton.testing.do_bench(lambda: add_kernel[(3,)](source, source, out, x.size, BLOCK=1024), 1, 1) > 0
    assert np.array_equal(out.numpy(), 2 * x)


KERNELS = {f.__name__: f for f in (add, softmax, matmul, matmul_tf32, atomics, layer_norm, attention, autotune)}

for name in sys.argv[1:] or KERNELS:
    KERNELS[name]()
    print(name, "agrees with NumPy")
