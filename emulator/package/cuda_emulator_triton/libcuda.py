"""The driver library that the program has found, by ctypes."""

import ctypes
import functools
import os

COMPUTE_CAPABILITY = 75, 76  # the numbers of the attributes


@functools.cache
def library():
    """None: there is none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def is_emulator():
    """Whether it is the emulator, not NVIDIA's."""
    return library() is not None and hasattr(library(), "emulatorIsNoDriver")


def beside_library(name):
    """The path of a file that the emulator has beside its library. None: it is not there."""
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder and os.path.exists(os.path.join(folder, "libcuda.so.1")):
            path = os.path.join(folder, name)
            return path if os.path.exists(path) else None
    return None


def call(function, *arguments):
    """Raises RuntimeError, in the driver's words, where it returns an error."""
    error = getattr(library(), function)(*arguments)
    if error:
        text = ctypes.c_char_p()
        library().cuGetErrorString(error, ctypes.byref(text))
        raise RuntimeError(f"{function}: {(text.value or b'unknown error').decode()}")


def result(function, *arguments):
    """The number that it writes to its first argument."""
    value = ctypes.c_int()
    call(function, ctypes.byref(value), *arguments)
    return value.value


def set_device(device):
    """Makes the device's primary context this thread's."""
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)


def current_device():
    """That of this thread's context, which is the primary one of device 0 where there is none yet."""
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuCtxGetCurrent", ctypes.byref(context))
    if not context:
        set_device(0)
    return result("cuCtxGetDevice")


def capability(device):
    """The compute capability, as (9, 0)."""
    call("cuInit", 0)
    return tuple(result("cuDeviceGetAttribute", attribute, device) for attribute in COMPUTE_CAPABILITY)
