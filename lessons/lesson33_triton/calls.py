"""calls.py - what the grader of exercise 33 has done with the student's module, in the runner's process: a function for
each kind of job.

It takes the module, the arrays of the job by their names, and settings; what it returns goes back to the grader. The
arrays come in the CPU's memory, and the student gets them on the device.
"""

import ctypes
import os
import sys

import numpy as np
from __main__ import HOST_BYTES, Watched  # runner.py

sys.path.append(os.environ.get("EMULATOR_PYTHON", ""))  # before Triton looks for its backends
import triton  # noqa: E402

COMPILES = True  # Triton starts a C compiler and ptxas, and keeps what they make in files

LIBRARIES = ""  # the runner says where; there are none
GUARD = 4096
FROM_DEVICE, TO_DEVICE = 2, 1  # cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice
# struct emulatorCounters of emulator/emulator.h begins with these, 64 bits each.
COUNTERS = ("launches", "warps", "threads", "loads", "load_sectors", "stores", "store_sectors", "atomics", "load_bytes", "store_bytes")
POISON = 0xFFFD

runtime = ctypes.CDLL(os.environ["CUDA_RUNTIME"])
emulated = hasattr(runtime, "emulatorName")
if emulated:
    runtime.emulatorNotByKernels.restype = ctypes.c_size_t
    runtime.emulatorNotByKernels.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    GUARD = 0  # it looks at each access itself


def check(code):
    if code:
        raise RuntimeError(f"the grader's own CUDA call has failed: error {code}")


class Tensor:
    """Rows of `array`, a stride apart, on the device. Between them, and in front and behind on a GPU, lies poison."""

    def __init__(self, array, stride):
        self.shape, self.dtype, self.row = array.shape, array.dtype, stride
        rows, cols = array.shape
        self.size = array.itemsize * (stride * (rows - 1) + cols) if array.size else 0
        whole = np.empty(GUARD + array.itemsize * stride * max(1, rows) + GUARD + 1, np.uint8)
        whole[0::2], whole[1::2] = POISON & 0xFF, POISON >> 8
        self.before = whole[: self.size + 2 * GUARD].copy()
        if self.size:
            self.rows_of(self.before)[...] = array
        self.memory = ctypes.c_void_p()
        check(runtime.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(max(4, self.before.size))))
        self.copy(self.before, TO_DEVICE)

    def rows_of(self, whole):
        inner = whole[GUARD : GUARD + self.size].view(self.dtype)
        strides = (self.row * inner.itemsize, inner.itemsize)
        return np.lib.stride_tricks.as_strided(inner, self.shape, strides)

    def copy(self, host, direction):
        ends = (self.memory, ctypes.c_void_p(host.ctypes.data))
        to, source = ends if direction == TO_DEVICE else ends[::-1]
        check(runtime.cudaMemcpy(to, source, ctypes.c_size_t(host.size), direction))

    def data_ptr(self):
        return self.memory.value + GUARD

    def stride(self, axis=None):
        return (self.row, 1) if axis is None else (self.row, 1)[axis]

    def element_size(self):
        return self.dtype.itemsize

    def numel(self):
        return int(np.prod(self.shape))

    def now(self):
        """Its rows, and whether what lies around them is as it was."""
        whole = np.empty_like(self.before)
        self.copy(whole, FROM_DEVICE)
        if not self.size:
            return np.zeros(self.shape, self.dtype), True, True
        rows = self.rows_of(whole).copy()
        same = bool((rows.view(np.uint8) == self.rows_of(self.before).copy().view(np.uint8)).all())
        self.rows_of(whole)[...] = self.rows_of(self.before)
        return rows, same, bool((whole == self.before).all())

    def first_not_by_kernels(self):
        """The first row that no kernel has written all of, or None."""
        if emulated and self.size:
            length = self.shape[1] * self.dtype.itemsize
            for row in range(self.shape[0]):
                if runtime.emulatorNotByKernels(self.data_ptr() + row * self.row * self.dtype.itemsize, length) < length:
                    return row
        return None

    def free(self):
        check(runtime.cudaFree(self.memory))


class Counted:
    """What is done meanwhile, on the emulator: its counters, and the bytes that the host hands to the device and gets back."""

    def __init__(self, given, result):
        self.arrays, self.numbers = [(one, one is not result) for one in (*given, result)], {}

    def __enter__(self):
        if not emulated:
            return self
        watched = (Watched * len(self.arrays))()
        for entry, (one, is_input) in zip(watched, self.arrays):
            entry.address, entry.bytes = one.memory.value, max(4, one.before.size)
            entry.input, entry.output = int(is_input), int(not is_input)
        runtime.emulatorAuthorsStart()
        runtime.emulatorWatchArrays(watched, ctypes.c_size_t(len(watched)))
        runtime.emulatorCountersStart()
        return self

    def __exit__(self, *_):
        if emulated:
            values, host = (ctypes.c_uint64 * len(COUNTERS))(), (ctypes.c_uint64 * len(HOST_BYTES))()
            runtime.emulatorCountersStop(values, ctypes.c_size_t(ctypes.sizeof(values)))
            runtime.emulatorHostBytes(host, ctypes.c_size_t(ctypes.sizeof(host)))
            self.numbers = dict(zip(COUNTERS, values)) | {"uploaded": sum(host[:4]), "downloaded": host[4]}


def compute(student, arrays, function, inputs, output, strides, scale):
    """One call. `inputs` are names of arrays, `strides` those of inputs and output."""
    given = [Tensor(arrays[name], stride) for name, stride in zip(inputs, strides)]
    result = np.empty(given[0].shape, np.float32)
    poison = result.reshape(-1).view(np.uint16)
    poison[...] = POISON
    result = Tensor(result, strides[-1])
    with Counted(given, result) as counted:
        getattr(student, function)(*given, result, scale)
        check(runtime.cudaDeviceSynchronize())
    rows, _, around = result.now()
    told = {output: rows, "counted": counted.numbers}
    told["by others"] = result.first_not_by_kernels()
    told["changed"] = [name for name, one in zip(inputs, given) if not all(one.now()[1:])]
    if not around:
        told["changed"].append(f"what lies between the rows of {output}")
    for one in (*given, result):
        one.free()
    return told


def ptx_of(student):
    """The PTX of the student's kernels, as they have been compiled; for `make exercise33 ptx`."""
    for kernel in vars(student).values():
        if isinstance(kernel, triton.JITFunction):
            for compiled, *_ in kernel.device_caches.values():
                yield from (one.asm["ptx"] for one in compiled.values())
