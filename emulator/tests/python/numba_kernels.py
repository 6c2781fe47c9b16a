"""Numba's kernels: a vector addition and a sum with shared memory, compared with NumPy."""

import numpy as np
from numba import cuda, float32

BLOCK = 128


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def block_sums(values, sums):
    tile = cuda.shared.array(BLOCK, float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[thread] = values[i] if i < values.size else 0
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if thread < half:
            tile[thread] += tile[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        cuda.atomic.add(sums, 0, tile[0])


def main():
    random = np.random.default_rng(1)
    for n in (1, 1000, 50001):
        a, b = (random.integers(-100, 100, n).astype(np.float32) for _ in range(2))
        blocks = (n + BLOCK - 1) // BLOCK
        c = cuda.device_array(n, np.float32)
        add[blocks, BLOCK](cuda.to_device(a), cuda.to_device(b), c)
        assert np.array_equal(c.copy_to_host(), a + b), n
        sums = cuda.to_device(np.zeros(1, np.float32))
        block_sums[blocks, BLOCK](cuda.to_device(a), sums)
        assert sums.copy_to_host()[0] == a.sum(dtype=np.float64), n
    print("agrees with NumPy")


main()
