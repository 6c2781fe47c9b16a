"""runner.py - the child of a grading in Python: it holds the student's file, and neither an expected result nor a
judgement.

    python -I runner.py SOCKET EXERCISE.py CALLS.py CONFINE.so cpu|gpu SECONDS LIBRARIES

CALLS.py, in the grader's folder, calls the student's functions: it has a function for each kind of job, and
load_exercise(path) if the exercise is not a Python module. Jobs and answers are sent over the descriptor SOCKET as
frames (frames.py). Before the student's file is imported, the process drops the privileges that it does not need (confine.cpp).
"""

import ctypes
import gc
import importlib.util
import os
import signal
import socket
import sys
import traceback

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))

GUARD, GUARD_BYTE = 4096, 0xA5
COUNTERS = 3  # launches, warp instructions, thread instructions: the first of emulator.h's struct emulatorCounters
HOST_BYTES = ("copied_in", "read_there", "parameters", "filled", "copied_out")  # its struct emulatorHostBytes


class Watched(ctypes.Structure):
    """emulator.h's struct emulatorArray"""

    _fields_ = (
        ("address", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("input", ctypes.c_uint32),
        ("output", ctypes.c_uint32),
    )


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# By path: a jail may show a file but refuse to list its folder, which `import` would search.
frames = load(os.path.join(HERE, "frames.py"), "frames")
verify = load(os.path.normpath(os.path.join(HERE, "../../common/verify.py")), "verify")


class Array:
    """An array between guard zones, in the layout that the job specifies, such as "F" or "C read-only". Without given
    content it is poisoned."""

    def __init__(self, order, content):
        dtype, shape = np.dtype(order["dtype"]), tuple(order["shape"])
        self.layout, _, access = order.get("layout", "C").partition(" ")
        room = shape[:-1] + (2 * shape[-1],) if self.layout == "columns" else shape
        size = int(np.prod(room)) * dtype.itemsize
        self.memory = np.full(size + 2 * GUARD, GUARD_BYTE, np.uint8)
        inner = self.memory[GUARD : GUARD + size]
        whole = verify.poison(inner).view(dtype)
        if self.layout == "columns":  # every second column of a wider array
            self.array = whole.reshape(room)[..., ::2]
        elif self.layout == "F":  # column by column
            self.array = whole.reshape(room[::-1]).T
        else:
            self.array = whole.reshape(room)
        if content is not None:
            self.array[...] = content
        self.array.flags.writeable = access != "read-only"
        self.before = self.memory.copy()
        self.given = content is not None

    def report(self):
        changed = np.flatnonzero(self.memory != self.before)
        outside = changed[(changed < GUARD) | (changed >= self.memory.size - GUARD)]
        damaged = int(outside[0]) - GUARD if outside.size else None
        return {"damaged": damaged, "changed": bool(self.given and changed.size)}


class Emulator:
    """Data that only the emulator provides; on a GPU nothing."""

    def __init__(self):
        self.cuda = ctypes.CDLL(os.environ["CUDA_RUNTIME"])
        self.there = hasattr(self.cuda, "emulatorName")
        if self.there:
            self.cuda.emulatorVerdict.restype = ctypes.c_char_p

    def start(self, arrays):
        """Starts counting. Copies from given arrays to the device do not count as uploads."""
        if not self.there:
            return
        watched = (Watched * max(1, len(arrays)))()
        for entry, one in zip(watched, arrays):
            entry.address, entry.bytes = one.memory.ctypes.data, one.memory.nbytes
            entry.input, entry.output = int(one.given), int(not one.given)
        self.cuda.emulatorAuthorsStart()
        self.cuda.emulatorWatchArrays(watched, ctypes.c_size_t(len(arrays)))
        self.cuda.emulatorCountersStart()

    def keep_addresses(self):
        """The same as keep_addresses() of runner.cpp."""
        one = ctypes.c_void_p()
        if self.there and self.cuda.cudaMalloc(ctypes.byref(one), ctypes.c_size_t(1)) == 0:
            self.cuda.cudaFree(one)

    def stop(self):
        if not self.there:
            return {}
        values = (ctypes.c_uint64 * COUNTERS)()
        self.cuda.emulatorCountersStop(values, ctypes.c_size_t(ctypes.sizeof(values)))
        host = (ctypes.c_uint64 * len(HOST_BYTES))()
        self.cuda.emulatorHostBytes(host, ctypes.c_size_t(ctypes.sizeof(host)))
        told = dict(zip(HOST_BYTES, host))
        return {
            "launches": values[0],
            "warp_instructions": values[1],
            "instructions": values[2],
            "verdict": self.cuda.emulatorVerdict().decode(),
            "downloaded": told["copied_out"],
            "uploaded": sum(told[name] for name in HOST_BYTES[:4]),
            **told,
        }


def describe(error, path):
    """An exception, with the innermost line of the student's file in its traceback. One raised in another process
    already has a description."""
    if hasattr(error, "described"):
        return error.described
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    told = {
        "type": type(error).__name__,
        "bases": [one.__name__ for one in type(error).__mro__],
        "text": str(error)[:2000],
    }
    code = getattr(error, "code", None)
    told["code"] = code if isinstance(code, int) else None
    if isinstance(error, SyntaxError) and error.filename == path:
        told["line"], told["source"] = error.lineno, (error.text or "").strip()
    elif lines:
        told["line"], told["source"] = lines[-1].lineno, lines[-1].line
    return told


def take_job(job, contents, student, calls, emulator, path):
    given = iter(contents)
    arrays = {order["name"]: Array(order, next(given) if order["given"] else None) for order in job["orders"]}
    answer, results = {}, {}
    emulator.start(list(arrays.values()))
    try:
        views = {name: one.array for name, one in arrays.items()}
        for name, value in getattr(calls, job["call"])(student, views, **job["settings"]).items():
            if isinstance(value, np.ndarray):
                results[name] = np.array(value, order="C")  # a copy of its current content
            else:
                answer[name] = value
    except BaseException as error:  # also SystemExit
        answer["raised"] = describe(error, path)
        del error
    gc.collect()
    answer["emulator"] = emulator.stop()
    answer["arrays"] = {name: one.report() for name, one in arrays.items()}
    return answer, results


def main():
    descriptor, path, calls_path, filter_library, backend, seconds, libraries = sys.argv[1:]
    die_with_parent()
    filters = ctypes.CDLL(filter_library)
    if backend == "cpu":
        filters.limit_memory_of_this()
    calls = load(calls_path, "calls")
    emulator = Emulator()
    link = socket.socket(fileno=int(descriptor))
    frames.send(link.sendall, {"hello": True})
    if backend == "gpu":
        emulator.cuda.cudaFree(None)  # a GPU's driver makes calls at startup that are forbidden afterwards
    confine = filters.confine_this
    if getattr(calls, "COMPILES", False):
        confine = filters.confine_with_compilers_this
    elif getattr(calls, "FORKS", False):
        confine = filters.confine_with_processes_this
    confine(int(backend == "cpu"), int(seconds))
    emulator.keep_addresses()
    calls.LIBRARIES = libraries
    token = frames.receive(link)[0]["token"]
    try:
        student = getattr(calls, "load_exercise", lambda path: load(path, "exercise"))(path)
    except BaseException as error:
        frames.send(link.sendall, {"token": token, "broken": describe(error, path)})
        return
    frames.send(link.sendall, {"token": token})
    while True:
        job, contents = frames.receive(link)
        if job is None:
            return
        answer, results = take_job(job, contents, student, calls, emulator, path)
        sys.stdout.flush()
        sys.stderr.flush()
        frames.send(link.sendall, {**answer, "token": job["token"]}, results)


if __name__ == "__main__":
    main()
