"""The types say which arrays are taken, and a function of ctypes looks at each code."""

import ctypes

import numpy as np

floats = np.ctypeslib.ndpointer(np.float32, ndim=1, flags="C_CONTIGUOUS")


def load(path):
    library = ctypes.CDLL(path)
    library.pytorch_error.restype = ctypes.c_char_p
    library.pytorch_scale.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_float]
    return library


def check(library, code):
    if code != 0:
        raise RuntimeError(str(library.pytorch_error(ctypes.c_int(code)), "ascii"))


def scale(library, x, factor):
    given = floats.from_param(np.require(x, np.float32, "C"))
    made = np.full(len(x), np.nan, np.float32)
    check(library, library.pytorch_scale(given, floats.from_param(made), len(x), factor))
    return made
