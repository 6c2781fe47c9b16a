"""calls.py - what the first call of a kernel costs: compiled, from the cache on disk, from memory. Each time in a
process of its own, whose device is awake and whose arrays are there. For a GPU; on the emulator it verifies, and times
nothing.

    nvrtc       lesson31.Jit as it is: machine code by NVRTC
    ptx         the same with PTX, of which the driver makes machine code when it is loaded (its own cache is off)
    nvcc        the same by nvcc
    cupy        CuPy's RawKernel of the same source, with its own cache on disk, if there is CuPy

The ways take turns. A time is the median of some processes, in microseconds; its lowest and highest come behind it.
"""

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from ctypes import c_size_t, c_void_p

import lesson31
import numpy as np
from common import device, record, verify
from lesson31 import DeviceArray, Jit, Nvcc, Nvrtc, check, loader

N, MANY, TURNS = 1 << 20, 2000, 3
DTYPE = "float16"  # the most to compile: its header is long


class NvrtcPtx(Nvrtc):
    """PTX of NVRTC: for a virtual architecture, and asked for by its own function."""

    def __init__(self):
        super().__init__()
        self.version += ", PTX"

    def compile(self, source, flags, arch):
        return super().compile(source, flags, arch.replace("sm_", "compute_"))

    def text(self, program, what):
        return super().text(program, "PTX" if what == "CUBIN" else what)


def by_cupy(folder):
    """The same source, words and launch."""
    import cupy

    number, header, _ = lesson31.TYPES[DTYPE]
    words = ("-std=c++17", "-lineinfo", f"-DNUMBER={number}", "-DWIDTH=8", f"-DHEADER=<{header}>")
    kernel = cupy.RawKernel(
        lesson31.source_of(os.path.join(lesson31.FOLDER, "gelu.cu")),
        "gelu",
        options=(*words, f"-I{lesson31.header_folder()}"),
    )

    def call(x, y):
        kernel((N // 8 // 256,), (256,), (np.uint64(x), np.uint64(y), np.uint64(N // 8)))

    return call


def by_jit(compiler):
    def make(folder):
        jit = Jit(folder, compiler())
        return lambda x, y: jit.call_on_device("gelu", N, DTYPE, [x, y])

    return make


WAYS = {"nvrtc": by_jit(Nvrtc), "ptx": by_jit(NvrtcPtx), "nvcc": by_jit(Nvcc), "cupy": by_cupy}


def child(way, folder):
    """Two calls, then many; all times are the CPU's, with the work done."""
    x = verify.random(N, -4, 4, 1).astype(np.float16)
    lesson31.header_folder()  # found once, and not to be timed
    with DeviceArray.of(x) as there, DeviceArray.of(verify.poisoned(N, np.float16)) as result:
        call = WAYS[way](folder)
        times = []
        for _ in range(2):
            start = time.perf_counter()
            call(there.address, result.address)
            check(loader.loader_synchronize())
            times.append(1e6 * (time.perf_counter() - start))
        start = time.perf_counter()
        many = 1 if device.is_emulator() else MANY
        for _ in range(many):
            call(there.address, result.address)
        queued = 1e6 * (time.perf_counter() - start) / many
        check(loader.loader_synchronize())
        y = result.numpy()[:10000]
        right = verify.floats(way, y, lesson31.gelu_cpu(x[:10000]), *lesson31.TOLERANCES[DTYPE])
    print(json.dumps({"first": times[0], "second": times[1], "queued": queued, "right": right}))


def ask(way, folder):
    words = [sys.executable, "-X", "utf8", "-B", __file__, way, folder]
    environment = {**os.environ, "CUPY_CACHE_DIR": folder, "CUDA_CACHE_DISABLE": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1:])
    told = json.loads(done.stdout.splitlines()[-1])
    verify.tally["comparisons"] += 1
    verify.fact(way, told["right"], True)
    return told


def bare_launch():
    """What a launch costs without the part in Python that decides: the same arguments, again and again."""
    with tempfile.TemporaryDirectory() as folder, DeviceArray(N, np.float16) as x, DeviceArray(N, np.float16) as y:
        kernel = Jit(folder).kernel("gelu", DTYPE, 8)
        arguments = [c_void_p(x.address), c_void_p(y.address), c_size_t(N // 8)]
        addresses = (c_void_p * 3)(*(ctypes.addressof(one) for one in arguments))
        taken = []
        for _ in range(TURNS):
            start = time.perf_counter()
            for _ in range(MANY):
                loader.loader_launch(kernel.handle, N // 8 // 256, 256, addresses)
            taken.append(1e6 * (time.perf_counter() - start) / MANY)
            check(loader.loader_synchronize())
        show("launch", "ctypes alone", taken)


def show(way, what, taken):
    record.part(way)
    for column, value in (("µs", statistics.median(taken)), ("shortest", min(taken)), ("longest", max(taken))):
        record.row(what, column, value, "µs")
    print(
        f"{way:8}  {what:12}  {statistics.median(taken):12.1f} us  ({min(taken):.1f} .. {max(taken):.1f})", flush=True
    )


def main():
    device.print_backend()
    emulated = device.is_emulator()
    taken, ways = {}, list(WAYS)
    for _ in range(1 if emulated else TURNS):
        for way in list(ways):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    for state in "compiled", "from disk":
                        told = ask(way, folder)
                        taken.setdefault((way, state), []).append(told["first"])
                    taken.setdefault((way, "from memory"), []).append(told["second"])
                    taken.setdefault((way, "queued"), []).append(told["queued"])
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    print(f"{way}: not measured: {error}")
                    ways.remove(way)
    if not emulated:
        for (way, state), times in taken.items():
            show(way, state, times)
        bare_launch()
    return verify.finish("calls")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(*sys.argv[1:])
    else:
        sys.exit(main())
