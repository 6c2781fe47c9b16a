"""calls.py - what the grader of exercise 32 has done with the student's library, in the runner's process: models are
made, and ONNX Runtime runs them. Between it and the student's file stands spy.cu."""

import ctypes
import gc
import os
import threading
import time

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

LIBRARIES = ""  # the runner says where
spy = None


def load_exercise(path):
    global spy
    spy = ctypes.CDLL(os.path.join(LIBRARIES, "libspy.so"))
    spy.spy_open.restype = ctypes.c_char_p
    wrong = spy.spy_open(path.encode()).decode()
    if wrong:
        raise ImportError(wrong)
    return spy


def model(shape, bias_shape=("cols",), nodes=1, inputs=2, scale=None, bias_type=TensorProto.FLOAT):
    """BiasGelu of x and bias, or several of them, one behind the other."""
    attributes = {} if scale is None else {"scale": float(scale)}
    names = ["x", *(f"between{k}" for k in range(nodes - 1)), "y"]
    made = [
        helper.make_node("BiasGelu", [given, "bias"][:inputs], [result], domain="exercise", **attributes)
        for given, result in zip(names, names[1:])
    ]
    kinds = ("x", TensorProto.FLOAT, shape), ("bias", bias_type, bias_shape)
    given = [helper.make_tensor_value_info(name, kind, dims) for name, kind, dims in kinds]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * len(shape))
    graph = helper.make_graph(made, "exercise32", given[:inputs], [result])
    versions = [helper.make_opsetid("", 20), helper.make_opsetid("exercise", 1)]
    return helper.make_model(graph, opset_imports=versions, ir_version=10).SerializeToString()


def told(call):
    """What a TODO says is Python's NotImplementedError."""
    try:
        return call()
    except Exception as error:
        if "TODO" in str(error):
            raise NotImplementedError(str(error)) from error
        raise


def session_of(*shape, **more):
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    told(lambda: options.register_custom_ops_library(os.path.join(LIBRARIES, "libspy.so")))
    return told(lambda: ort.InferenceSession(model(*shape, **more), options, providers=["CPUExecutionProvider"]))


def run(session, x, bias):
    return told(lambda: session.run(None, {"x": x, "bias": bias})[0])


def alive():
    """How many layers there are: from the library itself."""
    return ctypes.CDLL(os.path.join(LIBRARIES, "liblayer.so")).layer_alive()


def held():
    return {"layers": alive(), "statuses": spy.spy_statuses(), "shapes": spy.spy_infos(), "domains": -spy.spy_domains_released()}


def names_of(array, last):
    """A name for each dimension: x may have every size there."""
    return [f"{last}{d}" for d in range(array.ndim)]


def compute(student, arrays, scale=None, delay=5, nodes=1, mark=0):
    """One run of a new session. The library's copies are late, and so nothing is there before somebody has waited. Its
    results are larger by `mark`."""
    os.environ["LAYER_DELAY_MS"] = str(delay)
    x, bias = arrays["x"], arrays["bias"]
    session = session_of(names_of(x, "x"), names_of(bias, "b"), scale=scale, nodes=nodes)
    before, library = held(), ctypes.CDLL(os.path.join(LIBRARIES, "liblayer.so"))
    library.layer_mark(ctypes.c_float(mark))
    try:
        y = run(session, x, bias)
    finally:
        library.layer_mark(ctypes.c_float(0))
    copied = np.array(y)
    time.sleep(delay / 300)  # what comes late still finds the memory that it was given
    return {"result": copied, "held": {what: count - before[what] for what, count in held().items()}}


def created(student, arrays, scale=None):
    """What creating a session has left behind."""
    before = held()
    session_of(["rows", 4], [4], scale=scale)
    return {"held": {what: count - before[what] for what, count in held().items()}}


def refused(student, arrays, words, bad_bias=None, bad_x=None, scale=None, code=None, at_the_end=False):
    """A run that must fail. Afterwards the same session is run rightly, if that is possible. `code`: an error of the library, when work is queued, or
    when somebody waits for it."""
    os.environ["LAYER_DELAY_MS"] = "0"
    x, bias = arrays["x"], arrays["bias"]
    wrong_x = x if bad_x is None else np.ones(bad_x, np.float32)
    wrong_bias = bias if bad_bias is None else np.ones(bad_bias, np.float32)
    session = session_of(names_of(wrong_x, "x"), names_of(wrong_bias, "b"), scale=scale)
    before = held()
    if code:
        os.environ["LAYER_FAIL_WAIT" if at_the_end else "LAYER_FAIL"] = str(code)
    try:
        run(session, wrong_x, wrong_bias)
        raised = "nothing"
    except NotImplementedError:
        raise
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    os.environ.pop("LAYER_FAIL", None)
    os.environ.pop("LAYER_FAIL_WAIT", None)
    gc.collect()
    answer = {"raised_as": raised, "held": {what: count - before[what] for what, count in held().items()}}
    if wrong_x.ndim == x.ndim and wrong_bias.ndim == bias.ndim and scale is None:
        answer["afterwards"] = np.array(run(session, x, bias))
    return answer


def shape_of(student, arrays, shape):
    """What ONNX Runtime knows of y before anything runs."""
    return {"shape": session_of(shape).get_outputs()[0].shape}


def one_input(student, arrays):
    session_of(["rows", "cols"], inputs=1)
    return {}


def double_bias(student, arrays):
    session_of(["rows", "cols"], bias_type=TensorProto.DOUBLE)
    return {}


def at_once(student, arrays):
    """Two threads run one session, and wait for each other when they have their outputs."""
    os.environ["LAYER_DELAY_MS"] = "0"
    session, results = session_of(["rows", "cols"]), {}
    run(session, arrays["x0"], arrays["bias0"])
    spy.spy_meet(2)

    def work(k):
        results[f"y{k}"] = np.array(run(session, arrays[f"x{k}"], arrays[f"bias{k}"]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def two_sessions(student, arrays):
    os.environ["LAYER_DELAY_MS"] = "0"
    x, bias = arrays["x"], arrays["bias"]
    first, second = session_of(["rows", "cols"], scale=0.5), session_of(["rows", "cols"], scale=2)
    answer = {"a": np.array(run(first, x, bias)), "b": np.array(run(second, x, bias))}
    del second
    gc.collect()
    answer["c"] = np.array(run(first, x[:3], -bias))
    return answer
