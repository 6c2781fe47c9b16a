"""Lesson 29: CUDA from Python through nanobind. The operator of lesson 28, bound again: smaller, stricter, and with types that tell.

    make lesson29 run                 builds the wheel, installs it, runs every step, verified against the CPU
    make lesson29 run V=3             that step alone; SIZE= and SEED= as everywhere

Each step has one idea:

    wheel1          what pip has built: a module, and a stub that says what is in it
    abi2            the stable ABI: one module for many Pythons, and what mixing says
    arrays3         type, order, shape and device of an array stand in its C++ type
    arguments4      overloads, names, and the message of a TypeError, read
    errors5         exceptions, with what we put into them
    owners6         an array that comes back has an owner: a capsule, or another object
    exchange7       DLPack: what nanobind does of it, and what it leaves to you
    gil8            the GIL stays here, too, until it is given back
    leaks9          nanobind counts what is left at the end, and says so

Nothing here needs a GPU; with one, the same module runs on it. The package is in package/, its kernels are lesson 28's.
"""

# wheel: package VARIANTS=ON
# kernels: ../lesson28_pybind11/package/src/gelu.cu

import ast
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

import gelu_nanobind
import numpy as np
from common import bench, device, verify
from gelu_nanobind import CudaError, _gelu

BUILT = Path(os.environ["LESSON_LIBRARIES"])  # wheel/, installed/, and cmake/ with what CMake has made
LINKED, SPLIT = Path(_gelu.__file__), BUILT / "cmake/variants/split/_gelu.abi3.so"
STABLE = sys.version_info >= (3, 12)  # from there on nanobind can be linked into a module of the stable ABI
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


# ---------------------------------------------------------------- what the steps share


def raised_by(call):
    """The exception that a call ends with, or None."""
    try:
        call()
    except Exception as error:  # whatever it is: the steps compare it
        return error
    return None


def said_by_python(code, folder=None):
    """What another Python prints, line by line. Modules in `folder` come first; with it, those installed beside this
    Python are not found. Whoever checks or profiles this process does not look into that one."""
    left_out = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW", "FORCE_COLOR")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    child = [sys.executable, *(["-I", "-S"] if folder else []), "-c"]
    before = f"import sys; sys.path.insert(0, {str(folder)!r}); " if folder else ""
    told = subprocess.run([*child, before + code], env=plain, capture_output=True, text=True)
    return (told.stdout + told.stderr).strip().split("\n")


def import_copy(module, name, file_name, *others):
    """What is said last when a copy of a module is imported by another name; `others` are files beside it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(module, Path(folder) / file_name)
        for other, text in others:
            (Path(folder) / other).write_text(text)
        said = said_by_python(f"import {name}; print(type({name}.forward).__name__)", folder)
        return said[-1].replace(folder + "/", "")


def bytes_left():
    gc.collect()
    return _gelu.bytes_held()


# ---------------------------------------------------------------- the steps


def wheel1(seed):
    """Beside the module lies a stub, _gelu.pyi: what editors and type checkers read, since they cannot read a .so."""
    (wheel,) = (BUILT / "wheel").glob("*.whl")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = wheel.stem.split("-")[2:4]
    verify.fact("what the wheel is for", tags, ["cp312", "abi3"] if STABLE else [python, python])
    print(f"    {wheel.name}: for {tags[0]}, ABI {tags[1]}")
    inside = zipfile.ZipFile(wheel)
    for file in sorted(inside.namelist()):
        print(f"        {file}")
    verify.fact("what the lesson compares is not in it", any("backend" in file for file in inside.namelist()), False)
    stub = inside.read("gelu_nanobind/_gelu.pyi").decode()
    functions = [node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    verify.fact("overloads of forward in the stub", len(functions), 2)
    print(f"    {ast.unparse(functions[0]).splitlines()[1]}")
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "nanobind.stubgen", "-q", "-m", "gelu_nanobind._gelu", "-O", folder]
        subprocess.run([sys.executable, *command], check=True)
        again = (Path(folder) / "_gelu.pyi").read_text()
    verify.fact("stubgen makes the same again", again == stub, True)
    other = import_copy(LINKED, "other", "other" + LINKED.name.removeprefix("_gelu"))
    verify.fact("PyInit of a renamed module", other, "ImportError: dynamic module does not define module export function (PyInit_other)")
    print(f"    copied to other….so: {other}")
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("wheel1", x, gelu_nanobind.forward(x))


def private_symbols(module):
    """What a module asks of Python that the stable ABI does not promise: names that begin with _Py and a capital letter, but
    for those with which Python's headers make objects."""
    names = subprocess.run(["nm", "-D", "--undefined-only", str(module)], capture_output=True, text=True, check=True).stdout.split()
    return sorted(name for name in names if re.match(r"_Py[A-Z](?!bject_(GC_)?New)", name))


