# expect: crash
"""A block has one row, and a grid has 65535 blocks in that direction at most."""

import math

import numpy as np
from numba import cuda, float32

ONE, HALF, ROOT_HALF = np.float32(1), np.float32(0.5), np.float32(math.sqrt(0.5))
DENSITY = np.float32(1 / math.sqrt(2 * math.pi))

COLUMNS, ROWS = 256, 1  # threads in a block: (COLUMNS, ROWS), so that those of a warp have a row in common


@cuda.jit(lineinfo=True)
def forward_kernel(x, bias, y):
    """Grid: (COLUMNS, ROWS) threads in a block, and blocks in both directions: a thread for each element or more."""
    col, row = cuda.grid(2)
    if row < x.shape[0] and col < x.shape[1]:
        v = x[row, col] + bias[col]
        y[row, col] = HALF * v * (ONE + math.erf(v * ROOT_HALF))


def grid_for(x):
    """Blocks in both directions: columns first."""
    rows, cols = x.shape
    return (cols + COLUMNS - 1) // COLUMNS, (rows + ROWS - 1) // ROWS


def as_arrays(*arrays):
    """Numba's arrays for those of any library: the same memory."""
    return [cuda.as_cuda_array(array) for array in arrays]


def forward(x, bias):
    x, bias = as_arrays(x, bias)
    y = cuda.device_array(x.shape, np.float32)
    if x.size > 0:
        forward_kernel[grid_for(x), (COLUMNS, ROWS)](x, bias, y)
    return y


@cuda.jit(lineinfo=True)
def backward_kernel(x, bias, dy, dx):
    """Grid: as forward_kernel's."""
    col, row = cuda.grid(2)
    if row < x.shape[0] and col < x.shape[1]:
        v = x[row, col] + bias[col]
        below = HALF * (ONE + math.erf(v * ROOT_HALF))
        dx[row, col] = dy[row, col] * (below + v * (DENSITY * math.exp(-HALF * v * v)))


@cuda.jit(lineinfo=True)
def column_sums_kernel(dx, dbias):
    """Grid: one block for COLUMNS columns. Each thread adds up every ROWS-th row of its column."""
    tile = cuda.shared.array((ROWS, COLUMNS), float32)
    r, c = cuda.threadIdx.y, cuda.threadIdx.x
    col = cuda.grid(2)[0]
    mine = float32(0)
    if col < dx.shape[1]:
        for row in range(r, dx.shape[0], ROWS):
            mine += dx[row, col]
    tile[r, c] = mine
    cuda.syncthreads()
    half = ROWS // 2
    while half > 0:
        if r < half:
            tile[r, c] += tile[r + half, c]
        cuda.syncthreads()
        half //= 2
    if r == 0 and col < dx.shape[1]:
        dbias[col] = tile[0, c]


def backward(x, bias, dy):
    x, bias, dy = as_arrays(x, bias, dy)
    dx, dbias = cuda.device_array(x.shape, np.float32), cuda.device_array(bias.shape, np.float32)
    if x.size > 0:
        backward_kernel[grid_for(x), (COLUMNS, ROWS)](x, bias, dy, dx)
    if bias.size > 0:
        column_sums_kernel[(grid_for(x)[0], 1), (COLUMNS, ROWS)](dx, dbias)
    return dx, dbias
