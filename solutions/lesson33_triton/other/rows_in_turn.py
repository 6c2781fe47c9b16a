"""Few programs that take one row after the other."""

import triton
import triton.language as tl


@triton.jit
def masked_softmax(x, allowed, y, x_stride, allowed_stride, y_stride, rows, cols, scale, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        keep = tl.load(allowed + row * allowed_stride + col, mask=col < cols, other=0) > 0
        v = tl.load(x + row * x_stride + col, mask=keep, other=float("-inf"))
        powers = tl.where(keep, tl.exp((v - tl.max(v, axis=0)) * scale), 0.0)
        total = tl.sum(powers, axis=0)
        tl.store(y + row * y_stride + col, powers / (total + (total == 0)), mask=col < cols)


@triton.jit
def of_masked_softmax(y, dy, dx, y_stride, dy_stride, dx_stride, rows, cols, scale, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(y + row * y_stride + col, mask=col < cols, other=0.0)
        d = tl.load(dy + row * dy_stride + col, mask=col < cols, other=0.0)
        tl.store(dx + row * dx_stride + col, (d - tl.sum(d * v, axis=0)) * v * scale, mask=col < cols)


def softmax(x, allowed, y, scale):
    (rows, cols), strides = x.shape, (x.stride(0), allowed.stride(0), y.stride(0))
    if rows:
        masked_softmax[(min(rows, 8),)](x, allowed, y, *strides, rows, cols, scale, BLOCK=triton.next_power_of_2(cols))


def softmax_backward(y, dy, dx, scale):
    (rows, cols), strides = y.shape, (y.stride(0), dy.stride(0), dx.stride(0))
    if rows:
        of_masked_softmax[(min(rows, 8),)](y, dy, dx, *strides, rows, cols, scale, BLOCK=triton.next_power_of_2(cols))
