"""Lesson 27: CUDA from Python through ctypes. GELU and its derivative, in a library that nvcc builds of gelu.cu.

    make lesson27 run                 every step, verified against the CPU
    make lesson27 run V=3             that step alone; SIZE= and SEED= as everywhere

Each step has one idea:

    names1          which names are in the library, and whose CUDA runtime it has found
    interface2      a C interface: plain types, a return code, and nothing else that comes back
    types3          argtypes and restype, and what becomes of an address without them
    arrays4         NumPy's arrays: type, order in memory, and who keeps them alive
    errors5         a code becomes an exception; an error that comes later
    ownership6      device memory that somebody owns: close, with, and what is forgotten
    asynchronous7   a call that returns before the work is done; the GIL

Nothing here needs a GPU; with one, the same library runs on it.
"""

# library: gelu.cu

import ctypes
import gc
import math
import os
import subprocess
import sys
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p

import numpy as np
from common import bench, device, verify

LIBRARY = os.path.join(os.environ["LESSON_LIBRARIES"], "libgelu.so")
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 20  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])


def gelu_backward_cpu(x, dy):
    below = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])
    wide = x.astype(np.float64)
    return dy * (below + wide * np.exp(-0.5 * wide * wide) / math.sqrt(2 * math.pi))


# ---------------------------------------------------------------- the binding that the steps arrive at


