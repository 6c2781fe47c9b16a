"""call_exercise.py - an exercise in Python outside of a grading: calls it in each way once, as the grader does, so that the kernels
that it launches can be profiled, drawn and checked for faults. Only the grader judges the results.

    python call_exercise.py EXERCISE JOBS LIBRARIES [2 | softmax]        only that way; the same as V=2 in the environment
    python call_exercise.py EXERCISE JOBS LIBRARIES --ptx                the PTX of the student's own kernels

EXERCISE is exercise.py, or the module that was compiled from exercise.cpp; JOBS is the file that show.py has written.
"""

import ctypes
import gc
import os
import pickle
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
import numpy as np  # noqa: E402

# The lessons' calls.py take the last three from __main__.
from runner import HOST_BYTES, Array, Watched, describe, load  # noqa: E402, F401

from common import device  # noqa: E402

VALUES = 6  # printed of each result
device.runtime()  # before PyTorch, which would load another one


def tell(text):
    sys.stdout.flush()
    print(f"error: {text}", file=sys.stderr)


def fail(text):
    tell(text)
    sys.exit(1)


def name_of(call, settings):
    """The function that is called: softmax, forward."""
    return settings.get("function") or settings.get("way") or call


def text_of(call, arrays, settings):
    """softmax(x: 300 x 39 float32, allowed: 300 x 39 uint8, scale=0.75)"""
    shapes = [f"{name}: {' x '.join(map(str, one.shape))} {one.dtype}" for name, (one, _) in arrays.items()]
    plain = {name: value for name, value in settings.items() if isinstance(value, (bool, int, float))}
    return f"{name_of(call, settings)}({', '.join(shapes + [f'{name}={value}' for name, value in plain.items()])})"


def print_results(told):
    for name, value in told.items():
        if isinstance(value, np.ndarray):
            more = " ..." if value.size > VALUES else ""
            print(f"    {name}: {' '.join(f'{v:.7g}' for v in value.reshape(-1)[:VALUES].tolist())}{more}")


def do_job(calls, student, path, job):
    """Whether it returned: the next call is made in any case."""
    call, arrays, settings = job
    print(text_of(call, arrays, settings), flush=True)
    made = {}
    for name, (content, layout) in arrays.items():
        made[name] = Array({"dtype": content.dtype.str, "shape": content.shape, "layout": layout}, content)
    try:
        told = getattr(calls, call)(student, {name: one.array for name, one in made.items()}, **settings)
    except Exception as error:
        if os.environ.get("VERBOSE") == "1":
            raise
        said = describe(error, path)
        tell(f"{said['type']}: {said['text']}" + (f"\n       line {said['line']}: {said['source']}" if said.get("line") else ""))
        return False
    print_results(told)
    del told, made
    gc.collect()  # objects that the exercise releases late
    return True


def choose(jobs, wanted):
    numbered = [(str(number), name_of(call, settings)) for number, (call, _, settings) in enumerate(jobs, 1)]
    chosen = [job for job, names in zip(jobs, numbered) if not wanted or wanted in names]
    if not chosen:
        fail(f"V={wanted}: there is no such function. There are {', '.join(' '.join(names) for names in numbered)}.")
    return chosen


def print_ptx(calls, student):
    for text in calls.ptx_of(student):
        print(text)


def main():
    path, jobs_path, libraries, *words = sys.argv[1:]
    with open(jobs_path, "rb") as file:
        jobs = pickle.load(file)
    ptx = words == ["--ptx"]
    chosen = choose(jobs["jobs"], words[0] if words and not ptx else os.environ.get("V", ""))
    calls = load(jobs["calls"], "calls")
    calls.LIBRARIES = libraries
    if ptx:  # no line about the calls: stdout has only the PTX
        kept = os.dup(1)
        os.dup2(2, 1)
    else:
        device.print_backend()
    try:
        student = getattr(calls, "load_exercise", lambda path: load(path, "exercise"))(path)
    except Exception as error:
        fail(f"the file cannot be imported: {type(error).__name__}: {error}")
    done = [do_job(calls, student, path, job) for job in chosen]
    device.check(ctypes.c_int(device.runtime().cudaDeviceSynchronize()).value, "cudaDeviceSynchronize")
    if ptx:
        sys.stdout.flush()
        os.dup2(kept, 1)
        print_ptx(calls, student)
    return 0 if all(done) else 1


sys.exit(main())
