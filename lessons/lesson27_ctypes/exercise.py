"""Exercise 27: a binding. The library is there, in C; nobody can call it from Python yet.

It does what comes behind a matrix product: y = scale * gelu(x + bias), where bias has a number for each column of x,
and the way back, dx = dy * scale * gelu'(x + bias). These are its functions (layer.cu has them; you need not read it):

    int layer_create(struct layer **made, const float *bias, int cols);
            makes a layer; the bias is copied before it returns. The caller owns *made
    int layer_destroy(struct layer *layer);
            waits for its work, and frees it with all its memory
    int layer_forward(struct layer *layer, const float *x, float *y, long long rows, float scale);
    int layer_backward(struct layer *layer, const float *x, const float *dy, float *dx, long long rows, float scale);
            queue the work; x, dy, y and dx are arrays of the CPU, rows * cols floats, row by row, one behind the other.
            They are read and written later: until layer_wait they must stay where they are
    int layer_wait(struct layer *layer);
            waits until all that is queued is done
    const char *layer_error(int code);
            an error's text. It belongs to the library

All but the last return 0, or a CUDA error's number, for example 1 where scale is not positive.

The grader (make exercise27) calls, in a process of its own, what this file defines:

    library = load(path)                        the library, ready for use
    with Layer(library, bias) as layer:         or without `with`: then layer.close(), once or more often, or nobody
        y = layer.forward(x, scale)             a new array of float32, of x's shape
        layer.forward(x, scale, out=y)          the same into y, which is returned itself
        dx = layer.backward(x, dy, scale)       also with out=

  - x, dy and bias are arrays of NumPy of any real type and layout: also float64, float16 or integers, every second
    column, transposed, read-only. x and dy have two dimensions, and as many columns as bias is long; rows from 0 on;
  - `out` is written only if it fits: an array of float32, C-contiguous, writable, of x's shape. If not, that is a
    ValueError; so is an x or dy of another shape, also of one that NumPy could broadcast;
  - an error of the library becomes a LayerError, with its number as `code` and the library's text in its text;
  - a layer that is closed, or that nobody has any more, is destroyed, once. To use one that is closed is a ValueError;
  - results are there when a function returns, and they come from the library.
"""
# fails as given: not_implemented

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
    # TODO 1: argtypes of all functions, and restype where it is no int.
    return library


def check(library, code):
    # TODO 2: raise a LayerError if this is an error's number. The text comes as bytes, in ASCII.
    pass


def matrix(x, cols):
    """x as the library wants it: two dimensions, float32, row by row without gaps."""
    # TODO 3: convert x where it has to be, and raise a ValueError where its shape is wrong.
    return x


def result_for(x, out):
    """The array that is written: `out`, if there is one and it fits."""
    # TODO 4: look at out's type, shape and layout (out.flags.c_contiguous). And may it be written (out.flags.writeable)?
    return np.empty(x.shape, np.float32)


class Layer:
    def __init__(self, library, bias):
        # TODO 5: create a layer, and see to it that it is destroyed, once: by close, or when nobody has this object any more.
        raise NotImplementedError("TODO 5: create a layer")

    def close(self):
        # TODO 6: destroy the layer, unless that has been done.
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def forward(self, x, scale, out=None):
        # TODO 7: refuse to use a closed layer; convert, call, check, wait. What must live until the library has waited?
        raise NotImplementedError("TODO 7: forward")

    def backward(self, x, dy, scale, out=None):
        # TODO 8: the same, with dy. It must have x's shape.
        raise NotImplementedError("TODO 8: backward")

    def require_open(self):
        # TODO 9: a ValueError, if the layer is closed.
        pass
