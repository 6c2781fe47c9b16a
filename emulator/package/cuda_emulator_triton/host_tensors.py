"""PyTorch's tensors in CPU memory as arguments of a kernel.

Their storages are copied to the device before a launch, and back when it has ended. On a GPU Triton refuses such
tensors; here they are what PyTorch without CUDA has.
"""

import copy
import ctypes

from cuda_emulator_triton import libcuda

# In bytes. For addresses that are a multiple of it Triton compiles other kernels: a copy's is one where a tensor's is.
ALIGNMENT = 16


def is_host_tensor(argument):
    return getattr(argument, "is_cpu", False) is True and hasattr(argument, "untyped_storage")


class Mirror:
    """A storage's copy in device memory."""

    def __init__(self, storage):
        self._host, self._bytes = storage.data_ptr(), storage.nbytes()
        before = self._host % ALIGNMENT
        self._memory = ctypes.c_uint64()
        if self._bytes:
            libcuda.call("cuMemAlloc_v2", ctypes.byref(self._memory), ctypes.c_size_t(before + self._bytes))
        self.address = self._memory.value + before
        if self._bytes:
            libcuda.call("cuMemcpyHtoD_v2", *self._ends(), ctypes.c_size_t(self._bytes))

    def _ends(self):
        return ctypes.c_uint64(self.address), ctypes.c_void_p(self._host)

    def copy_back(self):
        device, host = self._ends()
        if self._bytes:
            libcuda.call("cuMemcpyDtoH_v2", host, device, ctypes.c_size_t(self._bytes))

    def free(self):
        libcuda.library().cuMemFree_v2(self._memory)


class Mirrors:
    """Those of one launch; tensors with one storage share its copy."""

    def __init__(self):
        self._by_storage = {}

    def in_place_of(self, argument):
        """What the kernel gets: of a tensor an address, of what holds tensors the same with addresses in it."""
        if is_host_tensor(argument):
            storage = argument.untyped_storage()
            if storage.data_ptr() not in self._by_storage:
                self._by_storage[storage.data_ptr()] = Mirror(storage)
            return self._by_storage[storage.data_ptr()].address + argument.data_ptr() - storage.data_ptr()
        if isinstance(argument, tuple):
            values = [self.in_place_of(a) for a in argument]
            return type(argument)(*values) if hasattr(argument, "_fields") else tuple(values)
        if is_host_tensor(getattr(argument, "base", None)):
            if hasattr(argument, "data_ptr"):  # triton.reinterpret: a tensor as another type
                return self.in_place_of(argument.base)
            argument = copy.copy(argument)
            argument.base = self.in_place_of(argument.base)  # of a tensor descriptor
        return argument

    def copy_back(self):
        if self._by_storage:
            libcuda.call("cuCtxSynchronize")
        for mirror in self._by_storage.values():
            mirror.copy_back()

    def free(self):
        for mirror in self._by_storage.values():
            mirror.free()


def launch(launcher, arguments):
    """Calls it with addresses in device memory for what is in CPU memory."""
    mirrors = Mirrors()
    try:
        launcher(*(mirrors.in_place_of(a) for a in arguments))
        mirrors.copy_back()
    finally:
        mirrors.free()
