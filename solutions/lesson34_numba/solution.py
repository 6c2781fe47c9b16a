"""Exercise 34: a layer's bias and GELU, and the backward pass, in Numba kernels.

    y = gelu(x + bias)                       bias has a number for each column of x
    dx = dy * gelu'(x + bias)                gelu'(v) = P + v * D, with P = (1 + erf(v / sqrt(2))) / 2
    dbias[c] = the sum of dx[r, c] over all rows r               and D = exp(-v * v / 2) / sqrt(2 * pi)

The grader (make exercise34) calls, in a separate process, what this file defines:

    y = forward(x, bias)
    dx, dbias = backward(x, bias, dy)

  - x, dy and bias are on the device. They are arrays of Numba, or of another library with __cuda_array_interface__, of
    float32 and any strides: also every second column of a wider array, or transposed. x and dy have two dimensions,
    rows x cols, and bias has cols elements; rows and cols are 0 or more;
  - the results are new device arrays, made by cuda.device_array (which does not clear the memory) and written by
    kernels. Nothing is copied between the device and the CPU, and the inputs are not changed;
  - forward launches one kernel, and backward at most four;
  - all arithmetic is fp32: there is no fp64 instruction in the kernels' PTX;
  - a warp's accesses to contiguous rows touch few sectors: at most 5 per request, where 4 is the minimum.

When all checks pass, Numba compiles three kernels of yours, whose sectors and fp32 instructions are those of CUDA C.
First step: TODO 1 and 2, about ten minutes: the check "forward, one block and nine" passes.
"""
# fails as given: not_implemented

import math

import numpy as np
from numba import cuda, float32

ONE, HALF, ROOT_HALF = np.float32(1), np.float32(0.5), np.float32(math.sqrt(0.5))
DENSITY = np.float32(1 / math.sqrt(2 * math.pi))

COLUMNS, ROWS = 32, 8  # threads in a block: (COLUMNS, ROWS), so that those of a warp have a row in common


@cuda.jit(lineinfo=True)
def forward_kernel(x, bias, y):
    """Grid: (COLUMNS, ROWS) threads in a block, and blocks in both directions: a thread for each element or more."""
    #> TODO 1: which row and column does this thread have? What if there is no such element? Write y there.
    #| pass
    col, row = cuda.grid(2)
    if row < x.shape[0] and col < x.shape[1]:
        v = x[row, col] + bias[col]
        y[row, col] = HALF * v * (ONE + math.erf(v * ROOT_HALF))
    #<


def grid_for(x):
    """Blocks in both directions: columns first."""
    #> TODO 2: enough blocks of (COLUMNS, ROWS) threads for all elements.
    #| raise NotImplementedError("TODO 2: a grid for x")
    rows, cols = x.shape
    return (cols + COLUMNS - 1) // COLUMNS, (rows + ROWS - 1) // ROWS
    #<


def as_arrays(*arrays):
    """Numba's arrays for those of any library: the same memory."""
    return [cuda.as_cuda_array(array) for array in arrays]


def forward(x, bias):
    x, bias = as_arrays(x, bias)
    y = cuda.device_array(x.shape, np.float32)
    #> TODO 3: launch forward_kernel. What if x has no elements?
    #| forward_kernel[grid_for(x), (COLUMNS, ROWS)](x, bias, y)
    if x.size > 0:
        forward_kernel[grid_for(x), (COLUMNS, ROWS)](x, bias, y)
    #<
    return y


@cuda.jit(lineinfo=True)
def backward_kernel(x, bias, dy, dx):
    """Grid: as forward_kernel's."""
    #> TODO 4: write dx.
    #| pass
    col, row = cuda.grid(2)
    if row < x.shape[0] and col < x.shape[1]:
        v = x[row, col] + bias[col]
        below = HALF * (ONE + math.erf(v * ROOT_HALF))
        dx[row, col] = dy[row, col] * (below + v * (DENSITY * math.exp(-HALF * v * v)))
    #<


@cuda.jit(lineinfo=True)
def column_sums_kernel(dx, dbias):
    """Grid: one block for COLUMNS columns. Each thread adds up every ROWS-th row of its column."""
    #> TODO 5: add up this thread's rows; then, in shared memory, the sums of a column's threads. Where are barriers needed?
    #| pass
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
    #<


def backward(x, bias, dy):
    x, bias, dy = as_arrays(x, bias, dy)
    dx, dbias = cuda.device_array(x.shape, np.float32), cuda.device_array(bias.shape, np.float32)
    #> TODO 6: launch both kernels. What is dbias if there are no rows, and what if there are no columns?
    #| raise NotImplementedError("TODO 6: dx and dbias")
    if x.size > 0:
        backward_kernel[grid_for(x), (COLUMNS, ROWS)](x, bias, dy, dx)
    if bias.size > 0:
        column_sums_kernel[(grid_for(x)[0], 1), (COLUMNS, ROWS)](dx, dbias)
    #<
    return dx, dbias
