"""Lesson 28: CUDA from Python through pybind11. The operator of lesson 27, in a package that pip builds and installs.

    make lesson28 run                 builds the wheel, installs it, runs every step, verified against the CPU
    make lesson28 run V=3             that step alone; SIZE= and SEED= as everywhere

Each step has one idea:

    wheel1          what pip has built: a file for one Python, one kind of machine, and nobody's compiler
    module2         a module's file name, and the function in it that must have the same name
    conversion3     types that the compiler has written down: what is converted, and what is refused
    errors4         an exception of C++ becomes one of Python, with what we put into it
    ownership5      destructors free device memory; several objects may share it
    exchange6       DLPack: arrays on the device from one library to another, without a copy
    gil7            pybind11 keeps the GIL, until it is told not to
    symbols8        undefined symbol, cannot open shared object file: provoked, read, cured

Nothing here needs a GPU; with one, the same module runs on it. The package is in package/.
"""

# wheel: package SHOW_ERRORS=ON
# kernels: package/src/gelu.cu

import gc
import importlib.machinery
import importlib.util
import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import zipfile
from pathlib import Path

import gelu_pybind11
import numpy as np
from common import bench, device, verify
from gelu_pybind11 import CudaError, DeviceArray, _gelu

BUILT = Path(os.environ["LESSON_LIBRARIES"])  # wheel/, installed/, and cmake/ with what CMake has made
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 20  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.reshape(-1).tolist()]).reshape(x.shape)


def gelu_backward_cpu(x, dy):
    below = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])
    wide = x.astype(np.float64)
    return dy * (below + wide * np.exp(-0.5 * wide * wide) / math.sqrt(2 * math.pi))


def forward_is_right(name, x, y):
    verify.floats(name, y, gelu_cpu(x), ATOL, RTOL)


# ---------------------------------------------------------------- the steps


def raised_by(call):
    """The exception that a call ends with, or None."""
    try:
        call()
    except Exception as error:  # whatever it is: the steps compare it
        return error
    return None


def wheel1(seed):
    """A wheel is an archive, and installing it is unpacking it: no line of the package runs, no compiler is needed."""
    (wheel,) = (BUILT / "wheel").glob("*.whl")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    name, version, *tags = wheel.stem.split("-")
    verify.fact("the wheel's name and version", (name, version), ("gelu_pybind11", "1.0"))
    verify.fact("the wheel is for this Python", tags[:2], [python, python])
    print(f"    {wheel.name}: {name} {version} for {tags[0]}, ABI {tags[1]}, {tags[2]}")
    inside = zipfile.ZipFile(wheel)
    names = sorted(inside.namelist())
    for file in names:
        print(f"        {file}")
    verify.fact("the module is in it", f"gelu_pybind11/_gelu{SUFFIX}" in names, True)
    verify.fact("what the lesson shows going wrong is not", any("total" in file for file in names), False)
    installed = Path(gelu_pybind11.__file__).parent
    same = inside.read(f"gelu_pybind11/_gelu{SUFFIX}") == (installed / f"_gelu{SUFFIX}").read_bytes()
    verify.fact("what is imported is what was in the wheel", same, True)
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("wheel1", x, gelu_pybind11.forward(x))


def told_by_python(folder, code):
    """The last line that another Python prints, which finds modules in this folder. Whoever checks or profiles this
    process does not look into that one."""
    watched = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(watched)}
    child = [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r}); {code}"]
    told = subprocess.run(child, env=plain, capture_output=True, text=True)
    return (told.stdout + told.stderr).strip().split("\n")[-1].replace(folder + "/", "")


