"""The arrays that the library sees belong to ctypes; NumPy's are copied in and out. One stack gives back what was taken."""

import contextlib
import ctypes

import numpy as np

FLOATS = ctypes.POINTER(ctypes.c_float)


class LayerError(Exception):
    def __init__(self, code, text):
        super().__init__(f"error {code}, {text}")
        self.code = code


def load(path):
    library = ctypes.cdll.LoadLibrary(path)
    library.layer_create.argtypes = (ctypes.c_void_p, FLOATS, ctypes.c_int)
    library.layer_forward.argtypes = (ctypes.c_size_t, FLOATS, FLOATS, ctypes.c_int64, ctypes.c_float)
    library.layer_backward.argtypes = (ctypes.c_size_t, FLOATS, FLOATS, FLOATS, ctypes.c_int64, ctypes.c_float)
    library.layer_wait.argtypes = library.layer_destroy.argtypes = (ctypes.c_size_t,)
    library.layer_error.restype = ctypes.c_char_p
    return library


def floats(array):
    """A copy, as float[n] of C."""
    flat = np.asarray(array, dtype="float32").ravel()
    made = (ctypes.c_float * max(flat.size, 1))()
    np.frombuffer(made, np.float32)[: flat.size] = flat
    return made


class Layer:
    def __init__(self, library, bias):
        self.library = library
        self.stack = contextlib.ExitStack()
        self.bias_shape = np.shape(bias)
        handle = ctypes.c_size_t()
        self.check(library.layer_create(ctypes.addressof(handle), floats(bias), self.bias_shape[0]))
        self.handle = handle.value
        self.stack.callback(library.layer_destroy, self.handle)

    def check(self, code):
        if code:
            raise LayerError(code, self.library.layer_error(code).decode())

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        self.handle = None
        self.stack.close()

    def compute(self, name, inputs, scale, out):
        shape = np.shape(inputs[0])
        if self.handle is None or shape[1:] != self.bias_shape or any(np.shape(one) != shape for one in inputs):
            raise ValueError("closed, or a wrong shape")
        if out is None:
            out = np.empty(shape, "f4")
        elif out.dtype != "f4" or out.shape != shape or not out.data.c_contiguous:
            raise ValueError("out does not fit")
        taken, result = [floats(one) for one in inputs], floats(np.empty(shape))
        self.check(getattr(self.library, name)(self.handle, *taken, result, shape[0], scale))
        self.check(self.library.layer_wait(self.handle))
        out[...] = np.frombuffer(result, np.float32)[: out.size].reshape(shape)
        return out

    def forward(self, x, scale, out=None):
        return self.compute("layer_forward", [x], scale, out)

    def backward(self, x, dy, scale, out=None):
        return self.compute("layer_backward", [x, dy], scale, out)
