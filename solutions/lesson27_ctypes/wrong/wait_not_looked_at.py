# expect: api_error
# says: its work fails, which layer_wait reports
"""What layer_wait returns is not looked at: work that was taken may fail later."""

import ctypes
import weakref
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_longlong, c_void_p

import numpy as np


class LayerError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def load(path):
    """The library at `path`, with the types of its functions declared."""
    library = ctypes.CDLL(path)
    library.layer_create.argtypes = [POINTER(c_void_p), c_void_p, c_int]
    library.layer_destroy.argtypes = [c_void_p]
    library.layer_forward.argtypes = [c_void_p, c_void_p, c_void_p, c_longlong, c_float]
    library.layer_backward.argtypes = [c_void_p, c_void_p, c_void_p, c_void_p, c_longlong, c_float]
    library.layer_wait.argtypes = [c_void_p]
    library.layer_error.argtypes, library.layer_error.restype = [c_int], c_char_p
    return library


def check(library, code):
    if code:
        raise LayerError(code, library.layer_error(code).decode())


def matrix(x, cols):
    """x as the library wants it: two dimensions, float32, row by row without gaps."""
    x = np.ascontiguousarray(x, np.float32) if np.ndim(x) == 2 else None
    if x is None or x.shape[1] != cols:
        raise ValueError(f"two dimensions and {cols} columns are needed")
    return x


def result_for(x, out):
    """The array that is written: `out`, if there is one and it fits."""
    if out is None:
        return np.empty(x.shape, np.float32)
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != x.shape:
        raise ValueError(f"out must be an array of float32 of shape {x.shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out must be C-contiguous and writable")
    return out


class Layer:
    def __init__(self, library, bias):
        bias = np.ascontiguousarray(bias, np.float32)
        made = c_void_p()
        check(library, library.layer_create(byref(made), bias.ctypes.data, bias.size))
        self.library, self.cols, self.handle = library, bias.size, made.value
        self.destroy = weakref.finalize(self, library.layer_destroy, self.handle)

    def close(self):
        self.destroy()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def forward(self, x, scale, out=None):
        self.require_open()
        x = matrix(x, self.cols)
        y = result_for(x, out)
        check(self.library, self.library.layer_forward(self.handle, x.ctypes.data, y.ctypes.data, len(x), scale))
        self.library.layer_wait(self.handle)
        return y

    def backward(self, x, dy, scale, out=None):
        self.require_open()
        x, dy = matrix(x, self.cols), matrix(dy, self.cols)
        if dy.shape != x.shape:
            raise ValueError(f"dy must have x's shape, {x.shape}")
        dx = result_for(x, out)
        addresses = [array.ctypes.data for array in (x, dy, dx)]
        check(self.library, self.library.layer_backward(self.handle, *addresses, len(x), scale))
        self.library.layer_wait(self.handle)
        return dx

    def require_open(self):
        if not self.destroy.alive:
            raise ValueError("this layer is closed")