def import_copy(name, file_name):
    """What is said when a copy of our module is imported by another name."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(_gelu.__file__, Path(folder) / file_name)
        return told_by_python(folder, f"import {name}")


def module2(seed):
    """`import _gelu` looks for a file of that name with a suffix of this Python, and in it for PyInit__gelu."""
    print(f"    suffixes of modules, for this Python: {' '.join(importlib.machinery.EXTENSION_SUFFIXES)}")
    verify.fact("the module's file", Path(_gelu.__file__).name, f"_gelu{SUFFIX}")
    renamed = import_copy("other", f"other{SUFFIX}")
    verify.fact("PyInit of a renamed module", "ImportError: dynamic module does not define module export function (PyInit_other)" in renamed, True)
    print(f"    copied to other{SUFFIX}: {renamed}")
    of_another = import_copy("_gelu", "_gelu.cpython-399-x86_64-linux-gnu.so")
    verify.fact("a module for another Python", of_another, "ModuleNotFoundError: No module named '_gelu'")
    print(f"    copied to _gelu.cpython-399-x86_64-linux-gnu.so: {of_another}")
    print(f"    {_gelu.forward.__doc__.splitlines()[0]}")
    verify.fact("the signature is in the documentation", "forward(x: " in _gelu.forward.__doc__, True)
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("module2", x, _gelu.forward(x))


def conversion3(seed, sizes):
    """array_t<float, c_style | forcecast> takes every array, and copies where it has to. noconvert() takes what fits."""
    x = verify.random(1000, 1, 3, seed)
    every_second, wide = x[::2], x.astype(np.float64)
    for what, given in (("x[::2]", every_second), ("float64", wide), ("a list", [1, 2.5])):
        forward_is_right(f"forward of {what}", np.asarray(given, np.float32), _gelu.forward(given))
        refused = raised_by(lambda: _gelu.forward_of_floats(given))
        verify.fact(f"forward_of_floats of {what}", type(refused).__name__, "TypeError")
        print(f"    {what}: forward converts it, forward_of_floats raises a TypeError")
    print(f"    {str(refused).splitlines()[0]}")
    verify.fact("a text is no array", type(raised_by(lambda: _gelu.forward("text"))).__name__, "TypeError")
    two = verify.random((30, 7), -3, 3, seed).T
    forward_is_right("two dimensions, transposed", two, _gelu.forward(two))
    for n in sizes:
        x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
        looked_at = slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)
        y, dx = gelu_pybind11.forward(x)[looked_at], gelu_pybind11.backward(x, dy)[looked_at]
        x, dy = x[looked_at], dy[looked_at]
        forward_is_right("forward", x, y)
        verify.floats("backward", dx, gelu_backward_cpu(x, dy), ATOL, RTOL)


def errors4(seed):
    """py::value_error, std::invalid_argument and their like are known; our own CudaError is told to pybind11."""
    x = verify.random(1000, -3, 3, seed)
    error = raised_by(lambda: gelu_pybind11.backward(x, x[:5]))
    verify.fact("arrays of two lengths", repr(error), "ValueError('dy must have as many elements as x')")
    print(f"    backward(x, x[:5]) raises {error!r}")
    error = raised_by(lambda: _gelu.fail(2))
    told = (type(error), error.code, str(error))
    verify.fact("CudaError", told, (CudaError, 2, "cudaErrorMemoryAllocation: out of memory"))
    print(f"    fail(2) raises {error!r}, its code is {error.code}")
    verify.fact("no error is no exception", raised_by(lambda: _gelu.fail(0)), None)
    forward_is_right("errors4", x, _gelu.forward(x))


def ownership5(seed):
    """A C++ object frees what it owns in its destructor. Python's object has it, and calls that when nobody has it."""
    gc.collect()
    verify.fact("bytes held before", _gelu.bytes_held(), 0)
    x = verify.random(1000, -3, 3, seed)
    with DeviceArray(x) as there:
        inside = _gelu.bytes_held()
    verify.fact("bytes held in and behind with", (inside, _gelu.bytes_held()), (4000, 0))
    print(f"    in the with block {inside} bytes are held, behind it {_gelu.bytes_held()}")
    error = raised_by(there.numpy)
    verify.fact("use of a closed array", repr(error), "ValueError('this DeviceArray is closed')")
    there = DeviceArray(x)
    capsule = there.__dlpack__()
    there.close()
    held = [_gelu.bytes_held()]
    del capsule
    held.append(_gelu.bytes_held())
    verify.fact("bytes held by a capsule", held, [4000, 0])
    print(f"    closed while a capsule shares the memory: {held[0]} bytes; when that has gone: {held[1]}")
    forgotten = DeviceArray(x)
    raised_by(lambda: gelu_pybind11.backward(forgotten, DeviceArray(x[:5])))
    del forgotten
    gc.collect()
    verify.fact("bytes held by what was forgotten", _gelu.bytes_held(), 0)
    print(f"    a forgotten array, and an exception between two allocations: {_gelu.bytes_held()} bytes are left")
    forward_is_right("ownership5", x, _gelu.forward(x))


