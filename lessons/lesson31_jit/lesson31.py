"""Lesson 31: compile at call. call_jit("gelu", x) compiles its kernel when it is called, for what it is called with.

    make lesson31 run                 every step, verified against the CPU
    make lesson31 run V=3             that step alone; SIZE= and SEED= as everywhere

Each step has one idea:

    compile1        source text becomes machine code within this process, by NVRTC, and runs
    errors2         the compiler's words, with the line of the file in which the mistake stands
    types3          one source for four types of numbers
    specialize4     what a kernel is compiled for, and what it gets as an argument
    disk5           a cache on disk, and what belongs into its key
    processes6      several processes at once, and entries that are damaged
    nvcc7           the second way: nvcc, as a program that is started

The device code is gelu.cu, read as text. loader.cu is the part in C: it loads and launches.
"""

# kernels: gelu.cu -DNUMBER=float -DWIDTH=4
# library: loader.cu
# sizes: 0 1 33 1025

import contextlib
import ctypes
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from glob import glob

import numpy as np
from common import bench, device, record, verify

FOLDER = os.environ.get("LESSON_FOLDER") or os.path.dirname(os.path.abspath(__file__))
LIBRARIES = os.environ["LESSON_LIBRARIES"]
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 15  # elements that are verified of a larger array
BLOCK = 256

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])


def gelu_backward_cpu(x, dy):
    below = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()])
    wide = x.astype(np.float64)
    return dy * (below + wide * np.exp(-0.5 * wide * wide) / math.sqrt(2 * math.pi))


# ---------------------------------------------------------------- the compilers: source text in, an image out


class CompileError(Exception):
    """The compiler's own words."""


class Nvrtc:
    """NVIDIA's compiler as a library. The image is machine code for one architecture."""

    def __init__(self):
        self.library = self.find()
        major, minor = c_int(), c_int()
        if not self.library or self.library.nvrtcVersion(byref(major), byref(minor)):
            raise FileNotFoundError("there is no NVRTC: neither in the toolkit nor among Python's packages")
        self.version = f"NVRTC {major.value}.{minor.value}"

    def find(self):
        """The toolkit's, by the search path of libraries; or that of NVIDIA's package for Python. It has to be as old
        as the CUDA runtime, by its major version, and so has the driver that loads what it makes."""
        name = "libnvrtc.so." + os.environ["CUDA_RUNTIME"].split(".")[-1]
        folders = [folder for place in sys.path for folder in glob(os.path.join(place, "nvidia", "cu*", "lib"))]
        for path in [name, *(os.path.join(folder, name) for folder in folders)]:
            with contextlib.suppress(OSError):
                for part in glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")) if "/" in path else []:
                    ctypes.CDLL(part)  # NVRTC asks for it by its name
                return ctypes.CDLL(path)
        return None

    def compile(self, source, flags, arch):
        nvrtc, program = self.library, c_void_p()
        words = [flag.encode() for flag in (*flags, f"--gpu-architecture={arch}")]
        self.must(nvrtc.nvrtcCreateProgram(byref(program), source.encode(), b"source.cu", 0, None, None))
        try:
            code = nvrtc.nvrtcCompileProgram(program, len(words), (c_char_p * len(words))(*words))
            if code:
                raise CompileError(self.text(program, "ProgramLog").rstrip(b"\0\n").decode())
            return self.text(program, "CUBIN")
        finally:
            nvrtc.nvrtcDestroyProgram(byref(program))

    def text(self, program, what):
        """NVRTC's way to hand out bytes: first how many, then into memory of the caller's."""
        size = c_size_t()
        self.must(getattr(self.library, f"nvrtcGet{what}Size")(program, byref(size)))
        memory = ctypes.create_string_buffer(size.value)
        self.must(getattr(self.library, f"nvrtcGet{what}")(program, memory))
        return memory.raw

    def must(self, code):
        if code:
            self.library.nvrtcGetErrorString.restype = c_char_p
            raise CompileError(self.library.nvrtcGetErrorString(code).decode())


