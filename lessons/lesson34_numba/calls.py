"""calls.py - what the grader of exercise 34 has done with the student's module, in the runner's process: a function for
each kind of job.

It takes the module, the arrays of the job by their names, and settings; what it returns goes back to the grader. The
arrays come in the CPU's memory, and the student gets them on the device.
"""

import ctypes
import gc
import math
import os
import re

import numpy as np
from __main__ import HOST_BYTES, Watched  # runner.py
from numba import config, cuda

LIBRARIES = ""  # the runner says where; there are none
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
GUARD = b"\xa5" * 4096
FROM_DEVICE, TO_DEVICE = 2, 1  # cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice
# struct emulatorCounters of emulator/emulator.h begins with these, 64 bits each.
COUNTERS = ("launches", "warps", "threads", "loads", "load_sectors", "stores", "store_sectors")

runtime = ctypes.CDLL(os.environ["CUDA_RUNTIME"])
emulated = hasattr(runtime, "emulatorName")
if emulated:
    runtime.emulatorNotByKernels.restype = ctypes.c_size_t
    runtime.emulatorNotByKernels.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    GUARD = b""  # it looks at each access itself


@cuda.jit
def first_kernel(x):
    x[cuda.grid(1)] = math.erf(cuda.grid(1))


# Numba looks for its compilers by starting programs. This file is loaded before that is forbidden, the student's behind it.
first_kernel[1, 1](cuda.device_array(1, np.float32))
cuda.synchronize()


def check(code):
    if code:
        raise RuntimeError(f"the grader's own CUDA call has failed: error {code}")


class Tensor:
    """An array of "another library": a copy on the device of a NumPy array, in the same layout, gaps included."""

    def __init__(self, array):
        self.shape, self.strides = array.shape, array.strides
        size = array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides)) if array.size else 0
        self.before = GUARD + (ctypes.string_at(array.ctypes.data, size) if size else b"") + GUARD
        self.memory = ctypes.c_void_p()
        check(runtime.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(max(4, len(self.before)))))
        check(runtime.cudaMemcpy(self.memory, self.before, ctypes.c_size_t(len(self.before)), TO_DEVICE))

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": "<f4",
            "data": (self.memory.value + len(GUARD), False),
            "version": 3,
        }

    def is_untouched(self):
        now = ctypes.create_string_buffer(len(self.before) + 1)
        check(runtime.cudaMemcpy(now, self.memory, ctypes.c_size_t(len(self.before)), FROM_DEVICE))
        return now.raw[:-1] == self.before

    def free(self):
        check(runtime.cudaFree(self.memory))


class Counted:
    """What is done meanwhile: by the emulator's counters, which also has the bytes that the host hands to the device and gets
    back; and how often Numba copies an array between CPU and device."""

    def __init__(self, tensors):
        self.tensors = tensors

    def __enter__(self):
        self.copies, self.usual = 0, {name: getattr(cuda.devicearray.DeviceNDArray, name) for name in self.names}
        for name in self.names:
            setattr(cuda.devicearray.DeviceNDArray, name, self.counting(self.usual[name]))
        if emulated:
            watched = (Watched * len(self.tensors))()
            for entry, one in zip(watched, self.tensors):
                entry.address, entry.bytes, entry.input = one.memory.value, max(4, len(one.before)), 1
            runtime.emulatorAuthorsStart()
            runtime.emulatorWatchArrays(watched, ctypes.c_size_t(len(watched)))
            runtime.emulatorCountersStart()
        return self

    names = ("copy_to_host", "copy_to_device")

    def counting(self, method):
        def counted(*given, **named):
            self.copies += 1
            return method(*given, **named)

        return counted

    def __exit__(self, *_):
        values, host = (ctypes.c_uint64 * len(COUNTERS))(), (ctypes.c_uint64 * len(HOST_BYTES))()
        if emulated:
            runtime.emulatorCountersStop(values, ctypes.c_size_t(ctypes.sizeof(values)))
            runtime.emulatorHostBytes(host, ctypes.c_size_t(ctypes.sizeof(host)))
        for name in self.names:
            setattr(cuda.devicearray.DeviceNDArray, name, self.usual[name])
        self.numbers = dict(zip((*COUNTERS, *HOST_BYTES), (*values, *host))) if emulated else {}