class Producer:
    """An array of another library: it has nothing in common with ours but the two methods of DLPack."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.asked.append(stream)
        return self.array.__dlpack__(stream=stream)


def address_of(there):
    return there.__cuda_array_interface__["data"][0]


def exchange6(seed):
    """The consumer calls __dlpack__ and gets an address, a shape, a type, and a function that gives all of it back."""
    x, dy = verify.random(1000, -3, 3, seed), verify.random(1000, -1, 1, seed + 1)
    with DeviceArray(x) as there, DeviceArray(dy) as dy_there:
        interface = there.__cuda_array_interface__
        print(f"    __cuda_array_interface__: shape {interface['shape']}, typestr {interface['typestr']}")
        other = Producer(there)
        y = gelu_pybind11.forward(other)
        verify.fact("the stream that the producer is told", other.asked, [1])
        print("    forward of an object with __dlpack__ and __dlpack_device__: it was asked for stream 1, the default one")
        forward_is_right("another library's array", x, y.numpy())
        verify.floats("the way back", gelu_pybind11.backward(other, dy_there).numpy(), gelu_backward_cpu(x, dy), ATOL, RTOL)

        capsule = there.__dlpack__()
        before = repr(capsule).split('"')[1]
        gelu_pybind11.forward(type("Once", (Producer,), {"__dlpack__": lambda self, *, stream: capsule})(there))
        after = repr(capsule).split('"')[1]
        verify.fact("the name of a capsule before and after", (before, after), ("dltensor", "used_dltensor"))
        print(f"    a capsule is called {before}; when somebody has taken what is in it, {after}")
        twice = type("Twice", (Producer,), {"__dlpack__": lambda self, *, stream: capsule})(there)
        verify.fact("a capsule taken twice", type(raised_by(lambda: gelu_pybind11.forward(twice))).__name__, "ValueError")
        elsewhere = type("Elsewhere", (Producer,), {"__dlpack_device__": lambda self: (2, 1)})(there)
        error = raised_by(lambda: gelu_pybind11.forward(elsewhere))
        verify.fact("an array of another device is refused", type(error).__name__, "ValueError")
        asked = there.__dlpack__(stream=1, max_version=(1, 1), dl_device=there.__dlpack_device__(), copy=False)
        verify.fact("a consumer of DLPack 1 gets a capsule", repr(asked).split('"')[1], "dltensor")
        for more in ({"dl_device": (1, 0)}, {"copy": True}):
            error = raised_by(lambda: there.__dlpack__(**more))  # noqa: B023 (called at once)
            verify.fact(f"__dlpack__ with {more}", type(error).__name__, "BufferError")
        # NumPy knows CPU memory alone, and says so in place of reading an address that is none of the CPU's.
        error = raised_by(lambda: np.from_dlpack(there))
        verify.fact("NumPy refuses the device's memory", type(error).__name__ in ("BufferError", "RuntimeError", "TypeError"), True)
        print(f"    np.from_dlpack of it: {type(error).__name__}")
        exchange_with_torch(x, there)
    del y, asked
    gc.collect()
    verify.fact("bytes held", _gelu.bytes_held(), 0)


def exchange_with_torch(x, there):
    """Where PyTorch can be imported: its tensors in CPU memory, and on a GPU both ways without a copy."""
    if not importlib.util.find_spec("torch"):
        print("    PyTorch is not installed for this Python: not tried")
        return
    import torch

    forward_is_right("PyTorch's tensor in CPU memory", x, gelu_pybind11.forward(torch.from_numpy(x)))
    if device.is_emulator() or not torch.cuda.is_available():
        print("    PyTorch's tensors in CPU memory are read; it has no CUDA device here")
        return
    tensor = torch.from_dlpack(there)
    verify.fact("PyTorch has our address", tensor.data_ptr(), address_of(there))
    y = torch.from_dlpack(gelu_pybind11.forward(torch.from_numpy(x).cuda()))
    forward_is_right("PyTorch's tensor on the device", x, y.cpu().numpy())
    print("    PyTorch's tensors on the device: both ways, the same address")


def other_thread_runs(wait, milliseconds):
    """This thread waits in `wait` for work that stands behind a gate, and another one opens the gate. Unless it does
    not get to run: then the gate gives up waiting."""
    may_go = threading.Lock()
    may_go.acquire()
    other = threading.Thread(target=lambda: (may_go.acquire(), _gelu.release()))
    other.start()
    _gelu.hold(milliseconds)
    may_go.release()
    wait()
    other.join()
    return not _gelu.gave_up()


def gil7(seed):
    """call_guard<gil_scoped_release> gives the GIL back for the time of a call; without it other threads stand still."""
    # Python takes the GIL from a thread after 5 ms; here only a call may give it away.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(60)
    for wait, milliseconds, expected in ((_gelu.synchronize, 10000, True), (_gelu.synchronize_with_gil, 100, False)):
        runs = other_thread_runs(wait, milliseconds)
        verify.fact(f"{wait.__name__}: another thread runs meanwhile", runs, expected)
        print(f"    {wait.__name__}: while one thread waits in it, another one {'runs' if runs else 'does not run'}")
    sys.setswitchinterval(usual)
    x = verify.random(1000, -3, 3, seed)
    with DeviceArray(x) as there, DeviceArray(verify.poisoned(1000)) as y:
        _gelu.hold(10000)
        _gelu.queue_forward(there, y)  # returns, though the gate is closed
        _gelu.release()
        _gelu.synchronize()
        forward_is_right("gil7", x, y.numpy())


def import_total(files, before):
    """What `import total; total.total([1, 2])` says in a folder with these files and no others: its last line."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            shutil.copy(BUILT / "cmake" / "symbols" / file, folder)
        return told_by_python(folder, f"{before}; import total; print('total:', total.total([1, 2]))")


