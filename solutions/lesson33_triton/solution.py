"""Exercise 33: a softmax with scale and mask, and its backward pass, in Triton.

    y[r, c]  = exp(scale * x[r, c]) / (the sum of that over all c that are allowed)       where allowed[r, c] is not 0
    dx[r, c] = scale * y[r, c] * (dy[r, c] - the sum of dy[r, k] * y[r, k] over all k)

Where allowed[r, c] is 0, y and dx are 0, whatever x is there; a row in which nothing is allowed is 0 everywhere. This is
what attention does with its scores.

The grader (make exercise33) calls, in a separate process, what this file defines:

    softmax(x, allowed, y, scale)
    softmax_backward(y, dy, dx, scale)

  - the arrays are on the device. They have data_ptr(), dtype and shape, as Triton requires, and stride(0): the distance
    in elements from one row to the next, at least the number of columns. The elements of a row are contiguous. Memory
    between the rows belongs to other arrays: do not read or write it;
  - x, y, dy and dx are float32, rows x cols; allowed is uint8, of x's shape. rows is 0 or more, cols 1 to 4096;
  - y and dx exist already, and you write them; scale is greater than 0;
  - scale * x may be as large as 10000, so exp of it overflows;
  - each function launches one kernel, which reads each element once and writes each once. Nothing is copied between
    the device and the CPU.

When all checks pass, a softmax and its gradient take one Triton kernel each, which reads each element once.
First step: TODO 3 and 4, about ten minutes: the check "softmax where nothing is allowed" passes.
"""
# fails as given: not_implemented

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, allowed, y, x_stride, allowed_stride, y_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    #> TODO 1: load the row of allowed, and of x. Which value has v where nothing is loaded, or nothing is allowed?
    #| v = tl.zeros((BLOCK,), tl.float32)
    inside = col < cols
    keep = tl.load(allowed + row * allowed_stride + col, mask=inside, other=0) != 0
    v = tl.load(x + row * x_stride + col, mask=keep, other=-float("inf")) * scale
    #<
    #> TODO 2: the exponentials and their sum. Which number must be subtracted first, and what is it in a row without any?
    #| powers = v
    largest = tl.max(v, axis=0)
    powers = tl.exp(v - tl.where(largest == -float("inf"), 0.0, largest))
    total = tl.sum(powers, axis=0)
    powers = powers / tl.where(total == 0, 1.0, total)
    #<
    #> TODO 3: store them, and nothing past the end of the row.
    #| pass
    tl.store(y + row * y_stride + col, powers, mask=col < cols)
    #<


def softmax(x, allowed, y, scale):
    rows, cols = x.shape
    #> TODO 4: launch it. What if there are no rows? Which BLOCK?
    #| raise NotImplementedError("TODO 4: softmax")
    if rows > 0:
        strides = (x.stride(0), allowed.stride(0), y.stride(0))
        softmax_kernel[(rows,)](x, allowed, y, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))
    #<


@triton.jit
def backward_kernel(y, dy, dx, y_stride, dy_stride, dx_stride, cols, scale, BLOCK: tl.constexpr):
    """Grid: a program for each row. BLOCK is a power of two, cols or more."""
    #> TODO 5: dx of a row.
    #| pass
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    v = tl.load(y + row * y_stride + col, mask=inside, other=0.0)
    d = tl.load(dy + row * dy_stride + col, mask=inside, other=0.0)
    tl.store(dx + row * dx_stride + col, scale * v * (d - tl.sum(v * d, axis=0)), mask=inside)
    #<


def softmax_backward(y, dy, dx, scale):
    rows, cols = y.shape
    #> TODO 6: launch it.
    #| raise NotImplementedError("TODO 6: softmax_backward")
    if rows > 0:
        strides = (y.stride(0), dy.stride(0), dx.stride(0))
        backward_kernel[(rows,)](y, dy, dx, *strides, cols, scale, BLOCK=triton.next_power_of_2(cols))
    #<
