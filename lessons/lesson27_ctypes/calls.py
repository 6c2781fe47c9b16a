"""calls.py - what the graders of exercises 27 to 29 have done with the student's module, in the runner's process: a
function for each kind of job.

It takes the module, the arrays of the job by their names, and settings; what it returns goes back to the grader.
"""

import contextlib
import ctypes
import os
import sys
import threading

import numpy as np

LIBRARIES = ""  # the runner says where
_library = None
kept = {}  # of `life`, from step to step


def layer_of(student, bias):
    """With ctypes the library is loaded first, once, as a user would. A module in C++ is linked with it."""
    global _library
    if not hasattr(student, "load"):
        return student.Layer(bias)
    if _library is None:
        _library = student.load(os.path.join(LIBRARIES, "liblayer.so"))
    return student.Layer(_library, bias)


def set_mark(mark):
    ctypes.CDLL(os.path.join(LIBRARIES, "liblayer.so")).layer_mark(ctypes.c_float(mark))


def compute(student, arrays, way, scale, delay=0, mark=0):
    """forward or backward. With an array `out`, into that; a delay makes the library's copies so many milliseconds
    late, and what the library computes is larger by `mark`."""
    os.environ["LAYER_DELAY_MS"] = str(delay)
    given = [arrays[name] for name in ("x", "dy") if name in arrays]
    out = arrays.get("out")
    with layer_of(student, arrays["bias"]) as layer:
        more = {} if out is None else {"out": out}
        set_mark(mark)
        try:
            result = getattr(layer, way)(*given, scale, **more)
        finally:
            set_mark(0)
        # What is looked at is what is there now, before the layer waits for anything when it is closed.
        told = {"result": np.array(result) if isinstance(result, np.ndarray) else result, "same": result is out}
        if out is not None:
            told["out"] = np.array(out)
        told["aliases"] = isinstance(result, np.ndarray) and any(np.shares_memory(result, array) for array in given)
    if not isinstance(result, np.ndarray):
        told["result"] = f"{type(result).__name__}"
    return told


def fail_at_the_end(student, arrays, way, scale, code):
    """The library takes the work, and says when somebody waits that it has failed."""
    layer = layer_of(student, arrays["bias"])
    os.environ["LAYER_FAIL_WAIT"] = str(code)
    try:
        getattr(layer, way)(*(arrays[name] for name in ("x", "dy") if name in arrays), scale)
    finally:
        os.environ.pop("LAYER_FAIL_WAIT")
        layer.close()
    return {}


def several(student, arrays, scale):
    """Calls of one layer after the other, with arrays of other sizes between; and two layers at once."""
    x = arrays["x"]
    with layer_of(student, arrays["bias"]) as first, layer_of(student, -arrays["bias"]) as second:
        a = first.forward(x[:3], scale)
        b = second.forward(x, scale)
        c = first.forward(x, scale)
        d = first.forward(-x[:3], scale)  # a, which has its shape, stays as it is
        return {"a": a, "b": b, "c": c, "d": d}


def life(student, arrays, scale, step):
    """A step in the lives of layers. The grader counts those of the library after each."""
    bias, x = arrays["bias"], arrays["x"]
    if step == "inside with":
        kept["layer"], kept["with"] = layer_of(student, bias), contextlib.ExitStack()
        kept["with"].enter_context(kept["layer"]).forward(x, scale)
    elif step == "after with":
        kept.pop("with").close()
    elif step == "closed":
        kept["layer"] = layer_of(student, bias)
        kept["layer"].close()
    elif step == "closed twice":
        kept["layer"].close()
    elif step == "another":
        kept["layer"] = layer_of(student, bias)
        kept["layer"].forward(x, scale)
    elif step == "after an exception":
        with contextlib.suppress(KeyError), layer_of(student, bias) as kept["layer"]:
            raise KeyError("on purpose")
    else:
        kept.clear()  # "before", "forgotten": the runner collects after each job
    return {}


def use_closed(student, arrays, way, scale):
    layer = layer_of(student, arrays["bias"])
    layer.close()
    getattr(layer, way)(*(arrays[name] for name in ("x", "dy") if name in arrays), scale)
    return {}


def beside_a_thread(student, arrays, way, scale):
    """Whether a thread of Python has run while this one was in the library, whose copies are late. Python itself would
    take the GIL from a thread after 5 ms: not here."""
    os.environ["LAYER_DELAY_MS"] = "300"
    usual, may_go, ran = sys.getswitchinterval(), threading.Lock(), []
    may_go.acquire()
    other = threading.Thread(target=lambda: (may_go.acquire(), ran.append(True)))
    other.start()
    with layer_of(student, arrays["bias"]) as layer:
        sys.setswitchinterval(60)
        may_go.release()
        getattr(layer, way)(*(arrays[name] for name in ("x", "dy") if name in arrays), scale)
        there = bool(ran)
        sys.setswitchinterval(usual)
    other.join()
    os.environ["LAYER_DELAY_MS"] = "0"
    return {"ran": there}
