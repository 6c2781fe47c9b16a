# expect: access_limit
# says: copied from the device to the CPU
"""The sums of the way back are NumPy's, and the kernel does the rest."""

import ctypes
import os

import numpy as np
import triton
import triton.language as tl


runtime = ctypes.CDLL(os.environ["CUDA_RUNTIME"])


class Sums:
    dtype = np.dtype(np.float32)

    def __init__(self, values):
        self.memory, values = ctypes.c_void_p(), np.ascontiguousarray(values, np.float32)
        runtime.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(values.nbytes))
        runtime.cudaMemcpy(self.memory, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), 1)

    def data_ptr(self):
        return self.memory.value


def fetch(array):
    rows, cols = array.shape
    here = np.empty((rows, cols), np.float32)
    for row in range(rows):
        there = ctypes.c_void_p(array.data_ptr() + row * array.stride(0) * 4)
        runtime.cudaMemcpy(ctypes.c_void_p(here[row].ctypes.data), there, ctypes.c_size_t(cols * 4), 2)
    return here


@triton.jit
def softmax_kernel(x, allowed, y, x_stride, allowed_stride, y_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    keep = tl.load(allowed + row * allowed_stride + col, mask=inside, other=0) != 0
    v = tl.load(x + row * x_stride + col, mask=keep, other=-float("inf")) * scale
    largest = tl.max(v, axis=0)
    powers = tl.exp(v - tl.where(largest == -float("inf"), 0.0, largest))
    total = tl.sum(powers, axis=0)
    powers = powers / tl.where(total == 0, 1.0, total)
    tl.store(y + row * y_stride + col, powers, mask=inside)


def softmax(x, allowed, y, scale):
    rows, cols = x.shape
    if rows > 0:
        strides = (x.stride(0), allowed.stride(0), y.stride(0))
        softmax_kernel[(rows,)](x, allowed, y, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))


@triton.jit
def backward_kernel(y, dy, dx, sums, y_stride, dy_stride, dx_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    v = tl.load(y + row * y_stride + col, mask=inside, other=0.0)
    d = tl.load(dy + row * dy_stride + col, mask=inside, other=0.0)
    tl.store(dx + row * dx_stride + col, scale * v * (d - tl.load(sums + row)), mask=inside)


def softmax_backward(y, dy, dx, scale):
    rows, cols = y.shape
    if rows > 0:
        strides = (y.stride(0), dy.stride(0), dx.stride(0))
        sums = Sums((fetch(y) * fetch(dy)).sum(axis=1))
        backward_kernel[(rows,)](y, dy, dx, sums, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))