class CudaError(Exception):
    """A call of the library has failed: `code` is CUDA's number."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def declare(library):
    """What gelu.cu says of its functions, said again for ctypes: it cannot read it there."""
    stream = c_void_p
    library.gelu_forward.argtypes = [c_void_p, c_void_p, c_size_t, stream]
    library.gelu_backward.argtypes = [c_void_p, c_void_p, c_void_p, c_size_t, stream]
    library.gelu_allocate.argtypes = [POINTER(c_void_p), c_size_t]
    library.gelu_free.argtypes = [c_void_p]
    library.gelu_allocate_pinned.argtypes = [POINTER(c_void_p), c_size_t]
    library.gelu_free_pinned.argtypes = [c_void_p]
    library.gelu_copy.argtypes = [c_void_p, c_void_p, c_size_t, stream]
    library.gelu_stream_create.argtypes = [POINTER(stream)]
    library.gelu_stream_destroy.argtypes = [stream]
    library.gelu_synchronize.argtypes = [stream]
    library.gelu_hold.argtypes = [stream, c_int]
    library.gelu_error.argtypes, library.gelu_error.restype = [c_int], c_char_p
    library.gelu_bytes_held.argtypes, library.gelu_bytes_held.restype = [], c_size_t
    library.gelu_same_address.argtypes, library.gelu_same_address.restype = [c_void_p], c_void_p
    library.gelu_release.argtypes, library.gelu_release.restype = [], None
    return library


gelu = declare(ctypes.CDLL(LIBRARY))


def check(code):
    if code:
        raise CudaError(code, gelu.gelu_error(code).decode())


class DeviceArray:
    """n floats on the device. Whoever makes one closes it, or lets `with` do so; a forgotten one is freed when it is
    collected."""

    def __init__(self, n):
        made = c_void_p()
        check(gelu.gelu_allocate(byref(made), 4 * n))
        self.n, self.address = n, made.value
        self.close = weakref.finalize(self, gelu.gelu_free, self.address)  # only its first call frees

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @classmethod
    def of(cls, x):
        """A copy of an array of any type and layout."""
        x = np.ascontiguousarray(x, np.float32)
        made = cls(x.size)
        check(gelu.gelu_copy(made.address, x.ctypes.data, x.nbytes, None))
        check(gelu.gelu_synchronize(None))  # from here on x may be freed
        return made

    def numpy(self):
        y = verify.poisoned(self.n)
        check(gelu.gelu_copy(y.ctypes.data, self.address, y.nbytes, None))
        check(gelu.gelu_synchronize(None))  # from here on y is complete
        return y


def forward(x):
    with DeviceArray.of(x) as on_device, DeviceArray(x.size) as result:
        check(gelu.gelu_forward(on_device.address, result.address, x.size, None))
        return result.numpy()


def backward(x, dy):
    with DeviceArray.of(x) as x_there, DeviceArray.of(dy) as dy_there, DeviceArray(x.size) as result:
        check(gelu.gelu_backward(x_there.address, dy_there.address, result.address, x.size, None))
        return result.numpy()


# ---------------------------------------------------------------- the steps

PLAIN, MANGLED = "gelu_plus_plus", "_Z14gelu_plus_plusPKfPfmP11CUstream_st"


def names1(seed):
    """The same kind of function, once extern "C" and once not. And the file that ld.so took for libcudart."""
    library = ctypes.CDLL(LIBRARY)
    for name, there in (("gelu_forward", True), (PLAIN, False), (MANGLED, True)):
        verify.fact(f"{name} is in the library", hasattr(library, name), there)
        print(f"    {name:40} {'is there' if there else 'is not there'}")
    with open("/proc/self/maps") as maps:
        runtimes = {line.split()[-1] for line in maps if "libcudart.so" in line}
    print(f"    libcudart: {' '.join(runtimes)}")
    x = verify.random(1000, -3, 3, seed)
    plus_plus = library[MANGLED]
    plus_plus.argtypes = gelu.gelu_forward.argtypes
    with DeviceArray.of(x) as there, DeviceArray(x.size) as result:
        check(plus_plus(there.address, result.address, x.size, None))
        verify.floats("names1", result.numpy(), gelu_cpu(x), ATOL, RTOL)


def interface2(seed):
    """A mistake of the caller comes back as a number. No text is printed, no program ends, and nothing is thrown."""
    code = gelu.gelu_forward(None, None, 1000, None)
    verify.fact("gelu_forward of no array", code, 1)
    print(f"    gelu_forward(None, None, 1000, None) returns {code}")
    text = gelu.gelu_error(code).decode()
    verify.fact("its text", text, "cudaErrorInvalidValue: invalid argument")
    print(f"    gelu_error({code}) returns the library's text for it: {text}")
    x = verify.random(1000, -3, 3, seed)
    verify.floats("interface2", forward(x), gelu_cpu(x), ATOL, RTOL)


def types3(seed):
    """What ctypes does with an address that it knows nothing about: it passes and returns an int of C, 32 bits."""
    address = 0x7F1234567890
    undeclared = ctypes.CDLL(LIBRARY)  # a second object for the same library, without declarations
    cut = undeclared.gelu_same_address(address)
    whole = gelu.gelu_same_address(address)
    verify.fact("an address without argtypes and restype", cut, 0x34567890)
    verify.fact("library.name is kept", gelu.gelu_same_address is gelu.gelu_same_address, True)
    verify.fact("library[name] is kept", gelu["gelu_same_address"] is gelu["gelu_same_address"], False)
    verify.fact("an address with them", whole, address)
    print(f"    {address:#x} comes back as {cut:#x} without declarations, as {whole:#x} with them")
    for wrong in (1.5, [1.5]):
        try:
            gelu.gelu_same_address(wrong)
            refused = "nothing"
        except ctypes.ArgumentError as error:
            refused = type(error).__name__
        verify.fact(f"{wrong!r} for an address", refused, "ArgumentError")
        print(f"    gelu_same_address({wrong!r}) raises {refused}")
    x = verify.random(1000, -3, 3, seed)
    verify.floats("types3", forward(x), gelu_cpu(x), ATOL, RTOL)


def as_it_lies(x):
    """The mistake: it reads n contiguous floats from x's address on, whatever x's type and strides are."""
    with DeviceArray(x.size) as there, DeviceArray(x.size) as result:
        check(gelu.gelu_copy(there.address, x.ctypes.data, 4 * x.size, None))
        check(gelu.gelu_forward(there.address, result.address, x.size, None))
        return result.numpy()


def arrays4(seed, sizes):
    """An address says neither type nor order. And it keeps nothing alive."""
    x = verify.random(1000, 1, 3, seed)
    every_second = x[::2]
    verify.floats("x[::2] as it lies is x[:500]", as_it_lies(every_second), gelu_cpu(x[:500]), ATOL, RTOL)
    verify.floats("x[::2] copied together", forward(every_second), gelu_cpu(every_second), ATOL, RTOL)
    print(f"    x[::2] has strides of {every_second.strides[0]} bytes; read as it lies, it is x[:500]")

    only_float32 = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")
    for wrong in (every_second, x.astype(np.float64)):
        try:
            only_float32.from_param(wrong)
            refused = "nothing"
        except TypeError as error:
            refused = str(error)
        print(f"    ndpointer refuses {wrong.dtype}, strides {wrong.strides}: {refused}")
        verify.fact("ndpointer refuses it", refused != "nothing", True)

    read_only = np.zeros_like(x)
    read_only.flags.writeable = False
    ctypes.memmove(read_only.ctypes.data, x.ctypes.data, x.nbytes)
    verify.fact("C has written to a read-only array", bool((read_only == x).all()), True)
    print("    C code overwrites an array with flags.writeable = False: an address does not say that it is read-only")

    for keeps, take in ((False, lambda a: a.ctypes.data), (True, lambda a: a.ctypes.data_as(c_void_p))):
        temporary = x * 2
        watched = weakref.ref(temporary)
        address = take(temporary)
        del temporary
        verify.fact("the array behind an address lives", watched() is not None, keeps)
        print(f"    behind {type(address).__name__:8} the array {'lives on' if keeps else 'is gone'}")

    for n in sizes:
        x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
        looked_at = slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)
        y, dx = forward(x)[looked_at], backward(x, dy)[looked_at]
        x, dy = x[looked_at], dy[looked_at]
        verify.floats("gelu_forward", y, gelu_cpu(x), ATOL, RTOL)
        verify.floats("gelu_backward", dx, gelu_backward_cpu(x, dy), ATOL, RTOL)


def child_with_late_error():
    """What errors5 has done by a process of its own, since nothing works behind such an error."""
    nobody = 256  # a float's address on a page that nobody has; with more bits it may be somebody's on a GPU
    codes = [gelu.gelu_forward(nobody, nobody, 1000, None), gelu.gelu_synchronize(None)]
    made = c_void_p()
    codes.append(gelu.gelu_allocate(byref(made), 4))
    print(*codes)


def errors5(seed):
    """A code that is looked at becomes an exception. What happens in a kernel is told by a later call, and by every one
    after that."""
    try:
        check(gelu.gelu_forward(None, None, 1000, None))
        raised = None
    except CudaError as error:
        raised = f"{error.code}, {error}"
    verify.fact("the exception", raised, "1, cudaErrorInvalidValue: invalid argument")
    print(f"    CudaError: {raised}")
    # Whoever checks or profiles this process is not to see the mistake that the other one makes on purpose.
    watched = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(watched)}
    plain.update(CHILD="late_error", EMULATOR_QUIET="1")
    child = subprocess.run([sys.executable, "-B", __file__], env=plain, capture_output=True, text=True)
    verify.fact("launch, synchronize, allocate", child.stdout.split(), ["0", "700", "700"])
    print(f"    a bad address: launch, synchronize, allocate return {' '.join(child.stdout.split())}")
    x = verify.random(1000, -3, 3, seed)
    verify.floats("errors5", forward(x), gelu_cpu(x), ATOL, RTOL)


def ownership6(seed):
    """The library counts what it has given out: three ways to give it back, each of them once."""
    gc.collect()
    verify.fact("bytes held before", gelu.gelu_bytes_held(), 0)
    x = verify.random(1000, -3, 3, seed)
    with DeviceArray.of(x):
        inside = gelu.gelu_bytes_held()
    verify.fact("bytes held in and behind with", (inside, gelu.gelu_bytes_held()), (4000, 0))
    print(f"    in the with block {inside} bytes are held, behind it {gelu.gelu_bytes_held()}")
    closed = DeviceArray.of(x)
    closed.close()
    closed.close()  # the second call does nothing
    forgotten = DeviceArray.of(x)
    held = gelu.gelu_bytes_held()
    del forgotten  # nobody closes it
    gc.collect()
    verify.fact("bytes held by a forgotten array", (held, gelu.gelu_bytes_held()), (4000, 0))
    print(f"    a forgotten array holds {held} bytes, and {gelu.gelu_bytes_held()} once Python has collected it")
    verify.floats("ownership6", forward(x), gelu_cpu(x), ATOL, RTOL)


def other_thread_runs(library, stream, milliseconds):
    """This thread waits in the library for work that stands behind a gate, and another one opens the gate. Unless it
    does not get to run: then the gate gives up waiting."""
    may_go = threading.Lock()
    may_go.acquire()
    other = threading.Thread(target=lambda: (may_go.acquire(), library.gelu_release()))
    other.start()
    check(library.gelu_hold(stream, milliseconds))
    may_go.release()
    check(library.gelu_synchronize(stream))
    other.join()
    return not library.gelu_gave_up()


def asynchronous7(seed):
    """The call returns, the work is not done. And while a thread waits in a call, others run: CDLL has given the GIL
    back, PyDLL has not."""
    n = 1000
    x, stream, pinned = verify.random(n, -3, 3, seed), c_void_p(), c_void_p()
    check(gelu.gelu_stream_create(byref(stream)))
    check(gelu.gelu_allocate_pinned(byref(pinned), 4 * n))
    y = verify.poison(np.frombuffer((ctypes.c_float * n).from_address(pinned.value), np.float32))
    with DeviceArray.of(x) as there, DeviceArray(n) as result:
        check(gelu.gelu_hold(stream, 10000))
        check(gelu.gelu_forward(there.address, result.address, n, stream))
        check(gelu.gelu_copy(pinned, result.address, 4 * n, stream))
        untouched = bool(verify.is_poison(y).all())
        gelu.gelu_release()
        check(gelu.gelu_synchronize(stream))
    verify.fact("nothing has been written when the calls have returned", untouched, True)
    verify.floats("asynchronous7", y, gelu_cpu(x), ATOL, RTOL)
    print("    forward and copy have returned, and y is still poison; after synchronize it is right")
    del y  # a view of memory that goes now
    check(gelu.gelu_free_pinned(pinned))

    # Python takes the GIL from a thread after 5 ms; here only a call may give it away.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(60)
    for loader, milliseconds, expected in ((ctypes.CDLL, 10000, True), (ctypes.PyDLL, 100, False)):
        runs = other_thread_runs(declare(loader(LIBRARY)), stream, milliseconds)
        verify.fact(f"{loader.__name__}: another thread runs meanwhile", runs, expected)
        print(
            f"    {loader.__name__:5}: while one thread waits in a call, another one {'runs' if runs else 'does not run'}"
        )
    sys.setswitchinterval(usual)
    check(gelu.gelu_stream_destroy(stream))


# ---------------------------------------------------------------- main


def measure(n, seed):
    """Both kernels on arrays that are on the device already."""
    table = bench.Table(8 * n)
    x = verify.random(n, -4, 4, seed)
    with DeviceArray.of(x) as there, DeviceArray(n) as result:
        table.run("gelu_forward", lambda: gelu.gelu_forward(there.address, result.address, n, None), n, 8 * n)
        backward_of_ones = (there.address, there.address, result.address, n, None)
        table.run("gelu_backward", lambda: gelu.gelu_backward(*backward_of_ones), n, 12 * n)
    table.finish()


def main():
    options = device.read_options(versions=7)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [names1, interface2, types3, arrays4, errors5, ownership6, asynchronous7]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is arrays4 else []))
    if options.version in (0, 4):
        measure(n, options.seed)
    return verify.finish("gelu")


if __name__ == "__main__":
    if os.environ.get("CHILD") == "late_error":
        child_with_late_error()
    else:
        sys.exit(main())