class Nvcc:
    """The same by a program: files in, a file out. The image is a fat binary of machine code, if there is a GPU, and
    PTX."""

    def __init__(self):
        self.path = nvcc_path()
        told = subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = "nvcc " + told[told.index("release") :].split()[1].rstrip(",")

    def compile(self, source, flags, arch):
        number = arch.removeprefix("sm_")
        images = f"compute_{number}" if device.is_emulator() else f"[sm_{number},compute_{number}]"
        target = ["-fatbin", "-gencode", f"arch=compute_{number},code={images}"]
        with tempfile.TemporaryDirectory() as folder:
            given, made = os.path.join(folder, "source.cu"), os.path.join(folder, "image.fatbin")
            with open(given, "w", encoding="utf-8") as file:
                file.write(source)
            words = [self.path, *target, *flags, given, "-o", made]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                raise CompileError((done.stdout + done.stderr).rstrip("\n"))
            with open(made, "rb") as file:
                return file.read()


def nvcc_path():
    return shutil.which(os.environ.get("NVCC") or "nvcc") or "nvcc"


_headers = None


def header_folder():
    """Where cuda_fp16.h lies: nvcc knows."""
    global _headers
    if _headers is None:
        told = subprocess.run([nvcc_path(), "--dryrun", "-E", "-x", "cu", "/dev/null"], capture_output=True, text=True)
        folders = [word.strip('"')[2:] for word in told.stderr.split() if word.startswith(('"-I', "-I"))]
        has = [folder for folder in folders if os.path.exists(os.path.join(folder, "cuda_fp16.h"))]
        _headers = os.path.realpath(has[0]) if has else ""
    return _headers


def best_compiler():
    try:
        return Nvrtc()
    except FileNotFoundError:
        return Nvcc()


# ---------------------------------------------------------------- the cache on disk


class Cache:
    """An image for each key. A file is written under a name of its own and then renamed: who opens an entry finds all
    of it, or none. Its first 64 characters are a checksum of the rest."""

    def __init__(self, folder):
        self.folder = folder
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)

    def path(self, key):
        return os.path.join(self.folder, key)

    def read(self, key):
        """The image; None if there is none, or if it is damaged."""
        try:
            with open(self.path(key), "rb") as file:
                told, image = file.read(64), file.read()
        except OSError:
            return None
        return image if told == self.checksum(key, image) else None

    def write(self, key, image):
        temporary = None
        try:
            descriptor, temporary = tempfile.mkstemp(dir=self.folder, prefix="new-")
            with open(descriptor, "wb") as file:
                file.write(self.checksum(key, image) + image)
            os.replace(temporary, self.path(key))
        except OSError:  # the disk is full or not writable: then the image is not cached
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    def checksum(self, key, image):
        """The key is part of it: a file under another one's name is damaged, too."""
        return hashlib.sha256(key.encode() + image).hexdigest().encode()


def key_of(source, flags, arch, version):
    """Everything that decides what comes out. JSON keeps the parts apart: flags "-DA", "B" are not "-DAB"."""
    return hashlib.sha256(json.dumps([source, list(flags), arch, version]).encode()).hexdigest()


# ---------------------------------------------------------------- the loader, in C

loader = ctypes.CDLL(os.path.join(LIBRARIES, "libloader.so"))
loader.loader_load.argtypes = [c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p)]
loader.loader_unload.argtypes = loader.loader_free.argtypes = [c_void_p]
loader.loader_launch.argtypes = [c_void_p, c_uint, c_uint, POINTER(c_void_p)]
loader.loader_allocate.argtypes = [POINTER(c_void_p), c_size_t]
loader.loader_copy.argtypes = [c_void_p, c_void_p, c_size_t]
loader.loader_error.argtypes, loader.loader_error.restype = [c_int], c_char_p


def check(code):
    if code:
        raise RuntimeError(loader.loader_error(code).decode())


