"""mistakes.py - kernels with a mistake each, for step checks7 of lesson34.py: python3 mistakes.py no_atomic no_guard

NUMBA_ENABLE_CUDASIM=1 has them run by Numba's simulator, else they are compiled. What became of the result is printed
in one word, right or wrong or the name of an exception; then what the emulator has found, where that ran them.
"""

import ctypes
import sys
import threading

import numpy as np
from common import device
from numba import config, cuda, float32

SIMULATED = bool(config.ENABLE_CUDASIM)
jit = cuda.jit if SIMULATED else cuda.jit(lineinfo=True)  # the simulator does not know that option
BLOCK = 64


@jit
def no_atomic(x, y):
    """All threads add to y[0]."""
    i = cuda.grid(1)
    if i < x.size:
        y[0] += x[i]


@jit
def no_barrier(x, y):
    """The numbers in reverse order. Nobody waits for the thread that writes what is read."""
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    y[t] = tile[BLOCK - 1 - t]


@jit
def no_guard(x, y):
    """A block has 64 threads, the arrays fewer elements."""
    i = cuda.grid(1)
    y[i] = x[i]


@jit
def from_the_end(x, y):
    """y[i] = x[i] - x[i - 1], and thread 0 reads x[-1]: as in Python, that is the last element."""
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] - x[i - 1]


@jit
def own_barrier(x, y):
    """Half of the threads come to a barrier to which the others do not."""
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    if t % 2 == 0:
        cuda.syncthreads()
        y[t] = tile[t] + tile[t + 1]
    cuda.syncthreads()
    if t % 2 == 1:
        y[t] = tile[t] - tile[t - 1]


@jit
def small_number(x, y):
    """1e-8 is lost in a float32 behind 1, and not in a float64."""
    i = cuda.grid(1)
    if i < x.size:
        y[i] = (x[i] + 1e-8) - x[i]


def correct(name, x):
    """What the author of each had in mind, in float32."""
    before = np.concatenate(([np.float32(0)], x[:-1]))
    pairs = x.reshape(-1, 2)
    return {
        "no_atomic": np.concatenate(([x.sum()], np.zeros(x.size - 1))),
        "no_barrier": x[::-1],
        "no_guard": x,
        "from_the_end": x - before,
        "own_barrier": np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 1] - pairs[:, 0]], axis=1).reshape(-1),
        "small_number": np.zeros_like(x),
    }[name]


def threads_started(call):
    """Threads of Python that were started meanwhile."""
    started, start = 0, threading.Thread.start

    def counted(thread):
        nonlocal started
        started += 1
        start(thread)

    threading.Thread.start = counted
    try:
        call()
    finally:
        threading.Thread.start = start
    return started


def found():
    """What the emulator has found so far, the worst of it."""
    if SIMULATED or not device.is_emulator():
        return "nothing"
    verdict = device.runtime().emulatorVerdict
    verdict.restype = ctypes.c_char_p
    return verdict().decode().replace("none", "nothing")


def run(name):
    # A thread of Python may be interrupted after 5 ms. That is far more than no_atomic takes: on a quiet machine it is
    # never interrupted; here it never is.
    sys.setswitchinterval(60 if name == "no_atomic" else 0.005)
    x = np.arange(1, 51 if name == "no_guard" else BLOCK + 1, dtype=np.float32)
    y = cuda.to_device(np.zeros_like(x))
    kernel, x_there, started = globals()[name][1, BLOCK], cuda.to_device(x), "no"
    try:
        started = threads_started(lambda: kernel(x_there, y))
        word = "right" if np.array_equal(y.copy_to_host(), correct(name, x)) else "wrong"
    except Exception as error:  # whatever the simulator or the driver has to say of it
        word = type(error).__name__
    sys.stderr.flush()
    print(f"{name}: {word}, {found()}; {started} threads of Python", flush=True)


config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(name)
