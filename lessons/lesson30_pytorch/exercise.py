"""Exercise 30: an operator. The gate of a transformer's layer (GEGLU): each row of x has 2 n numbers, a and then b, and
y = a * gelu(b) has n. The library exists, in C (geglu.cu; you need not read it):

    int geglu_forward(int type, const void *x, void *y, long long rows, long long n, cudaStream_t stream);
    int geglu_backward(int type, const void *x, const void *dy, void *dx, long long rows, long long n, cudaStream_t stream);
            queue the work. type is 0 for float and 1 for double. x and dx have rows * 2 n elements, y and dy rows * n,
            row-major and contiguous. They are on the device, or in host memory: then they are copied, later, and must
            stay alive and unmoved until geglu_wait returns
    int geglu_wait(cudaStream_t stream);
            waits until all work in the stream is done
    cudaStream_t geglu_cpu_stream(void);
            the stream for the work on CPU tensors, for which PyTorch has none
    const char *geglu_error(int code);
            the text of an error

All but the last two return 0 or a CUDA error code. The grader (make exercise30) calls, in a separate process:

    load(path)                                  once, before everything else
    y = torch.ops.workbook.geglu(x)             operators that this file registers
    dx = torch.ops.workbook.geglu_backward(x, dy)

  - x is float32 or float64, of the CPU or of CUDA, with one dimension or more, of any strides: (..., 2 n). y and dx are new
    and contiguous. dy has y's shape, x's type, and any strides;
  - another type is a TypeError. No dimension, an odd last one, or a dy that does not fit is a ValueError. An error of the
    library is a RuntimeError with its text;
  - work for CPU tensors is queued in geglu_cpu_stream(), and done when the operator returns. Work for CUDA tensors is
    queued in PyTorch's current stream, and the operator does not wait;
  - both have fake kernels, which return shape, type, strides and device of the result without data;
  - geglu has a gradient, computed by geglu_backward. A second gradient must raise an error or be right. If x is written
    between geglu and its gradient, the gradient must raise an error or be that of the x which geglu was given;
  - the library does the computation, once for each call.

When all checks pass, PyTorch has an operator of yours with a gradient, which torch.compile and streams can use.
First step: TODO 1 and 3, about ten minutes: the check "geglu, random input, no elements, one dimension to three, NaN" passes.
"""
# fails as given: not_implemented

import ctypes
from ctypes import c_char_p, c_int, c_longlong, c_void_p

import torch

TYPES = {torch.float32: 0, torch.float64: 1}
library = None


def load(path):
    global library
    library = ctypes.CDLL(path)
    stream = c_void_p
    library.geglu_forward.argtypes = [c_int, c_void_p, c_void_p, c_longlong, c_longlong, stream]
    library.geglu_backward.argtypes = [c_int, c_void_p, c_void_p, c_void_p, c_longlong, c_longlong, stream]
    library.geglu_wait.argtypes = [stream]
    library.geglu_cpu_stream.argtypes, library.geglu_cpu_stream.restype = [], stream
    library.geglu_error.argtypes, library.geglu_error.restype = [c_int], c_char_p


def check(code):
    if code:
        raise RuntimeError(library.geglu_error(code).decode())


# TODO 1: the stream's address: for CUDA, PyTorch's current one of x's device; for the CPU, the library's.
def stream_for(x):
    return None


# TODO 2: refuse what the library cannot process: a TypeError for the type, a ValueError for the shape.
def require(x):
    pass


def sizes(x):
    """Rows, and the elements of y in each."""
    n = x.shape[-1] // 2
    return (x.numel() // (2 * n) if n else 0), n


@torch.library.custom_op("workbook::geglu", mutates_args=())
def geglu(x: torch.Tensor) -> torch.Tensor:
    # TODO 3: make x contiguous, allocate y, call geglu_forward, check; for CPU tensors wait, and check again.
    raise NotImplementedError("TODO 3: geglu")


@geglu.register_fake
def _(x):
    # TODO 4: an empty tensor like the one that geglu returns.
    return torch.empty_like(x)


@torch.library.custom_op("workbook::geglu_backward", mutates_args=())
def geglu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    # TODO 5: the same with geglu_backward. What strides may dy have?
    raise NotImplementedError("TODO 5: geglu_backward")


@geglu_backward.register_fake
def _(x, dy):
    # TODO 6: an empty tensor like the one that geglu_backward returns.
    return torch.empty_like(dy)


def keep(ctx, inputs, output):
    # TODO 7: save what the gradient will need.
    pass


def gradient(ctx, dy):
    # TODO 8: the gradient with respect to x, from what was saved.
    raise NotImplementedError("TODO 8: the gradient")


# TODO 9: tell PyTorch that geglu has this gradient.