class Kernel:
    def __init__(self, image, name):
        library, kernel = c_void_p(), c_void_p()
        check(loader.loader_load(image, name.encode(), byref(library), byref(kernel)))
        self.handle, self.unload = kernel.value, weakref.finalize(self, loader.loader_unload, library.value)

    def launch(self, threads, *arguments):
        """An argument has a type of ctypes; what is handed over is its address."""
        addresses = (c_void_p * len(arguments))(*(ctypes.addressof(one) for one in arguments))
        check(loader.loader_launch(self.handle, (threads + BLOCK - 1) // BLOCK, BLOCK, addresses))


class DeviceArray:
    """n numbers on the device, in a `with`."""

    def __init__(self, n, storage):
        made = c_void_p()
        self.n, self.storage = n, np.dtype(storage)
        check(loader.loader_allocate(byref(made), n * self.storage.itemsize))
        self.address, self.close = made.value, weakref.finalize(self, loader.loader_free, made.value)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @classmethod
    def of(cls, x):
        x = np.ascontiguousarray(x)
        made = cls(x.size, x.dtype)
        check(loader.loader_copy(made.address, x.ctypes.data, x.nbytes))
        return made

    def numpy(self):
        y = verify.poisoned(self.n, self.storage)
        check(loader.loader_copy(y.ctypes.data, self.address, y.nbytes))
        return y


# ---------------------------------------------------------------- compile at call

# What C++ calls the type, where that is declared, and what NumPy keeps such numbers in. NumPy has no bfloat16.
TYPES = {
    "float32": ("float", None, np.float32),
    "float64": ("double", None, np.float64),
    "float16": ("__half", "cuda_fp16.h", np.float16),
    "bfloat16": ("__nv_bfloat16", "cuda_bf16.h", np.uint16),
}


def width_for(itemsize, n, addresses):
    """How many numbers a thread takes: 16 bytes of them, if every pack is whole and lies where 16 bytes may be loaded
    at once."""
    width = 16 // itemsize
    return width if n % width == 0 and all(address % 16 == 0 for address in addresses) else 1


class Jit:
    """Kernels by what they are compiled for. `events` counts where they came from."""

    def __init__(self, folder, compiler=None):
        self.compiler, self.cache, self.kernels = compiler or best_compiler(), Cache(folder), {}
        self.arch = f"sm_{device.attribute(75)}{device.attribute(76)}"
        self.events = {"compiled": 0, "from disk": 0, "from memory": 0}
        self.milliseconds = []  # of each compilation, on this machine's CPU

    def count(self, event):
        self.events[event] += 1

    def image(self, source, flags):
        """From disk, or else compiled."""
        # What the emulator's NVRTC calls machine code is none for a GPU.
        version = self.compiler.version + (" for the emulator" if device.is_emulator() else "")
        key = key_of(source, flags, self.arch, version)
        image = self.cache.read(key)
        if image is not None:
            self.count("from disk")
            return image
        start = time.perf_counter()
        image = self.compiler.compile(source, flags, self.arch)
        self.milliseconds.append(1e3 * (time.perf_counter() - start))
        self.count("compiled")
        self.cache.write(key, image)
        return image

    def kernel(self, name, dtype, width, flags=()):
        """From memory, if this process has it loaded."""
        asked = (name, dtype, width, *flags)
        if asked in self.kernels:
            self.count("from memory")
        else:
            number, header, _ = TYPES[dtype]
            more = [f"-DHEADER=<{header}>", f"-I{header_folder()}"] if header else []
            words = ["-std=c++17", "-lineinfo", f"-DNUMBER={number}", f"-DWIDTH={width}", *more, *flags]
            self.kernels[asked] = Kernel(self.image(source_of(os.path.join(FOLDER, "gelu.cu")), words), name)
        return self.kernels[asked]

    def call_on_device(self, name, n, dtype, addresses, flags=()):
        """Inputs and, as the last one, the result: addresses on the device."""
        if n:
            width = width_for(np.dtype(TYPES[dtype][2]).itemsize, n, addresses)
            pointers = [c_void_p(address) for address in addresses]
            self.kernel(name, dtype, width, flags).launch(n // width, *pointers, c_size_t(n // width))

    def call(self, name, *arrays, dtype=None, flags=()):
        """Arrays of the CPU in, a new one out."""
        dtype = dtype or arrays[0].dtype.name
        if dtype not in TYPES or any(a.dtype != TYPES[dtype][2] or a.shape != arrays[0].shape for a in arrays):
            raise TypeError(f"{name} takes arrays of one shape and of one type of {', '.join(TYPES)}")
        with contextlib.ExitStack() as stack:
            there = [stack.enter_context(DeviceArray.of(a)) for a in arrays]
            there.append(stack.enter_context(DeviceArray(arrays[0].size, arrays[0].dtype)))
            self.call_on_device(name, arrays[0].size, dtype, [one.address for one in there], flags)
            return there[-1].numpy().reshape(arrays[0].shape)


_jit = None


def call_jit(name, *arrays, dtype=None, flags=()):
    """What a program calls: with one Jit, whose folder stays when the program ends."""
    global _jit
    _jit = _jit or Jit(os.path.join(LIBRARIES, "cache"))
    return _jit.call(name, *arrays, dtype=dtype, flags=flags)


def source_of(path, text=None):
    """A file's text, or a piece of it, which begins by saying where it stands: so the compiler names that place."""
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    line = 1 if text is None else whole[: whole.index(text)].count("\n") + 1
    return f'#line {line} "{path}"\n{text or whole}'


# ---------------------------------------------------------------- the steps


def fresh(stack, compiler=None):
    """A Jit with a cache of its own, which is empty, and gone behind the step."""
    return Jit(stack.enter_context(tempfile.TemporaryDirectory(dir=LIBRARIES)), compiler)


def told(jit):
    return ", ".join(f"{count} {event}" for event, count in jit.events.items())


def compile1(seed):
    """Text becomes machine code, and the machine code a kernel. The second call has it."""
    x = verify.random(1000, -3, 3, seed)
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        print(f"    {jit.compiler.version}, {jit.arch}")
        for call in "first", "second":
            verify.floats("compile1", jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
            print(f"    {call} call: {told(jit)}")
        verify.fact("two calls", jit.events, {"compiled": 1, "from disk": 0, "from memory": 1})
        print(f"    the compilation took {jit.milliseconds[0]:.0f} ms of this machine's CPU")
        record.row("compilation", "ms", jit.milliseconds[0], "ms")


MISTAKE = r"""
extern "C" __global__ void twice(const float *x, float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * z[i];
}
"""


def errors2(seed):
    """The text is a string in this file, and the compiler names this file's line. Nothing is kept of what failed."""
    source = source_of(__file__, MISTAKE)
    with open(__file__, encoding="utf-8") as file:
        expected = next(number for number, line in enumerate(file, 1) if line == "        y[i] = 2 * z[i];\n")
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        for _ in range(2):
            try:
                jit.image(source, [])
                words = "nothing"
            except CompileError as error:
                words = str(error)
        for line in words.splitlines()[:3]:
            print(f"    {line}")
        first = words.splitlines()[0]
        verify.fact("the line", os.path.basename(first), f'lesson31.py({expected}): error: identifier "z" is undefined')
        verify.fact("entries", os.listdir(jit.cache.folder), [])
        x = verify.random(1000, -3, 3, seed)
        try:
            jit.call("gelu", x.astype(np.int32))
            words = "nothing"
        except TypeError as error:
            words = str(error)
        print(f"    an array of int32: {words}")
        verify.fact("what is refused is not compiled", (words == "nothing", jit.events["compiled"]), (False, 0))
        verify.floats("errors2", jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)


def to_bfloat16(x):
    """The nearest one, ties to even, by the upper half of a float's bits."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


TOLERANCES = {"float32": (1e-6, 1e-5), "float64": (1e-15, 1e-13), "float16": (1e-6, 1e-3), "bfloat16": (1e-6, 8e-3)}


def types3(seed, sizes):
    """Each type is compiled once, for each operator and width; lengths are arguments."""
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        for dtype, (number, _, storage) in TYPES.items():
            before = len(jit.milliseconds)
            for n in sizes:
                x, dy = verify.random(n, -4, 4, seed), verify.random(n, -1, 1, seed + 1)
                x, dy = (to_bfloat16(a) if dtype == "bfloat16" else a.astype(storage) for a in (x, dy))
                y, dx = jit.call("gelu", x, dtype=dtype), jit.call("gelu_backward", x, dy, dtype=dtype)
                verify_some(dtype, x, dy, y, dx)
            taken = [f"{milliseconds:.0f} ms" for milliseconds in jit.milliseconds[before:]]
            print(f"    {dtype:8}  NUMBER={number:13}  {len(taken)} compiled: {', '.join(taken)}")
            for width, milliseconds in zip(("width 1", "16 bytes"), jit.milliseconds[before:]):  # the shortest array is first
                record.row(dtype, width, milliseconds, "ms")
        print(f"    all together: {told(jit)}")


def verify_some(dtype, x, dy, y, dx):
    some = slice(None) if x.size <= LOOKED_AT else np.linspace(0, x.size - 1, LOOKED_AT).astype(np.int64)
    x, dy, y, dx = (a[some] for a in (x, dy, y, dx))
    if dtype == "bfloat16":
        x, dy, y, dx = (from_bfloat16(a) for a in (x, dy, y, dx))
    verify.floats(f"gelu, {dtype}", y, gelu_cpu(x), *TOLERANCES[dtype])
    verify.floats(f"gelu_backward, {dtype}", dx, gelu_backward_cpu(x, dy), *TOLERANCES[dtype])


def specialize4(seed):
    """What is compiled in, is compiled for. The condition has two answers, so there are two kernels; the length has as
    many as there are lengths."""
    lengths = range(1, 41)
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        for n in lengths:
            x = verify.random(n, -3, 3, seed + n)
            verify.floats("specialize4", jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
        print(f"    by the condition: {len(lengths)} lengths, {told(jit)}")
        verify.fact("by the condition", jit.events["compiled"], 2)

        x = verify.random(1001, -3, 3, seed)
        with DeviceArray.of(x) as there, DeviceArray.of(verify.poisoned(1001)) as result:
            for offset in (
                0,
                1,
            ):  # 1000 numbers from the first one, or from the second one on, which begins 4 bytes later
                addresses = [one.address + 4 * offset for one in (there, result)]
                jit.call_on_device("gelu", 1000, "float32", addresses)
                print(f"    1000 numbers, {4 * offset} bytes into the array: width {width_for(4, 1000, addresses)}")
                found = result.numpy()[offset : offset + 1000]
                verify.floats("an address that is not aligned", found, gelu_cpu(x[offset : offset + 1000]), 1e-6, 1e-5)

        jit = fresh(stack)
        for n in lengths[:8]:
            x = verify.random(n, -3, 3, seed + n)
            verify.floats("specialize4", jit.call("gelu", x, flags=[f"-DLENGTH={n}"]), gelu_cpu(x), 1e-6, 1e-5)
        print(f"    the length compiled in: 8 lengths, {told(jit)}")
        verify.fact("by the length", jit.events["compiled"], 8)


def disk5(seed):
    """A new Jit with an old folder is what the next process is: it compiles nothing. Everything in the key makes a new
    entry when it changes."""
    x = verify.random(1000, -3, 3, seed)
    with contextlib.ExitStack() as stack:
        first = fresh(stack)
        folder = first.cache.folder
        other = Jit(folder)
        other.compiler.version += " of tomorrow"
        for words, jit, flags in (
            ("first", first, []),
            ("the same folder", Jit(folder), []),
            ("--use_fast_math", Jit(folder), ["--use_fast_math"]),
            ("another compiler", other, []),
            ("a last one", Jit(folder), ["--use_fast_math"]),
        ):
            y = jit.call("gelu", x, flags=flags)
            verify.floats(words, y, gelu_cpu(x), *((1e-5, 1e-4) if flags else (1e-6, 1e-5)))
            from_disk = words in ("the same folder", "a last one")
            verify.fact(words, (jit.events["compiled"], jit.events["from disk"]), (1 - from_disk, int(from_disk)))
            print(f"    {words:16}  {told(jit)}, {len(os.listdir(folder))} entries")
        key, again = (key_of("text", flags, "sm_75", "1") for flags in (["-DA", "B"], ["-DAB"]))
        verify.fact("-DA B and -DAB have one key", key == again, False)
    verify.floats("call_jit", call_jit("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
    print(f"    call_jit, whose folder stays: {told(_jit)}")


def child_in_folder(folder):
    """What processes6 starts several of: waits until all are there, then calls once."""
    jit, x = Jit(folder), verify.random(1000, -3, 3, 1)
    print("ready", flush=True)
    sys.stdin.readline()
    verify.floats("a process", jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
    verify.finish(json.dumps(jit.events))


def processes6(seed):
    """Three processes at once, in an empty folder; then entries that are damaged, one way after the other."""
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        folder, x = jit.cache.folder, verify.random(1000, -3, 3, seed)
        # Whoever checks or profiles this process has the same done by the others, if he starts them himself.
        plain = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
        plain.update(CHILD=folder, EMULATOR_QUIET="1")
        words = [sys.executable, "-B", __file__]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": plain}
        others = [stack.enter_context(subprocess.Popen(words, **pipes)) for _ in range(3)]
        for other in others:
            other.stdout.readline()
        for other in others:
            other.stdin.write("go\n")
            other.stdin.flush()
        last = [other.communicate()[0].splitlines()[-1] for other in others]
        right = sum(line.startswith("PASS") for line in last)
        verify.fact("processes that were right", right, 3)
        entries = os.listdir(folder)
        verify.fact("entries, and nothing that is unfinished", (len(entries), entries[0][:4] != "new-"), (1, True))
        print(f"    3 processes at once: {right} right, {len(entries)} entry")

        path = os.path.join(folder, entries[0])
        with open(path, "rb") as file:
            whole = file.read()
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        for how, bytes_now in (("whole", whole), ("cut off", whole[:-1]), ("one bit flipped", flipped), ("empty", b"")):
            with open(path, "wb") as file:
                file.write(bytes_now)
            jit = Jit(folder)
            verify.floats(how, jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
            verify.fact(how, jit.events["compiled"], int(how != "whole"))
            again = Jit(folder)
            again.call("gelu", x)
            verify.fact(f"{how}, a call later", again.events["from disk"], 1)
            print(f"    an entry that is {how:15}  {told(jit)}; afterwards {told(again)}")


def nvcc7(seed):
    """The same source, words and cache; only what is between them is another one."""
    x = verify.random(1000, -3, 3, seed)
    with contextlib.ExitStack() as stack:
        jits = [fresh(stack, compiler) for compiler in (best_compiler(), Nvcc())]
        for jit in jits:
            verify.floats(jit.compiler.version, jit.call("gelu", x), gelu_cpu(x), 1e-6, 1e-5)
            size = os.path.getsize(os.path.join(jit.cache.folder, os.listdir(jit.cache.folder)[0]))
            name, taken = jit.compiler.version, jit.milliseconds[0]
            print(f"    {name:12}  {taken:6.0f} ms of this machine's CPU, an entry of {size} bytes")
        try:
            jits[1].image(source_of(__file__, MISTAKE), [])
            words = "nothing"
        except CompileError as error:
            words = str(error)
        verify.fact(
            "nvcc names the line, too", 'error: identifier "z" is undefined' in words and "lesson31.py(" in words, True
        )
        print(f"    {words.splitlines()[0]}")


# ---------------------------------------------------------------- main


def measure(n, seed):
    """The kernels that the calls make, on arrays that are on the device already."""
    table = bench.Table(8 * n)
    floats = verify.random(n, -4, 4, seed)
    with contextlib.ExitStack() as stack:
        jit = fresh(stack)
        for dtype, (_, _, storage) in TYPES.items():
            x = to_bfloat16(floats) if dtype == "bfloat16" else floats.astype(storage)
            there, result = stack.enter_context(DeviceArray.of(x)), stack.enter_context(DeviceArray(n, storage))
            for width in sorted({1, 16 // x.itemsize}):
                kernel = jit.kernel("gelu", dtype, width)
                arguments = [c_void_p(there.address), c_void_p(result.address), c_size_t(n // width)]
                table.run(
                    f"{dtype} x {width}", lambda k=kernel, w=width, a=arguments: k.launch(n // w, *a), n, 2 * x.nbytes
                )
                some = slice(0, LOOKED_AT)
                y = result.numpy()[some]
                given, y = (from_bfloat16(a) if dtype == "bfloat16" else a for a in (x[some], y))
                verify.floats(f"{dtype} x {width}", y, gelu_cpu(given), *TOLERANCES[dtype])
    table.finish()


def main():
    options = device.read_options(versions=7)
    device.print_backend()
    emulated = device.is_emulator()
    sizes = [options.size] if options.size is not None else SIZES + [100003 if emulated else 10000019]
    steps = [compile1, errors2, types3, specialize4, disk5, processes6, nvcc7]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            record.part(step.__name__)
            step(options.seed, *([sizes] if step is types3 else []))
    record.part("")
    if options.version in (0, 3):
        n = options.size if options.size is not None else 100000 if emulated else 1 << 26
        measure(max(8, n // 8 * 8), options.seed)  # whole packs of every type
    return verify.finish("call_jit")


if __name__ == "__main__":
    if os.environ.get("CHILD"):
        child_in_folder(os.environ["CHILD"])
    else:
        sys.exit(main())
