"""ctypes converts and checks: ndpointer refuses what does not fit, errcheck raises, and the handle is a type of its own."""

import ctypes
import weakref
from ctypes import POINTER, byref

import numpy as np

matrix = np.ctypeslib.ndpointer(np.float32, ndim=2, flags="C")
result = np.ctypeslib.ndpointer(np.float32, ndim=2, flags="C, W")
vector = np.ctypeslib.ndpointer(np.float32, ndim=1, flags="C")


class Handle(ctypes.Structure):
    """A struct of which nobody knows what is in it."""


class LayerError(Exception):
    code = 0


def load(path):
    library = ctypes.CDLL(path)
    handle = POINTER(Handle)
    error = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)(("layer_error", library))

    def raise_error(code, function, arguments):
        if code:
            failure = LayerError(f"{function.__name__}: {error(code).decode('ascii')}")
            failure.code = code
            raise failure

    types = {
        "layer_create": [POINTER(handle), vector, ctypes.c_int],
        "layer_destroy": [handle],
        "layer_forward": [handle, matrix, result, ctypes.c_longlong, ctypes.c_float],
        "layer_backward": [handle, matrix, matrix, result, ctypes.c_longlong, ctypes.c_float],
        "layer_wait": [handle],
    }
    for name, arguments in types.items():
        function = getattr(library, name)
        function.argtypes, function.errcheck = arguments, raise_error
    return library


class Layer:
    def __init__(self, library, bias):
        self.library, bias = library, np.require(bias, np.float32, "C")
        self.handle = POINTER(Handle)()
        library.layer_create(byref(self.handle), bias, bias.shape[0])
        self.columns = bias.shape[0]
        self.end = weakref.finalize(self, library.layer_destroy, self.handle)

    def close(self):
        self.end()

    __enter__ = lambda self: self  # noqa: E731
    __exit__ = lambda self, *_: self.close()  # noqa: E731

    def ready(self, x):
        if not self.end.alive:
            raise ValueError("closed")
        x = np.require(x, np.float32, "C")
        if x.ndim != 2 or x.shape[1] != self.columns:
            raise ValueError(f"{self.columns} columns are needed, not {x.shape}")
        return x

    def call(self, function, inputs, scale, out):
        result = np.empty_like(inputs[0]) if out is None else out
        if result.shape != inputs[0].shape:
            raise ValueError("out has another shape")
        try:
            function(self.handle, *inputs, result, inputs[0].shape[0], scale)
        except ctypes.ArgumentError as error:
            raise ValueError(f"out does not fit: {error}") from error
        self.library.layer_wait(self.handle)
        return result

    def forward(self, x, scale, out=None):
        return self.call(self.library.layer_forward, [self.ready(x)], scale, out)

    def backward(self, x, dy, scale, out=None):
        x, dy = self.ready(x), self.ready(dy)
        if x.shape != dy.shape:
            raise ValueError("dy has another shape than x")
        return self.call(self.library.layer_backward, [x, dy], scale, out)
