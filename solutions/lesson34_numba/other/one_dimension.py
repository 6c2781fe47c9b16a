"""A grid of one dimension that loops over all elements, a device function, and sums by atomics into zeros."""

import math

import numpy as np
from numba import cuda, float32

HALF = float32(0.5)


@cuda.jit(device=True, inline=True)
def below_and_density(v):
    below = float32(0.5) + HALF * math.erf(v * float32(0.70710678))
    return below, float32(0.39894228) * math.exp(v * v * float32(-0.5))


@cuda.jit
def zero(values):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        values[i] = float32(0)


@cuda.jit
def forward_all(x, bias, y):
    rows, cols = x.shape
    for i in range(cuda.grid(1), rows * cols, cuda.gridsize(1)):
        v = x[i // cols, i % cols] + bias[i % cols]
        y[i // cols, i % cols] = v * below_and_density(v)[0]


@cuda.jit
def backward_all(x, bias, dy, dx, dbias):
    rows, cols = x.shape
    for i in range(cuda.grid(1), rows * cols, cuda.gridsize(1)):
        row, col = i // cols, i % cols
        v = x[row, col] + bias[col]
        below, density = below_and_density(v)
        result = dy[row, col] * (below + v * density)
        dx[row, col] = result
        cuda.atomic.add(dbias, col, result)


def forward(x, bias):
    x = cuda.as_cuda_array(x)
    y = cuda.device_array(x.shape, np.float32)
    if y.size:
        forward_all[16, 128](x, bias, y)
    return y


def backward(x, bias, dy):
    x, bias = cuda.as_cuda_array(x), cuda.as_cuda_array(bias)
    dx, dbias = cuda.device_array(x.shape, np.float32), cuda.device_array(bias.shape, np.float32)
    if dbias.size:
        zero[1, 128](dbias)
    if dx.size:
        backward_all[16, 128](x, bias, dy, dx, dbias)
    return dx, dbias