def abi2(seed):
    """A module of the stable ABI asks Python only for what every later Python has, too."""
    print(f"    suffixes of modules, for this Python: {' '.join(importlib.machinery.EXTENSION_SUFFIXES)}")
    own = ".abi3.so" if STABLE else sysconfig.get_config_var("EXT_SUFFIX")
    verify.fact("the module's file", LINKED.name, f"_gelu{own}")
    for name, module in (("linked", LINKED), ("split", SPLIT)):
        print(f"    {name}: {module.name}, asks for {' '.join(private_symbols(module)) or 'nothing private'}")
    verify.fact("private symbols of the split module", private_symbols(SPLIT), [])
    verify.fact("the linked module has private symbols", bool(private_symbols(LINKED)), not STABLE)
    # Kernels, however many GPUs they are for, and all else is the same in both.
    own_code = LINKED.stat().st_size - SPLIT.stat().st_size
    verify.fact("without nanobind's own code the module is smaller, by 80 KB or more", own_code >= 80000, True)

    backend = str(Path(importlib.util.find_spec("nanobind_backend").origin).parents[1])
    works = said_by_python(f"import sys; sys.path[:0] = [{str(SPLIT.parent)!r}, {backend!r}]; import _gelu; print(_gelu.fail(0), _gelu.__file__.split('/')[-1])")  # fmt: skip
    verify.fact("the split module runs here", works, ["None _gelu.abi3.so"])
    alone = import_copy(SPLIT, "_gelu", SPLIT.name)
    verify.fact("without the backend", "the nanobind backend module 'nanobind_backend' is not installed" in alone, True)
    print(f"    split, without the package nanobind-backend: {alone}")
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = (BUILT / "wheel").glob("*.whl")
        newer = Path(folder) / "gelu_nanobind-1.0-cp399-abi3-linux_x86_64.whl"
        shutil.copy(wheel, newer)
        command = ["-m", "pip", "--no-color", "install", "--no-index", "--no-deps", "--target", folder, str(newer)]
        pip = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        said = next((line for line in pip.stderr.splitlines() if line.startswith("ERROR")), "")
    verify.fact("a wheel for a newer Python", said, f"ERROR: {newer.name} is not a supported wheel on this platform.")
    print(f"    {said}")
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("abi2", x, gelu_nanobind.forward(x))


def arrays3(seed, sizes):
    """ndarray<const float, c_contig, device::cpu>: what an array must be. An array that is not is converted, or refused."""
    x = verify.random(1000, 1, 3, seed)
    for what, given in (("x[::2]", x[::2]), ("float64", x.astype(np.float64))):
        forward_is_right(f"forward of {what}", np.asarray(given, np.float32), _gelu.forward(given))
        refused = raised_by(lambda given=given: _gelu.forward_of_floats(given))
        verify.fact(f"forward_of_floats of {what}", type(refused).__name__, "TypeError")
        print(f"    {what}: forward has a copy made, forward_of_floats raises a TypeError")
    verify.fact("a list is no array", type(raised_by(lambda: _gelu.forward([1, 2.5]))).__name__, "TypeError")
    print("    a list: forward raises a TypeError; pybind11 made an array of it")
    verify.fact("points of 1000 numbers", type(raised_by(lambda: _gelu.forward_of_points(x))).__name__, "TypeError")
    points = x[:999].reshape(333, 3)
    forward_is_right("points", points, _gelu.forward_of_points(points))
    print("    shape<-1, 3>: 333 x 3 is taken, 1000 is not: a shape is never converted")
    locked, y = x.copy(), verify.poisoned(1000)
    locked.flags.writeable = False
    forward_is_right("an array that may only be read", locked, _gelu.forward(locked))
    for what, out in (("an array that may only be read", locked), ("float64", x.astype(np.float64)), ("x[::2]", x[::2])):
        refused = type(raised_by(lambda out=out: _gelu.forward_into(x[: out.size], out=out))).__name__
        verify.fact(f"out is {what}", refused, "TypeError")
    _gelu.forward_into(x, out=y)
    forward_is_right("forward_into", x, y)
    print("    out: refused if it is read-only, float64 or has gaps; nothing is ever written to a copy")
    two = verify.random((30, 7), -3, 3, seed).T
    forward_is_right("two dimensions, transposed", two, _gelu.forward(two))
    for n in sizes:
        x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
        looked_at = slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)
        y, dx = gelu_nanobind.forward(x)[looked_at], gelu_nanobind.backward(x, dy)[looked_at]
        x, dy = x[looked_at], dy[looked_at]
        forward_is_right("forward", x, y)
        verify.floats("backward", dx, gelu_backward_cpu(x, dy), ATOL, RTOL)


