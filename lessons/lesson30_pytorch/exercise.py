"""Exercise 30: FILL IN what it is. The pytorch's is a binding of y = factor * x.

The library (pytorch.cu) has, in C:

    int pytorch_scale(const float *x, float *y, long long n, float factor);
    const char *pytorch_error(int code);

The grader (make exercise30) calls, in a process of its own, what this file defines:

    library = load(path)                the library, ready for use
    y = scale(library, x, factor)       a new array of float32
    check(library, code)                a RuntimeError with the library's text, unless code is 0

  - x is an array of NumPy with one dimension, of any type and layout;
  - results come from the library.
"""
# fails as given: not_implemented

import ctypes
from ctypes import c_char_p, c_float, c_int, c_longlong, c_void_p

import numpy as np


def load(path):
    library = ctypes.CDLL(path)
    # TODO 1: argtypes of both functions, and restype where it is no int.
    return library


def check(library, code):
    # TODO 2: raise a RuntimeError if this is an error's number.
    raise NotImplementedError("TODO 2: check")


def scale(library, x, factor):
    # TODO 3: convert x where it has to be, call, check.
    raise NotImplementedError("TODO 3: scale")
