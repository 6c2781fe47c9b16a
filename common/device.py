"""device.py - the backend that runs this lesson's kernels, and the command line options: device.h for lessons in Python.

    options = device.read_options(VERSIONS)     --size 1000 --seed 7 --version 2, or SIZE, SEED and V in the environment
    device.print_backend()                      the first line that every lesson prints

The CUDA runtime is the one that the lesson's library also uses, NVIDIA's or the emulator's: the search path of
libraries decides.
"""

import argparse
import ctypes
import os
import sys
from dataclasses import dataclass

SIZE_MAX = 1 << 30


@dataclass
class Options:
    size: int | None  # number of elements; None: not given
    seed: int
    version: int  # run only this one, numbered from 1; 0: all


def number(variable, low, high):
    def read(text):
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"{variable} must be a whole number from {low} to {high}, not {text or 'nothing'}"
            )
        return value

    return read


def read_options(versions):
    """Variables count as words that precede those of the command line."""
    known = {"size": ("SIZE", 0, SIZE_MAX), "seed": ("SEED", 0, 2**63 - 1), "version": ("V", 1, versions)}
    parser = argparse.ArgumentParser(allow_abbrev=False)
    words = []
    for name, (variable, low, high) in known.items():
        parser.add_argument(f"--{name}", type=number(variable, low, high), metavar="N", help=f"or {variable}=N")
        if os.environ.get(variable):
            words += [f"--{name}", os.environ[variable]]
    asked = parser.parse_args(words + sys.argv[1:])
    return Options(asked.size, 1 if asked.seed is None else asked.seed, asked.version or 0)


_runtime = None


def runtime():
    """The CUDA runtime, as a library of ctypes."""
    global _runtime
    if _runtime is None:
        _runtime = ctypes.CDLL(os.environ.get("CUDA_RUNTIME", "libcudart.so"))
    return _runtime


def is_emulator():
    """The emulator's runtime has a function that NVIDIA's lacks."""
    return hasattr(runtime(), "emulatorName")


def check(code, what):
    """For the runtime's own functions."""
    if code:
        name = runtime().cudaGetErrorName
        name.restype = ctypes.c_char_p
        print(f"FAIL: {what}: {name(code).decode()}")
        raise SystemExit(1)


def attribute(which):
    value = ctypes.c_int()
    check(runtime().cudaDeviceGetAttribute(ctypes.byref(value), which, 0), "cudaDeviceGetAttribute")
    return value.value


def gpu_name():
    """cudaGetDeviceProperties fills a struct that begins with the name, and is far smaller than this buffer in every version."""
    properties = ctypes.create_string_buffer(16384)
    library = runtime()
    ask = getattr(library, "cudaGetDeviceProperties_v2", None) or library.cudaGetDeviceProperties
    check(ask(properties, 0), "cudaGetDeviceProperties")
    return properties.value.decode()


def print_backend():
    if is_emulator():
        name = runtime().emulatorName
        name.restype = ctypes.c_char_p
        print(f"backend: {name().decode()} (no GPU: this run counts and checks, it does not time)", flush=True)
        return
    major, minor, driver = attribute(75), attribute(76), ctypes.c_int()
    check(runtime().cudaDriverGetVersion(ctypes.byref(driver)), "cudaDriverGetVersion")
    version = f"{driver.value // 1000}.{driver.value % 1000 // 10}"
    print(f"backend: GPU 0, {gpu_name()}, compute capability {major}.{minor}, driver for CUDA {version}", flush=True)
