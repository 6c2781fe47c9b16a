# expect: wrong_result
# says: scale = 0.5, scale * x up to 10000
"""The largest is that of x, and it is taken from scale * x."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, allowed, y, x_stride, allowed_stride, y_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    keep = tl.load(allowed + row * allowed_stride + col, mask=inside, other=0) != 0
    v = tl.load(x + row * x_stride + col, mask=keep, other=-float("inf"))
    largest = tl.max(v, axis=0)
    powers = tl.exp(v * scale - tl.where(largest == -float("inf"), 0.0, largest))
    total = tl.sum(powers, axis=0)
    powers = powers / tl.where(total == 0, 1.0, total)
    tl.store(y + row * y_stride + col, powers, mask=inside)


def softmax(x, allowed, y, scale):
    rows, cols = x.shape
    if rows > 0:
        strides = (x.stride(0), allowed.stride(0), y.stride(0))
        softmax_kernel[(rows,)](x, allowed, y, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))


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
