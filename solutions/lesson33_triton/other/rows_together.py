"""A program has several rows: planes of addresses, and reductions along one axis."""

import triton
import triton.language as tl


@triton.jit
def forward(x, allowed, y, x_stride, a_stride, y_stride, rows, cols, scale, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, COLS)[None, :]
    inside = (row < rows) & (col < cols)
    keep = tl.load(allowed + row * a_stride + col, mask=inside, other=0).to(tl.int1)
    v = tl.where(keep, scale * tl.load(x + row * x_stride + col, mask=inside, other=0.0), -1e30)
    powers = tl.where(keep, tl.exp(v - tl.max(v, axis=1)[:, None]), 0.0)
    total = tl.sum(powers, axis=1)[:, None]
    tl.store(y + row * y_stride + col, tl.where(total > 0, powers / total, 0.0), mask=inside)


@triton.jit
def backward(y, dy, dx, y_stride, d_stride, x_stride, rows, cols, scale, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, COLS)[None, :]
    inside = (row < rows) & (col < cols)
    v = tl.load(y + row * y_stride + col, mask=inside, other=0.0)
    product = v * tl.load(dy + row * d_stride + col, mask=inside, other=0.0)
    tl.store(dx + row * x_stride + col, scale * (product - v * tl.sum(product, axis=1)[:, None]), mask=inside)


def launch(kernel, arrays, scale):
    rows, cols = arrays[0].shape
    width = triton.next_power_of_2(cols)
    height = max(1, 256 // width)
    if rows:
        strides = [one.stride(0) for one in arrays]
        kernel[(triton.cdiv(rows, height),)](*arrays, *strides, rows, cols, scale, ROWS=height, COLS=width, num_warps=2)


def softmax(x, allowed, y, scale):
    launch(forward, (x, allowed, y), scale)


def softmax_backward(y, dy, dx, scale):
    launch(backward, (y, dy, dx), scale)