def on_host(result):
    """A result as an array of NumPy, or words that say why it is none that was promised."""
    told = getattr(result, "__cuda_array_interface__", None)
    if told is None or isinstance(result, np.ndarray):
        return f"something of type {type(result).__name__} that is not on the device"
    if told["typestr"] != "<f4":
        return f"an array of {np.dtype(told['typestr']).name}"
    array = np.empty(told["shape"], np.float32)
    if told.get("strides") not in (None, array.strides) and array.size:
        return f"an array with strides of {told['strides']} bytes"
    if array.size:
        check(runtime.cudaMemcpy(ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(told["data"][0]),
                                 ctypes.c_size_t(array.nbytes), FROM_DEVICE))  # fmt: skip
    return array


def not_by_kernels(result):
    """The first byte that no kernel has written, or None."""
    told = getattr(result, "__cuda_array_interface__", None)
    if not emulated or told is None:
        return None
    size = 4 * int(np.prod(told["shape"]))
    first = runtime.emulatorNotByKernels(told["data"][0], size) if size else size
    return first if first < size else None


def overlaps(result, tensors):
    """Whether a result lies in the memory of one of these."""
    told = getattr(result, "__cuda_array_interface__", None)
    if not told or not told["data"][0]:
        return False
    first, last = told["data"][0], told["data"][0] + 4 * int(np.prod(told["shape"]))
    return any(first < one.memory.value + len(one.before) and one.memory.value < last for one in tensors)


def compute(student, arrays, way, numbas=False):
    """forward or backward, of tensors, or of Numba's own arrays."""
    names = ["x", "bias"] + (["dy"] if way == "backward" else [])
    tensors = [Tensor(arrays[name]) for name in names]
    given = [cuda.as_cuda_array(one) for one in tensors] if numbas else tensors
    with Counted(tensors) as counted:
        results = getattr(student, way)(*given)
        check(runtime.cudaDeviceSynchronize())
    results = results if way == "backward" and isinstance(results, tuple) else (results,)
    told = {"counted": counted.numbers, "copies": counted.copies, "results": len(results)}
    for name, result in zip(("dx", "dbias") if way == "backward" else ("y",), results):
        told[name], told[name + " not by kernels"] = on_host(result), not_by_kernels(result)
        told[name + " aliases"] = overlaps(result, tensors)
    told["changed"] = [name for name, one in zip(names, tensors) if not one.is_untouched()]
    for one in tensors:
        one.free()
    return told


def twice(student, arrays, way):
    """The results of a call, when another one with other inputs has been made."""
    names = ["x", "bias"] + (["dy"] if way == "backward" else [])
    tensors, others = [Tensor(arrays[name]) for name in names], [Tensor(-arrays[name]) for name in names]
    results, later = getattr(student, way)(*tensors), getattr(student, way)(*others)
    check(runtime.cudaDeviceSynchronize())
    told = dict(zip(("dx", "dbias"), map(on_host, results))) if way == "backward" else {"y": on_host(results)}
    del later
    for one in (*tensors, *others):
        one.free()
    return told


def ptx_of(_):
    """The PTX of all kernels that have been compiled in this process, but for ours; also for `make exercise34 ptx`."""
    for one in gc.get_objects():
        if isinstance(one, cuda.dispatcher.CUDADispatcher) and one is not first_kernel:
            yield from one.inspect_asm().values()


def fp64(student, arrays, way):
    """The instructions of fp64 in what has been compiled; what is copied or converted in none of them."""
    compute(student, arrays, way)
    found = []
    for ptx in ptx_of(student):
        found += re.findall(r"^\t(?:@!?%p\d+\s+)?((?!mov|ld|st)[a-z][\w.]*\.f64(?:\.\w+)*)\s", ptx, re.M)
    return {"fp64": sorted(set(found)), "many": len(found)}
