"""Arrays in device memory, with as much as Triton's launcher asks of an argument: copies of NumPy's, and back again."""

import ctypes

import numpy as np

from cuda_emulator_triton import libcuda


class DeviceArray:
    """An array without a value yet, one row after the other. Its memory is freed with it."""

    def __init__(self, shape, dtype):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = np.dtype(dtype)
        self._address = ctypes.c_uint64()
        libcuda.current_device()  # there is a context
        if self.nbytes:
            libcuda.call("cuMemAlloc_v2", ctypes.byref(self._address), ctypes.c_size_t(self.nbytes))

    def __del__(self):
        if getattr(self, "_address", None):
            libcuda.library().cuMemFree_v2(self._address)

    @property
    def nbytes(self):
        return self.numel() * self.dtype.itemsize

    def numel(self):
        return int(np.prod(self.shape, dtype=np.int64))

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return self._address.value

    def stride(self, axis=None):
        """In elements: of one axis, or of all."""
        strides = tuple(int(np.prod(self.shape[i + 1 :], dtype=np.int64)) for i in range(len(self.shape)))
        return strides if axis is None else strides[axis]

    def zero_(self):
        if self.nbytes:
            libcuda.call("cuMemsetD8_v2", self._address, 0, ctypes.c_size_t(self.nbytes))
        return self

    def numpy(self):
        """A copy, when the kernels before it have ended."""
        out = np.empty(self.shape, self.dtype)
        if self.nbytes:
            target = ctypes.c_void_p(out.ctypes.data)
            libcuda.call("cuMemcpyDtoH_v2", target, self._address, ctypes.c_size_t(self.nbytes))
        return out


def empty(shape, dtype=np.float32):
    """An array without a value yet: its bytes are what a forgotten store leaves."""
    return DeviceArray(shape, dtype)


def zeros(shape, dtype=np.float32):
    return DeviceArray(shape, dtype).zero_()


def to_device(values):
    """A copy of a NumPy array, or of what NumPy makes one of."""
    values = np.asarray(values, order="C")
    out = DeviceArray(values.shape, values.dtype)
    if out.nbytes:
        source = ctypes.c_void_p(values.ctypes.data)
        libcuda.call("cuMemcpyHtoD_v2", out._address, source, ctypes.c_size_t(out.nbytes))
    return out
