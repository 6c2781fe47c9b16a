"""Numba's documentation, chapter CUDA: its examples, written anew, with no setting and no environment variable. Compared with NumPy."""

import math

import numpy as np
from numba import cuda, float32, int32, vectorize, guvectorize

random = np.random.default_rng(7)


@cuda.jit
def increment(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] += 1


@cuda.jit
def increment_2d(values):
    x, y = cuda.grid(2)
    if x < values.shape[0] and y < values.shape[1]:
        values[x, y] += 1


def host_arrays():
    """Arrays of the host go to the device and come back by themselves."""
    values, square = np.arange(1000), random.integers(0, 9, (33, 17))
    expected, expected_square = values + 1, square + 1
    increment[(values.size + 255) // 256, 256](values)
    increment_2d[(3, 2), (16, 16)](square)
    assert np.array_equal(values, expected) and np.array_equal(square, expected_square)


@cuda.jit
def add(a, b, c):
    start, stride = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, c.size, stride):
        c[i] = a[i] + b[i]


def vector_addition():
    a, b = random.random(5000), random.random(5000)
    c = cuda.device_array_like(a)
    add.forall(a.size)(cuda.to_device(a), cuda.to_device(b), c)
    assert np.array_equal(c.copy_to_host(), a + b)


TILE = 16


@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for i in range(cuda.gridDim.x):
        tile_a[ty, tx] = a[y, tx + i * TILE] if y < a.shape[0] and tx + i * TILE < a.shape[1] else 0
        tile_b[ty, tx] = b[ty + i * TILE, x] if x < b.shape[1] and ty + i * TILE < b.shape[0] else 0
        cuda.syncthreads()
        for j in range(TILE):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def matrix_product():
    a = random.integers(-9, 9, (40, 50)).astype(np.float32)
    b = random.integers(-9, 9, (50, 60)).astype(np.float32)
    c = np.full((40, 60), np.nan, np.float32)
    matmul[(4, 4), (TILE, TILE)](a, b, c)
    assert np.array_equal(c, a @ b)


@cuda.reduce
def total(a, b):
    return a + b


@cuda.reduce
def largest(a, b):
    return max(a, b)


def reductions():
    for n in (1, 500, 12345):
        values = random.integers(-1000, 1000, n)
        assert total(values) == values.sum()
        assert largest(values) == values.max()


@cuda.jit
def count(values, counts, highest):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)
        cuda.atomic.max(highest, 0, values[i])


def atomics():
    values = random.integers(0, 20, 3000)
    counts, highest = np.zeros(20, np.int32), np.zeros(1, np.int64)
    count[12, 256](values, counts, highest)
    assert np.array_equal(counts, np.bincount(values, minlength=20)) and highest[0] == values.max()


@vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"], target="cuda")
def discriminant(a, b, c):
    return math.sqrt(b * b - 4 * a * c)


@guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
def products(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def universal_functions():
    for kind, error in ((np.float32, 1e-5), (np.float64, 1e-12)):
        a, b, c = (random.uniform(low, low + 10, 1000).astype(kind) for low in (1, 50, 1))
        assert np.allclose(discriminant(a, b, c), np.sqrt(b * b - 4 * a * c), rtol=error)
    a, b = random.integers(-9, 9, (10, 3, 4)), random.integers(-9, 9, (10, 4, 5))
    assert np.array_equal(products(a.astype(np.float32), b.astype(np.float32)), a @ b)


@cuda.jit(device=True)
def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


@cuda.jit
def to_polar(x, y, r, phi):
    i = cuda.grid(1)
    if i < x.size:
        r[i], phi[i] = polar(x[i], y[i])


def device_functions():
    x, y = random.normal(size=(2, 400))
    r, phi = np.empty_like(x), np.empty_like(x)
    to_polar[2, 200](x, y, r, phi)
    assert np.allclose(r, np.hypot(x, y)) and np.allclose(phi, np.arctan2(y, x))


@cuda.jit
def warp_sums(values, sums):
    i = cuda.grid(1)
    value = values[i]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if cuda.laneid == 0:
        sums[i // 32] = value


@cuda.jit
def equal_lanes(values, masks):
    i = cuda.grid(1)
    mask, same = cuda.match_all_sync(0xFFFFFFFF, values[i])
    masks[i] = mask if same else 0


def warps():
    values = random.integers(0, 100, 256).astype(np.int32)
    sums = np.zeros(8, np.int32)
    warp_sums[2, 128](values, sums)
    assert np.array_equal(sums, values.reshape(8, 32).sum(1))
    for values, expected in ((np.ones(10, np.int32), 0x3FF), (np.arange(10, dtype=np.int32), 0)):
        masks = np.full(10, 7, np.int32)
        equal_lanes[1, 10](values, masks)
        assert np.all(masks == expected)


@cuda.jit
def smooth(values, other, rounds):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for r in range(rounds):
        source, target = (values, other) if r % 2 == 0 else (other, values)
        left, right = source[max(i - 1, 0)], source[min(i + 1, values.size - 1)]
        target[i] = (left + right) / 2
        grid.sync()


def cooperative_grids():
    values = random.integers(0, 1000, 512).astype(np.float64)
    expected = values.copy()
    for _ in range(10):
        expected = (np.append(expected[:1], expected[:-1]) + np.append(expected[1:], expected[-1:])) / 2
    device = cuda.to_device(values)
    smooth[4, 128](device, cuda.device_array_like(values), 10)
    assert np.allclose(device.copy_to_host(), expected)


@cuda.jit
def double_dynamic(values):
    tile = cuda.shared.array(0, int32)
    i = cuda.threadIdx.x
    tile[i] = values[i]
    cuda.syncthreads()
    values[i] = 2 * tile[cuda.blockDim.x - 1 - i]


def dynamic_shared_memory():
    values = random.integers(0, 99, 64).astype(np.int32)
    expected = 2 * values[::-1]
    stream = cuda.stream()
    device = cuda.to_device(values, stream=stream)
    double_dynamic[1, 64, stream, 64 * 4](device)
    result = device.copy_to_host(stream=stream)
    stream.synchronize()
    assert np.array_equal(result, expected)


def main():
    examples = (host_arrays, vector_addition, matrix_product, reductions, atomics, universal_functions, device_functions, warps,
                cooperative_grids, dynamic_shared_memory)
    for example in examples:
        example()
        print(example.__name__, "agrees with NumPy", flush=True)


main()
