"""Grader of exercise 32: an operator for ONNX Runtime, in a library."""

# exercise: exercise.cpp
# library: ../lesson27_ctypes/layer.cu spy.cu

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main  # noqa: E402

ATOL, RTOL = 2e-6, 2e-5
SHAPES = [(5, 3), (1, 1), (0, 4), (1, 31), (33, 7), (1025, 3), (300, 70)]
DIMENSIONS = [(7,), (2, 3, 5), (1, 2, 3, 4), (0, 3, 5), (2, 0, 3), (4, 1, 1)]
WHOSE = {
    "layers": "layers of the library are left: destroy each layer that was created, also after an error",
    "statuses": "statuses are left: release each status of ONNX Runtime that is not returned",
    "shapes": "descriptions of shapes are left: release each result of GetTensorTypeAndShape",
}
erf = np.vectorize(math.erf, otypes=[np.float64])


def bias_gelu(x, bias, scale=1.0):
    v = (x + bias).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.float32(scale) * 0.5 * v * (1 + erf(v / math.sqrt(2)))


def inputs(judge, shape):
    return {"x": judge.random(shape, -4, 4), "bias": judge.random(shape[-1:], -1, 1)}


def require_nothing_held(judge, answer):
    """Less than nothing: somebody has given back what is not his, or what is still used."""
    for what, count in answer["held"].items():
        if count > 0:
            judge.fail("leak", f"{count} {WHOSE[what]}.")
        if count < 0:
            judge.fail("use_after_free", f"{-count} {what} were released while still in use, or released twice.")


def compute(judge, a, words, scale=None, **more):
    mark = judge.draw(8, 24) / 8  # the library adds it to all of its results
    words = f"BiasGelu, {' x '.join(map(str, a['x'].shape))}{words}"
    answer = judge.run("compute", a, {}, words, scale=scale, mark=mark, **more)
    right, found = bias_gelu(a["x"], a["bias"], 1.0 if scale is None else scale), answer["result"]
    if right.size and found.shape == right.shape and np.allclose(found, right, 1e-4, 1e-5, True):
        judge.fail("not_by_kernel", "the values are right, and they are not the library's: something else has computed them.")
    judge.compare(found, right + mark, ATOL, RTOL)
    require_nothing_held(judge, answer)
    judge.require_kernels(answer, int(right.size > 0), right.size)
    return answer


def sizes(judge):
    compute(judge, inputs(judge, SHAPES[0]), "", delay=100)
    for shape in SHAPES[1:]:
        compute(judge, inputs(judge, shape), "")
    a = inputs(judge, (40, 5))
    a["x"][3, 1], a["x"][7, 2] = np.nan, 100
    compute(judge, a, ", with a NaN")


def dimensions(judge):
    for shape in DIMENSIONS:
        compute(judge, inputs(judge, shape), "")


def attribute(judge):
    for scale in 1.5, 0.25, 3.0, None, 1.0:
        compute(judge, inputs(judge, (6, 4)), ", without scale" if scale is None else f", scale = {scale}", scale=scale)


def shapes(judge):
    for shape in ["batch", 7], ["batch", "words", 768], [2, 3, 4, 5], ["n"]:
        answer = judge.run("shape_of", {}, {}, f"y's shape before anything runs, x has {shape}", shape=shape)
        if answer["shape"] != shape:
            judge.fail("api_error", f"ONNX Runtime inferred for y: {answer['shape']}, expected {shape}.")


def waits(judge):
    for shape in (60, 20), (3, 4, 50):
        compute(judge, inputs(judge, shape), ", on a busy GPU", delay=40)


def refuse(judge, subject, words, kind, **settings):
    a = inputs(judge, (6, 4))
    answer = judge.run("refused", a, {}, subject, words=words, **settings)
    found = answer["raised_as"]
    if not found.startswith(kind + ":"):
        told = "no error was raised" if found == "nothing" else f"this was raised: {found}"
        judge.fail("api_error", f"ONNX Runtime should raise {kind}; {told}.")
    if words not in found:
        judge.fail("api_error", f"its text lacks '{words}': {found}")
    require_nothing_held(judge, answer)
    if "afterwards" in answer:
        judge.compare(answer["afterwards"], bias_gelu(a["x"], a["bias"]), ATOL, RTOL)


