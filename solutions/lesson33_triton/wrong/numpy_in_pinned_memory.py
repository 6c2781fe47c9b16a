# expect: access_limit
# says: copied from the device to the CPU
"""NumPy computes in memory that kernels reach, and a kernel copies that."""

import ctypes
import os

import numpy as np
import triton
import triton.language as tl


runtime = ctypes.CDLL(os.environ["CUDA_RUNTIME"])


class Pinned:
    """Rows in the CPU's memory, where kernels read and write them."""

    def __init__(self, rows, cols, dtype):
        self.dtype, self.memory = np.dtype(dtype), ctypes.c_void_p()
        self.size = rows * cols * self.dtype.itemsize
        runtime.cudaMallocHost(ctypes.byref(self.memory), ctypes.c_size_t(max(1, self.size)))
        self.array = np.ctypeslib.as_array(ctypes.cast(self.memory, ctypes.POINTER(ctypes.c_uint8)), (max(1, self.size),))
        self.array = self.array[: self.size].view(self.dtype).reshape(rows, cols)

    def data_ptr(self):
        return self.memory.value


def fetch(array):
    rows, cols = array.shape
    here = Pinned(rows, cols, array.dtype)
    for row in range(rows):
        size = ctypes.c_size_t(cols * here.dtype.itemsize)
        there = ctypes.c_void_p(array.data_ptr() + row * array.stride(0) * here.dtype.itemsize)
        runtime.cudaMemcpy(ctypes.c_void_p(here.array[row].ctypes.data), there, size, 4)
    return here.array


@triton.jit
def carry_kernel(values, y, y_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    v = tl.load(values + row * cols + col, mask=col < cols, other=0.0)
    tl.store(y + row * y_stride + col, v, mask=col < cols)


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
        result, keep = Pinned(rows, cols, np.float32), fetch(allowed) != 0
        v = np.where(keep, fetch(x).astype(np.float64) * scale, -np.inf)
        largest = v.max(axis=1, keepdims=True)
        powers = np.exp(v - np.where(np.isinf(largest), 0, largest))
        total = powers.sum(axis=1, keepdims=True)
        result.array[...] = powers / np.where(total == 0, 1, total)
        carry_kernel[(rows,)](result, y, y.stride(0), cols, BLOCK=triton.next_power_of_2(cols))


@triton.jit
def backward_kernel(y, dy, dx, y_stride, dy_stride, dx_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    v = tl.load(y + row * y_stride + col, mask=inside, other=0.0)
    d = tl.load(dy + row * dy_stride + col, mask=inside, other=0.0)
    tl.store(dx + row * dx_stride + col, scale * v * (d - tl.sum(v * d, axis=0)), mask=inside)


def softmax_backward(y, dy, dx, scale):
    rows, cols = y.shape
    if rows > 0:
        strides = (y.stride(0), dy.stride(0), dx.stride(0))
        backward_kernel[(rows,)](y, dy, dx, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))
