"""Without declarations: each argument says itself what it is. And __del__ in the place of weakref."""

import ctypes

import numpy as np


class LayerError(Exception):
    def __init__(self, code, text):
        Exception.__init__(self, code, text)
        self.code = code


def load(path):
    library = ctypes.CDLL(path)
    library.layer_error.restype = ctypes.c_char_p
    return library


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


class Layer:
    handle = None

    def __init__(self, library, bias):
        self.library = library
        bias = np.array(bias, np.float32, order="C")
        handle = ctypes.c_void_p()
        self.check(library.layer_create(ctypes.byref(handle), address(bias), ctypes.c_int(len(bias))))
        self.handle, self.cols = handle, len(bias)

    def check(self, code):
        if code != 0:
            raise LayerError(code, str(self.library.layer_error(code), "ascii"))

    def close(self):
        handle, self.handle = self.handle, None
        if handle is not None:
            self.check(self.library.layer_destroy(handle))

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def run(self, function, inputs, scale, out):
        if self.handle is None:
            raise ValueError("closed")
        inputs = [np.array(x, dtype=np.float32, order="C") for x in inputs]
        shape = inputs[0].shape
        if any(x.shape != shape for x in inputs) or len(shape) != 2 or shape[1] != self.cols:
            raise ValueError("shape")
        y = np.zeros(shape, np.float32)
        if out is not None and (out.dtype, out.shape, out.flags.carray) != (y.dtype, y.shape, True):
            raise ValueError("out")
        y = y if out is None else out
        arguments = [address(x) for x in inputs + [y]]
        self.check(function(self.handle, *arguments, ctypes.c_longlong(shape[0]), ctypes.c_float(scale)))
        self.check(self.library.layer_wait(self.handle))
        return y

    def forward(self, x, scale, out=None):
        return self.run(self.library.layer_forward, [x], scale, out)

    def backward(self, x, dy, scale, out=None):
        return self.run(self.library.layer_backward, [x, dy], scale, out)
