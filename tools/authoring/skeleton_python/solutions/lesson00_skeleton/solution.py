"""Exercise 00: FILL IN what it is. The skeleton's is a binding of y = factor * x.

The library (skeleton.cu) has, in C:

    int skeleton_scale(const float *x, float *y, long long n, float factor);
    const char *skeleton_error(int code);

The grader (make exercise00) calls, in a process of its own, what this file defines:

    library = load(path)                the library, ready for use
    y = scale(library, x, factor)       a new array of float32
    check(library, code)                a RuntimeError with the library's text, unless code is 0

  - x is an array of NumPy with one dimension, of any type and layout;
  - results come from the library.

When all checks pass, FILL IN what the student has shown.
First step: TODO 1 and 2, about ten minutes: the check "an error of the library becomes an exception" passes.
"""
# fails as given: not_implemented

import ctypes
from ctypes import c_char_p, c_float, c_int, c_longlong, c_void_p

import numpy as np


def load(path):
    library = ctypes.CDLL(path)
    #> TODO 1: argtypes of both functions, and restype where it is no int.
    library.skeleton_scale.argtypes = [c_void_p, c_void_p, c_longlong, c_float]
    library.skeleton_error.argtypes, library.skeleton_error.restype = [c_int], c_char_p
    #<
    return library


def check(library, code):
    #> TODO 2: raise a RuntimeError if this is an error's number.
    #| raise NotImplementedError("TODO 2: check")
    if code:
        raise RuntimeError(library.skeleton_error(code).decode())
    #<


def scale(library, x, factor):
    #> TODO 3: convert x where it has to be, call, check.
    #| raise NotImplementedError("TODO 3: scale")
    x = np.ascontiguousarray(x, np.float32)
    y = np.empty(x.size, np.float32)
    check(library, library.skeleton_scale(x.ctypes.data, y.ctypes.data, x.size, factor))
    return y
    #<
