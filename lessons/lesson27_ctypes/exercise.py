"""Exercise 27: a binding. The library exists, in C, but nothing can call it from Python yet.

It computes what follows a matrix product: y = scale * gelu(x + bias), where bias has a number for each column of x,
and the backward pass, dx = dy * scale * gelu'(x + bias). These are its functions (from layer.cu; you need not read it):

    int layer_create(struct layer **made, const float *bias, int cols);
            creates a layer and copies the bias before it returns. The caller owns *made
    int layer_destroy(struct layer *layer);
            waits for the layer's work, and frees the layer with all its memory
    int layer_forward(struct layer *layer, const float *x, float *y, long long rows, float scale);
    int layer_backward(struct layer *layer, const float *x, const float *dy, float *dx, long long rows, float scale);
            queue the work; x, dy, y and dx are arrays in host memory: rows * cols floats, row-major and contiguous.
            They are read and written later, so they must stay alive and unmoved until layer_wait returns
    int layer_wait(struct layer *layer);
            waits until all queued work is done
    const char *layer_error(int code);
            the text of an error; the library owns it

All but the last return 0 or a CUDA error code, for example 1 if scale is not positive.

The grader (make exercise27) calls, in a separate process, what this file defines:

    library = load(path)                        the library, ready for use
    with Layer(library, bias) as layer:         or without `with`: then it calls layer.close() once, several times, or never
        y = layer.forward(x, scale)             a new array of float32, of x's shape
        layer.forward(x, scale, out=y)          the same into y, which is returned itself
        dx = layer.backward(x, dy, scale)       also with out=

  - x, dy and bias are NumPy arrays of any real type and layout: also float64, float16 or integers, every second
    column, transposed, read-only. x and dy have two dimensions, and as many columns as bias has elements; 0 or more rows;
  - `out` is written only if it is an array of float32, C-contiguous, writable, and of x's shape. Anything else is a
    ValueError; so is an x or dy of a wrong shape, even one that NumPy could broadcast;
  - an error of the library is raised as a LayerError, with the code as `code` and the library's text in its text;
  - a layer is destroyed exactly once: when it is closed, or when no reference to it is left. Using a closed layer is a
    ValueError;
  - results are complete when a function returns, and they come from the library.

When all checks pass, Python calls a library in C as if it were its own: any array, every error an exception, nothing
leaked.
First step: TODO 2 and 5, about ten minutes: the check "a layer that cannot be created is a LayerError" passes.
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
    library.layer_create.argtypes = [POINTER(c_void_p), c_void_p, c_int]
    library.layer_error.argtypes, library.layer_error.restype = [c_int], c_char_p
    # TODO 1: the argtypes of the other four functions.
    return library


def check(library, code):
    # TODO 2: raise a LayerError if this is an error code. The library returns its text as bytes, in ASCII.
    pass


def matrix(x, cols):
    """x as the library needs it: two dimensions, float32, row-major without gaps."""
    # TODO 3: convert x if necessary, and raise a ValueError if its shape is wrong.
    return x


def result_for(x, out):
    """The array for the result: `out`, if it is given and fits."""
    # TODO 4: check out's type, shape and layout (out.flags.c_contiguous). And may it be written (out.flags.writeable)?
    return np.empty(x.shape, np.float32)


class Layer:
    def __init__(self, library, bias):
        # TODO 5: create a layer, and make sure that it is destroyed exactly once: by close, or when no reference to this object is left.
        raise NotImplementedError("TODO 5: create a layer")

    def close(self):
        # TODO 6: destroy the layer, unless it is destroyed already.
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def forward(self, x, scale, out=None):
        # TODO 7: refuse to use a closed layer; convert, call, check, wait. What must stay alive until the library has waited?
        raise NotImplementedError("TODO 7: forward")

    def backward(self, x, dy, scale, out=None):
        # TODO 8: the same, with dy. It must have x's shape.
        raise NotImplementedError("TODO 8: backward")

    def require_open(self):
        # TODO 9: a ValueError, if the layer is closed.
        pass
