"""What Triton asks of PyTorch to measure times. They are the CPU's, and say nothing of a GPU's."""

import ctypes
import time

from cuda_emulator_triton import libcuda


def synchronize(device=None):  # noqa: ARG001, PyTorch's interface
    libcuda.call("cuCtxSynchronize")


class Event:
    """A point in the default stream."""

    def __init__(self, enable_timing=True):
        libcuda.current_device()  # there is a context
        self._handle = ctypes.c_void_p()
        libcuda.call("cuEventCreate", ctypes.byref(self._handle), 0 if enable_timing else 2)

    def __del__(self):
        if self._handle:
            libcuda.library().cuEventDestroy_v2(self._handle)

    def record(self):
        libcuda.call("cuEventRecord", self._handle, None)

    def synchronize(self):
        libcuda.call("cuEventSynchronize", self._handle)

    def elapsed_time(self, end):
        """In ms, until another event."""
        milliseconds = ctypes.c_float()
        libcuda.call("cuEventElapsedTime", ctypes.byref(milliseconds), self._handle, end._handle)
        return milliseconds.value


def benchmark(kernel_call, *, quantiles=None, **_):
    """The second run, when the kernel is compiled."""
    for _ in range(2):
        begin = time.perf_counter()
        kernel_call()
        synchronize()
        milliseconds = (time.perf_counter() - begin) * 1000
    return [milliseconds] * len(quantiles) if quantiles else milliseconds
