# expect: wrong_result
"""The elements lie close together, and may be of float64."""

import ctypes
from ctypes import c_char_p, c_float, c_int, c_longlong, c_void_p

import numpy as np


def load(path):
    library = ctypes.CDLL(path)
    library.pytorch_scale.argtypes = [c_void_p, c_void_p, c_longlong, c_float]
    library.pytorch_error.argtypes, library.pytorch_error.restype = [c_int], c_char_p
    return library


def check(library, code):
    if code:
        raise RuntimeError(library.pytorch_error(code).decode())


def scale(library, x, factor):
    x = np.ascontiguousarray(x)
    y = np.empty(x.size, np.float32)
    check(library, library.pytorch_scale(x.ctypes.data, y.ctypes.data, x.size, factor))
    return y