def plain_names(text):
    """With C++ names as c++filt reads them, where it is installed."""
    if not shutil.which("c++filt"):
        return text
    return subprocess.run(["c++filt"], input=text, capture_output=True, text=True).stdout.strip()


def symbols8(seed):
    """A module needs two libraries: tiny, and tiny_python, which has the caster. What is missing is told at import."""
    forgotten, linked = f"forgotten/total{SUFFIX}", f"linked/total{SUFFIX}"
    tiny, caster, preload = "libtiny.so", "libtiny_python.so", BUILT / "cmake/symbols"
    by_hand = "; ".join(f"import ctypes; ctypes.CDLL({str(preload / file)!r})" for file in (tiny, caster))
    cases = (
        ("linked without the library that has the caster", [forgotten, tiny, caster], "pass", r"undefined symbol: \S*type_caster\S*tiny\S*Tensor\S*load"),
        ("linked with it; the libraries are elsewhere", [linked], "pass", r"ImportError: libtiny\w*\.so: cannot open shared object file"),
        ("the same, libraries loaded by somebody else before", [linked], by_hand, r"total: 3\.0"),
        ("the libraries are beside it, where RUNPATH says", [linked, tiny, caster], "pass", r"total: 3\.0"),
        ("libtiny.so has the old std::string", [linked, "old/libtiny.so", caster], "pass", r"undefined symbol: \S*require_values\S*cxx11"),
    )  # fmt: skip
    for what, files, before, wanted in cases:
        said = import_total(files, before)
        verify.fact(what, bool(re.search(wanted, said)), True) or print(f"        {said}")
        print(f"    {what}:\n        {said}")
        plain = plain_names(said)
        if plain != said:
            print(f"        that is {plain.split('undefined symbol: ')[1]}")
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("symbols8", x, _gelu.forward(x))


# ---------------------------------------------------------------- main


def measure(n, seed):
    """Both kernels on arrays that are on the device already."""
    table = bench.Table(8 * n)
    x = verify.random(n, -4, 4, seed)
    with DeviceArray(x) as there, DeviceArray(verify.poisoned(n)) as result:
        table.run("gelu_forward", lambda: _gelu.queue_forward(there, result), n, 8 * n)
        table.run("gelu_backward", lambda: _gelu.queue_backward(there, there, result), n, 12 * n)
        _gelu.synchronize()
    table.finish()


def main():
    options = device.read_options(versions=8)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [wheel1, module2, conversion3, errors4, ownership5, exchange6, gil7, symbols8]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is conversion3 else []))
    if options.version in (0, 3):
        measure(n, options.seed)
    return verify.finish("gelu")


if __name__ == "__main__":
    sys.exit(main())