def arguments4(seed):
    """One name, two functions: the one whose types fit is called. First none may convert, then each may."""
    x = verify.random(1000, -3, 3, seed)
    there = _gelu.to_device(x)
    kinds = [type(_gelu.forward(given)).__name__ for given in (x, there)]
    verify.fact("what forward returns", kinds, ["ndarray", "nb_ndarray"])
    print(f"    forward of an array of NumPy returns an {kinds[0]}, of one on the device an {kinds[1]}")
    message = str(raised_by(lambda: _gelu.forward("text")))
    for line in message.split("\n"):
        print(f"    | {line}")
    lines = message.split("\n")
    verify.fact("the message", (lines[0][:44], len(lines), lines[-1]), ("forward(): incompatible function arguments. ", 5, "Invoked with types: str"))  # fmt: skip
    message = str(raised_by(lambda: _gelu.forward_into(x, x)))
    print(f"    forward_into(x, x): {message.splitlines()[-1]}")
    verify.fact("out has no place, only a name", "*, out: " in message, True)
    message = str(raised_by(lambda: _gelu.backward(x, there)))
    print(f"    backward(x, there): {message.splitlines()[-1]}")
    verify.fact("one of each", message.splitlines()[-1], "Invoked with types: ndarray, nanobind.nb_ndarray")
    forward_is_right("arguments4", x, gelu_nanobind.to_numpy(_gelu.forward(x=there)))


def errors5(seed):
    """nb::value_error is ValueError, std::bad_alloc MemoryError; for CudaError nanobind asks a function of ours."""
    x = verify.random(1000, -3, 3, seed)
    error = raised_by(lambda: gelu_nanobind.backward(x, x[:5]))
    verify.fact("arrays of two lengths", repr(error), "ValueError('the arrays must have equally many elements')")
    print(f"    backward(x, x[:5]) raises {error!r}")
    error = raised_by(lambda: _gelu.fail(2))
    told = (type(error), error.code, str(error))
    verify.fact("CudaError", told, (CudaError, 2, "cudaErrorMemoryAllocation: out of memory"))
    print(f"    fail(2) raises {error!r}, its code is {error.code}")
    verify.fact("no error is no exception", raised_by(lambda: _gelu.fail(0)), None)
    forward_is_right("errors5", x, _gelu.forward(x))


def owners6(seed):
    """An ndarray has an address and an owner: any object of Python. While somebody has the array, the owner lives."""
    verify.fact("bytes held before", bytes_left(), 0)
    x = verify.random(1000, -3, 3, seed)
    there = _gelu.to_device(x)
    held = [bytes_left()]
    del there
    held.append(bytes_left())
    verify.fact("memory in a capsule", held, [4000, 0])
    print(f"    to_device: {held[0]} bytes are held, by a capsule; when the array has gone: {held[1]}")
    room = _gelu.Room(1000)
    view = room.array
    verify.fact("a view is no copy", _gelu.address(view), _gelu.address(room.array))
    del room
    held = [bytes_left()]
    _gelu.queue_forward(_gelu.to_device(x), view)
    _gelu.synchronize()
    forward_is_right("a view of what nobody else has", x, gelu_nanobind.to_numpy(view))
    del view
    held.append(bytes_left())
    verify.fact("memory of another object", held, [4000, 0])
    print(f"    room.array, and the room is forgotten: {held[0]} bytes; when the view has gone, too: {held[1]}")
    room = _gelu.Room(1000)
    view = room.array_without_owner
    del room
    left = bytes_left()
    verify.fact("a view without an owner", left, 0)
    print(f"    the same without an owner: {left} bytes. The view has an address, and nothing is there any more")
    y = _gelu.forward(x)
    kept = (type(y.base).__name__, type(y.base.obj).__name__)
    verify.fact("what NumPy's array keeps", kept, ("memoryview", "nb_ndarray"))
    print(f"    what forward(x) returns is NumPy's; its memory is a {kept[1]}'s, whose owner is a capsule")
    forward_is_right("owners6", x, y)


