# expect: api_error
# says: geglu_backward, its work fails, which geglu_wait reports
"""What geglu_wait returns is not looked at on the way back."""

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


def stream_for(x):
    return torch.cuda.current_stream(x.device).cuda_stream if x.is_cuda else library.geglu_cpu_stream()


def require(x):
    if x.dtype not in TYPES:
        raise TypeError(f"float32 or float64 is needed, not {x.dtype}")
    if x.dim() == 0 or x.shape[-1] % 2:
        raise ValueError(f"the last dimension must be even: {tuple(x.shape)}")


def sizes(x):
    """Rows, and the elements of y in each."""
    n = x.shape[-1] // 2
    return (x.numel() // (2 * n) if n else 0), n


@torch.library.custom_op("workbook::geglu", mutates_args=())
def geglu(x: torch.Tensor) -> torch.Tensor:
    require(x)
    x = x.contiguous()
    rows, n = sizes(x)
    y = x.new_empty(*x.shape[:-1], n)
    stream = stream_for(x)
    check(library.geglu_forward(TYPES[x.dtype], x.data_ptr(), y.data_ptr(), rows, n, stream))
    if not x.is_cuda:
        check(library.geglu_wait(stream))
    return y


@geglu.register_fake
def _(x):
    require(x)
    return x.new_empty(*x.shape[:-1], x.shape[-1] // 2)


@torch.library.custom_op("workbook::geglu_backward", mutates_args=())
def geglu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    require(x)
    rows, n = sizes(x)
    if dy.dtype != x.dtype:
        raise TypeError(f"dy is {dy.dtype}, and x {x.dtype}")
    if dy.shape != (*x.shape[:-1], n):
        raise ValueError(f"dy has the shape {tuple(dy.shape)}, and x {tuple(x.shape)}")
    x, dy = x.contiguous(), dy.contiguous()
    dx = x.new_empty(x.shape)
    stream = stream_for(x)
    check(library.geglu_backward(TYPES[x.dtype], x.data_ptr(), dy.data_ptr(), dx.data_ptr(), rows, n, stream))
    if not x.is_cuda:
        library.geglu_wait(stream)
    return dx


@geglu_backward.register_fake
def _(x, dy):
    require(x)
    return x.new_empty(x.shape)


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return geglu_backward(x, dy)


geglu.register_autograd(gradient, setup_context=keep)
