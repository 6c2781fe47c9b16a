"""calls.py - what a run of a session costs, in turns in one process: of CustomGelu, and of ONNX's own Gelu, which ONNX
Runtime computes itself. For a GPU; on the emulator it verifies, and times nothing.

    CPU, run          the CPU provider: CustomGelu copies to the device and back, Gelu is computed by the CPU
    CUDA, run         the CUDA provider, arrays of NumPy: ONNX Runtime copies them
    CUDA, bound       the CUDA provider, x and y bound to memory of the device; with the wait for the result

A time is the median of 21 turns, each the mean of some runs; its lowest and highest come behind it.
"""

import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lesson32  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime as ort  # noqa: E402
from common import device, record, verify  # noqa: E402

TURNS, WARM_UP = 21, 3
SOME = slice(0, 1 << 16)


def timed(call, times):
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def sessions():
    """By the operator's and the provider's name."""
    custom = lesson32.gelu_model()
    own = lesson32.make_model(lesson32.gelu_node(domain="", name="Gelu"), imports=())
    providers = {"CPU": (lesson32.CPU,)}
    if not device.is_emulator() and lesson32.CUDA in ort.get_available_providers():
        if hasattr(ort, "preload_dlls"):
            ort.preload_dlls()
        providers["CUDA"] = (lesson32.CUDA, lesson32.CPU)
    made = {}
    for provider, names in providers.items():
        made["CustomGelu", provider] = lesson32.session_of(custom, providers=names)
        made["Gelu", provider] = lesson32.session_of(own, path=None, providers=names)
    return made


def bound(session, x):
    """A call that leaves everything on the device, and returns when it is done."""
    there = ort.OrtValue.ortvalue_from_numpy(x, "cuda", 0)
    result = ort.OrtValue.ortvalue_from_shape_and_type(x.shape, np.float32, "cuda", 0)
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", there)
    binding.bind_ortvalue_output("y", result)

    def call():
        session.run_with_iobinding(binding)
        return result

    return call


def size(name, n, times, seed, made):
    x = verify.random(n, -4, 4, seed)
    expected = lesson32.gelu_cpu(x[SOME])
    ways = {}
    for (operator, provider), session in made.items():
        ways[f"{operator}, {provider}, run"] = lambda session=session: session.run(None, {"x": x})[0]
        if provider == "CUDA":
            ways[f"{operator}, {provider}, bound"] = bound(session, x)
    taken = {way: [] for way in ways}
    for way, call in ways.items():
        y = call()
        y = y if isinstance(y, np.ndarray) else y.numpy()
        verify.floats(f"{name}, {way}", y[SOME], expected, lesson32.ATOL, lesson32.RTOL)
    for turn in range(0 if device.is_emulator() else WARM_UP + TURNS):
        for way, call in ways.items():
            seconds = timed(call, times)
            if turn >= WARM_UP:
                taken[way].append(1e6 * seconds)
    record.part(name)
    for way, all_of in taken.items():
        if all_of:
            median, low, high = statistics.median(all_of), min(all_of), max(all_of)
            print(f"{name:6}  {way:24}  {median:12.3f} us  ({low:.3f} .. {high:.3f})", flush=True)
            for column, microseconds in (("us", median), ("shortest", low), ("longest", high)):
                record.row(way, column, microseconds, "us")


def main():
    device.print_backend()
    print(f"ONNX Runtime {ort.__version__}: {', '.join(ort.get_available_providers())}")
    record.row("ONNX Runtime", "version", ort.__version__)
    emulated = device.is_emulator()
    seed = int(os.environ.get("SEED") or 1)
    made = sessions()
    size("1 KB", 256, 200, seed, made)
    size("64 MB" if not emulated else "64 KB", 1 << 14 if emulated else 1 << 24, 5, seed + 1, made)
    return verify.finish("calls")


sys.exit(main())