class Producer:
    """An array of another library: it has nothing in common with ours but the two methods of DLPack."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **settings):
        self.asked.append(settings)
        return self.array.__dlpack__(**settings)


def exchange7(seed):
    """nanobind calls __dlpack__, and keeps what it got until the function has returned. It says nothing of streams."""
    x, dy = verify.random(1000, -3, 3, seed), verify.random(1000, -1, 1, seed + 1)
    there, dy_there = gelu_nanobind.to_device(x), gelu_nanobind.to_device(dy)
    other = Producer(there)
    forward_is_right("another library's array", x, _gelu.to_numpy(_gelu.forward(other)))
    verify.fact("how often the producer was asked by two overloads", len(other.asked), 2)
    verify.floats("the way back", _gelu.to_numpy(_gelu.backward(other, dy_there)), gelu_backward_cpu(x, dy), ATOL, RTOL)
    verify.fact("what the producer was told of a stream", [settings.get("stream") for settings in other.asked if "stream" in settings], [])
    print("    forward of an object with __dlpack__ and __dlpack_device__: it was told no stream")
    capsule = other.__dlpack__(stream=1)
    before = repr(capsule).split('"')[1]
    forward_is_right("a capsule, asked for by us", x, _gelu.to_numpy(_gelu.forward(capsule)))
    after = repr(capsule).split('"')[1]
    verify.fact("the name of a capsule before and after", (before, after), ("dltensor", "used_dltensor"))
    verify.fact("a capsule taken twice", type(raised_by(lambda: _gelu.forward(capsule))).__name__, "TypeError")
    print(f"    with a stream: forward(x.__dlpack__(stream=1)) takes the capsule itself, {before}, then {after}")
    error = raised_by(lambda: np.from_dlpack(there))
    verify.fact("NumPy refuses the device's memory", type(error).__name__ in ("BufferError", "RuntimeError", "TypeError"), True)
    print(f"    np.from_dlpack of it: {type(error).__name__}")
    exchange_with_torch(x, there)
    del capsule, there, dy_there, other
    verify.fact("bytes held", bytes_left(), 0)


def exchange_with_torch(x, there):
    """Where PyTorch can be imported: its tensors in CPU memory, and on a GPU both ways without a copy."""
    if not importlib.util.find_spec("torch"):
        print("    PyTorch is not installed for this Python: not tried")
        return
    import torch

    forward_is_right("PyTorch's tensor in CPU memory", x, gelu_nanobind.forward(torch.from_numpy(x)))
    if device.is_emulator() or not torch.cuda.is_available():
        print("    PyTorch's tensors in CPU memory are read; it has no CUDA device here")
        return
    tensor = torch.from_dlpack(there)
    verify.fact("PyTorch has our address", tensor.data_ptr(), _gelu.address(there))
    y = torch.from_dlpack(gelu_nanobind.forward(torch.from_numpy(x).cuda()))
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


def gil8(seed):
    """call_guard<gil_scoped_release> gives the GIL back for the time of a call, as with pybind11."""
    # Python takes the GIL from a thread after 5 ms; here only a call may give it away.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(60)
    for wait, milliseconds, expected in ((_gelu.synchronize, 10000, True), (_gelu.synchronize_with_gil, 100, False)):
        runs = other_thread_runs(wait, milliseconds)
        verify.fact(f"{wait.__name__}: another thread runs meanwhile", runs, expected)
        print(f"    {wait.__name__}: while one thread waits in it, another one {'runs' if runs else 'does not run'}")
    sys.setswitchinterval(usual)
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("gil8", x, _gelu.forward(x))


CIRCLE = """
from gelu_nanobind._gelu import {kind}
hook = {kind}()
hook.call = lambda: hook
"""


def leaks9(seed):
    """Two objects that have each other are freed by Python's garbage collector, if it can look into both."""
    for kind, expected in (("Hook", 0), ("HiddenHook", 1)):
        said = [line for line in said_by_python(CIRCLE.format(kind=kind)) if line]
        told = [line for line in said if line.startswith("nanobind: leaked 1 instances!")]
        verify.fact(f"{kind} in a circle: reports of a leak", len(told), expected)
        print(f"    a {kind} whose function has the {kind}: {'nothing is said' if not said else 'at the end'}")
        for line in said:
            print(f"    | {re.sub('0x[0-9a-f]+', '0x…', line)}")
    x = verify.random(1000, -3, 3, seed)
    forward_is_right("leaks9", x, _gelu.forward(x))


# ---------------------------------------------------------------- main


def measure(n, seed):
    """Both kernels on arrays that are on the device already."""
    table = bench.Table(8 * n)
    there, result = _gelu.to_device(verify.random(n, -4, 4, seed)), _gelu.to_device(verify.poisoned(n))
    table.run("gelu_forward", lambda: _gelu.queue_forward(there, result), n, 8 * n)
    table.run("gelu_backward", lambda: _gelu.queue_backward(there, there, result), n, 12 * n)
    _gelu.synchronize()
    table.finish()


def main():
    options = device.read_options(versions=9)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [wheel1, abi2, arrays3, arguments4, errors5, owners6, exchange7, gil8, leaks9]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is arrays3 else []))
    if options.version in (0, 3):
        measure(n, options.seed)
    return verify.finish("gelu")


if __name__ == "__main__":
    sys.exit(main())