def bad_shapes(judge):
    for bias in (5,), (3,), (1,), (0,), (6,), (24,), (1, 4), (6, 1), (6, 4), (2, 2), ():
        refuse(judge, f"x is 6 x 4, bias has the shape {bias}", "", "InvalidArgument", bad_bias=bias)
    refuse(judge, "x has no dimension", "", "InvalidArgument", bad_x=())


def library_errors(judge):
    for scale in 0.0, -1.0:
        refuse(judge, f"scale = {scale}, which the library refuses", "invalid argument", "Fail", scale=scale)
    refuse(judge, "the library has no memory", "out of memory", "Fail", code=2)
    refuse(judge, "its work fails, which layer_wait reports", "unspecified launch failure", "Fail", code=719, at_the_end=True)


def no_columns(judge):
    refuse(judge, "x is 6 x 0, which the library refuses", "invalid argument", "Fail", bad_x=(6, 0), bad_bias=(0,))


def inputs_of_nodes(judge):
    judge.must_raise("InvalidGraph", "one_input", {}, {}, "a model whose node has one input")
    judge.must_raise("InvalidGraph", "double_bias", {}, {}, "a model whose node has a bias of doubles")


def created(judge):
    for scale in None, 2.0:
        words = "a session is made, its node " + ("has no scale" if scale is None else f"has scale = {scale}")
        require_nothing_held(judge, judge.run("created", {}, {}, words, scale=scale))


def at_once(judge):
    a = {}
    for k in range(2):
        for name, array in inputs(judge, (200, 9)).items():
            a[f"{name}{k}"] = array
    answer = judge.run("at_once", a, {}, "one session, two threads at once")
    for k in range(2):
        judge.compare(answer[f"y{k}"], bias_gelu(a[f"x{k}"], a[f"bias{k}"]), ATOL, RTOL)


def several(judge):
    a = inputs(judge, (50, 6))
    answer = judge.run("two_sessions", a, {}, "two sessions with another scale each, one of them used again")
    judge.compare(answer["a"], bias_gelu(a["x"], a["bias"], 0.5), ATOL, RTOL)
    judge.compare(answer["b"], bias_gelu(a["x"], a["bias"], 2), ATOL, RTOL)
    judge.compare(answer["c"], bias_gelu(a["x"][:3], -a["bias"], 0.5), ATOL, RTOL)
    a = inputs(judge, (20, 6))
    answer = judge.run("compute", a, {}, "a model with three nodes", nodes=3)
    v = a["x"]
    for _ in range(3):
        v = bias_gelu(v, a["bias"]).astype(np.float32)
    judge.compare(answer["result"], v, 3 * ATOL, 3 * RTOL)


def again(judge):
    shape = (judge.draw(1, 5), judge.draw(1, 60), judge.draw(1, 60))
    compute(judge, inputs(judge, shape), "", scale=judge.draw(1, 40) / 8)
    compute(judge, inputs(judge, shape[1:]), "")


CHECKS = [
    Check("operator", "random input, 0 to 1025 rows, 1 to 70 columns, NaN", sizes),
    Check("operator", "one to four dimensions", dimensions),
    Check("operator", "the attribute scale, and nodes without it", attribute),
    Check("operator", "it waits before it returns", waits),
    Check("operator", "two threads at once", at_once),
    Check("operator", "two sessions, and three nodes in one model", several),
    Check("table", "the shape of y is known before anything runs", shapes),
    Check("inputs", "a node has two inputs, both of them float", inputs_of_nodes),
    Check("table", "creating a session leaks nothing", created),
    Check("operator", "a bias that does not fit is refused, and the session lives on", bad_shapes),
    Check("operator", "an error of the library becomes a status with its text", library_errors),
    Check("operator", "and so does an error while the layer is created", no_columns),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("32", __file__, CHECKS))
