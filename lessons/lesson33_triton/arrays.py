"""arrays.py - arrays for Triton's kernels, with what Triton asks of one: an address, and a type.

    x = to_device(values)       a copy on the device of an array of NumPy
    y = poisoned(shape)         NaN until a kernel writes it
    y.numpy()                   a copy on the CPU, when the kernels before it are done

With TRITON_INTERPRET=1 they lie in the CPU's memory, and have what Triton's interpreter asks for. Everywhere else
people take PyTorch's tensors; this lesson does not need PyTorch.
"""

import ctypes
import os
import weakref

import numpy as np
from common import device, verify

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
TO_DEVICE, TO_HOST = 1, 2  # cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost


def copy(to, source, size, direction):
    device.check(device.runtime().cudaMemcpy(to, source, ctypes.c_size_t(size), direction), "cudaMemcpy")


class Array:
    """On the device, C-contiguous."""

    def __init__(self, values):
        self.shape, self.dtype, self.nbytes = values.shape, values.dtype, values.nbytes
        memory = ctypes.c_void_p()
        device.check(device.runtime().cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(max(1, self.nbytes))), "cudaMalloc")
        self.address = memory.value
        self.free = weakref.finalize(self, device.runtime().cudaFree, memory)
        copy(memory, ctypes.c_void_p(values.ctypes.data), self.nbytes, TO_DEVICE)

    def data_ptr(self):
        return self.address

    def numpy(self):
        values = np.empty(self.shape, self.dtype)
        copy(ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(self.address), self.nbytes, TO_HOST)
        return values


ROOM = 4096  # bytes behind an array of the CPU: the interpreter looks at no index


def with_room(values):
    whole = np.zeros(values.nbytes + ROOM, np.uint8)
    copied = whole[: values.nbytes].view(values.dtype).reshape(values.shape)
    copied[...] = values
    return copied


class HostArray:
    """In the CPU's memory, for the interpreter: an array that is its own storage."""

    def __init__(self, values):
        self.values, self.shape, self.dtype, self.nbytes = values, values.shape, values.dtype, values.nbytes

    def data_ptr(self):
        return self.values.ctypes.data

    def numpy(self):
        return self.values.copy()

    def untyped_storage(self):
        return self

    def cpu(self):
        return HostArray(with_room(self.values))

    def copy_(self, other):
        self.values[...] = other.values

    def new_empty(self, size, device):
        return HostArray(np.empty(size, self.dtype))

    def set_(self, storage, offset, size, strides):
        self.values = storage.values

    def storage_offset(self):
        return 0

    def size(self):
        return self.shape

    def stride(self):
        return tuple(step // self.values.itemsize for step in self.values.strides)


def to_device(values):
    values = np.ascontiguousarray(values)
    return HostArray(with_room(values)) if INTERPRETED else Array(values)


def poisoned(shape, dtype=np.float32):
    return to_device(verify.poisoned(shape, dtype))
