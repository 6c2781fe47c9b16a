"""layer_checks.py - what a binding of layer.cu must do, as lessons/lesson27_ctypes/exercise.py describes it, with
whatever library it is written: for the graders of exercises 27 to 29. What is called stands in calls.py."""

import math

import numpy as np
from judge import Check, with_article  # which finds common/

from common import verify  # isort: skip

ATOL, RTOL = 2e-6, 2e-5
SHAPES = [(5, 3), (1, 1), (0, 4), (1, 31), (33, 7), (1000, 1), (1025, 3), (300, 70)]

erf = np.vectorize(math.erf, otypes=[np.float64])


def forward_cpu(x, bias, scale):
    """In float64, from the numbers that float32 has of what was given; the sum as the library has it, a float."""
    v = (np.float32(x) + np.float32(bias)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.float32(scale) * 0.5 * v * (1 + erf(v / math.sqrt(2)))


def backward_cpu(x, bias, dy, scale):
    v = (np.float32(x) + np.float32(bias)).astype(np.float64)
    below = 0.5 * (1 + erf(v / math.sqrt(2)))
    return (
        np.float32(scale)
        * np.float32(dy).astype(np.float64)
        * (below + v * np.exp(-0.5 * v * v) / math.sqrt(2 * math.pi))
    )


def expected(way, a, scale):
    return (
        forward_cpu(a["x"], a["bias"], scale) if way == "forward" else backward_cpu(a["x"], a["bias"], a["dy"], scale)
    )


def inputs(judge, way, shape, dtype=np.float32):
    """x, bias, and dy for the way back. Whole numbers are small ones."""
    a = {"x": judge.random(shape, -4, 4, dtype), "bias": judge.random(shape[1:], -1, 1, dtype)}
    if way == "backward":
        a["dy"] = judge.random(shape, -2, 2, dtype)
    return a


def run(judge, way, a, what, scale=1.5, layouts=None, out=False, delay=0):
    """One call, and its result compared. The library adds a number that was drawn to all of it: so it is the library's."""
    given = {name: (array, (layouts or {}).get(name, "C")) for name, array in a.items()}
    wanted = {"out": (a["x"].shape, "float32", "C")} if out else {}
    mark = judge.draw(8, 24) / 8
    answer = judge.run(
        "compute",
        given,
        wanted,
        f"{way}, {a['x'].shape[0]} x {a['x'].shape[1]}{what}",
        way=way,
        scale=scale,
        delay=delay,
        mark=mark,
    )
    found = answer["out"] if out else answer["result"]
    if isinstance(found, str):
        judge.fail("wrong_result", f"expected an array, and {with_article(found)} was returned.")
    right = expected(way, a, scale)
    if np.shape(found) == right.shape and right.size and not verify.wrong(np.float32(found), right, ATOL, RTOL).any():
        judge.fail(
            "not_by_kernel",
            "the values are right, but they are not the library's, which was instructed to add "
            f"{mark} to each: something else has computed them.",
        )
    judge.compare(found, right + mark, ATOL, RTOL)
    judge.require_kernels(answer, int(right.size > 0), right.size)
    if answer["same"] is not out:
        judge.fail(
            "wrong_result",
            "out was passed, and another array was returned: return out itself.",
        )
    if answer["aliases"]:
        judge.fail("wrong_result", "the returned array shares memory with an input.")
    return answer


def sizes(way):
    def check(judge):
        for shape in SHAPES:
            run(judge, way, inputs(judge, way, shape), "")
        a = inputs(judge, way, (40, 5))
        a["x"][3, 1], a["x"][7, 2] = np.nan, 100
        run(judge, way, a, ", with a NaN", scale=0.25)

    return check


def layouts(way):
    def check(judge):
        for dtype in np.float64, np.int32, np.int64, np.float16, np.int8, ">f4":
            words = "float32 with its bytes in the other order" if dtype == ">f4" else np.dtype(dtype).name
            run(judge, way, inputs(judge, way, (50, 9), dtype), f" of {words}")
        names = ["x", "bias"] + (["dy"] if way == "backward" else [])
        for name in names:
            for layout in ["columns"] if name == "bias" else ["F", "columns"]:
                words = "every second column of a wider array" if layout == "columns" else "transposed"
                run(judge, way, inputs(judge, way, (30, 17)), f", {name} is {words}", layouts={name: layout})
        read_only = dict.fromkeys(names, "C read-only")
        run(judge, way, inputs(judge, way, (30, 17)), ", of arrays that are read-only", layouts=read_only)
        run(
            judge,
            way,
            inputs(judge, way, (200, 17), np.float64),
            ", all transposed, of float64",
            layouts={"x": "F", "dy": "F"},
        )

    return check


def into_out(way):
    def check(judge):
        for shape in (33, 7), (0, 4), (1, 1):
            run(judge, way, inputs(judge, way, shape), ", with out", out=True)
        a = inputs(judge, way, (12, 8))
        wrong = (((12, 8), "float64", "C", "of float64"), ((8, 12), "float32", "C", "of shape (8, 12)"),
                 ((12, 8), "float32", "columns", "that is every second column"), ((12, 8), "float32", "F", "that is transposed"),
                 ((12, 8), "int32", "C", "of int32"), ((11, 8), "float32", "C", "of 11 rows"),
                 ((1, 8), "float32", "C", "of one row"), ((12, 1), "float32", "C", "of one column"),
                 ((8,), "float32", "C", "of one dimension"), ((96,), "float32", "C", "of one dimension, as long as all of y"),
                 ((1, 12, 8), "float32", "C", "of three dimensions"), ((13, 8), "float32", "C", "of 13 rows"),
                 ((12, 8), ">f4", "C", "of float32 with its bytes in the other order"))  # fmt: skip
        for shape, dtype, layout, words in wrong:
            refuse_out(judge, way, a, (shape, dtype, layout), words)

    return check


def refuse_out(judge, way, a, out, words):
    judge.must_raise(
        "ValueError", "compute", a, {"out": out}, f"{way}, 12 x 8, with an out {words}", way=way, scale=1.0
    )


def read_only(judge):
    for way in "forward", "backward":
        refuse_out(judge, way, inputs(judge, way, (12, 8)), ((12, 8), "float32", "C read-only"), "that is read-only")


def wrong_shapes(way):
    def check(judge):
        a = inputs(judge, way, (6, 4))
        for shape in (6, 5), (6, 3), (6, 1), (6, 8), (4, 6), (1, 1), (4,), (24,), (), (2, 3, 4), (1, 6, 4):
            changed = {**a, "x": judge.random(shape, -1, 1)}
            judge.must_raise(
                "ValueError",
                "compute",
                changed,
                {},
                f"{way}, bias has 4 elements and x the shape {shape}",
                way=way,
                scale=1.0,
            )
        if way == "backward":
            for shape in (5, 4), (7, 4), (6, 3), (1, 4), (6, 1), (1, 1), (4, 6), (4,), (24,), (), (1, 6, 4), (0, 4):
                changed = {**a, "dy": judge.random(shape, -1, 1)}
                judge.must_raise(
                    "ValueError",
                    "compute",
                    changed,
                    {},
                    f"backward, x is 6 x 4 and dy has the shape {shape}",
                    way=way,
                    scale=1.0,
                )

    return check


def waits(way):
    """The copies of the library begin late, as behind other work: what has not waited has nothing, and what is gone is
    not there."""

    def check(judge):
        for shape, dtype in ((60, 20), np.float32), ((60, 20), np.float64), ((33, 700), np.float64):
            run(judge, way, inputs(judge, way, shape, dtype), f" of {np.dtype(dtype).name}, on a busy GPU", delay=40)
        run(judge, way, inputs(judge, way, (41, 30)), ", with out, on a busy GPU", out=True, delay=40)

    return check


def errors(judge):
    for way in "forward", "backward":
        for scale in 0.0, -1.0:
            told = judge.must_raise(
                "LayerError", "compute", inputs(judge, way, (5, 3)), {}, f"{way}, scale = {scale}", way=way, scale=scale
            )
            require_error(judge, told)
        words, settings = f"{way}, its work fails, which layer_wait reports", {"way": way, "scale": 1.0, "code": 719}
        told = judge.must_raise("LayerError", "fail_at_the_end", inputs(judge, way, (5, 3)), {}, words, **settings)
        require_error(judge, told, 719, "unspecified launch failure")
    told = judge.must_raise(
        "LayerError",
        "compute",
        inputs(judge, "forward", (5, 0)),
        {},
        "a layer whose bias has no elements",
        way="forward",
        scale=1.0,
    )
    require_error(judge, told)


def not_created(judge):
    told = judge.must_raise("LayerError", "compute", inputs(judge, "forward", (5, 0)), {}, "a bias without elements", way="forward", scale=1.0)
    require_error(judge, told)


def require_error(judge, told, code=1, text="invalid argument"):
    if told["code"] != code:
        judge.fail("api_error", f"the LayerError has the code {told['code']}, not the library's {code}.")
    if text not in told["text"] or "b'" in told["text"]:
        judge.fail("api_error", f"the LayerError says '{told['text']}', and the library '{text}'.")


def owned(judge):
    a = inputs(judge, "forward", (9, 4))
    steps = {
        "before": 0,
        "inside with": 1,
        "after with": 0,
        "closed": 0,
        "closed twice": 0,
        "another": 1,
        "forgotten": 0,
        "after an exception": 0,
    }
    judge.subject = "layers that are closed, closed twice, and forgotten"
    judge.lives("life", a, steps, "layer", scale=1.0)


def closed(judge):
    for way in "forward", "backward":
        judge.must_raise(
            "ValueError",
            "use_closed",
            inputs(judge, way, (9, 4)),
            {},
            f"{way} of a layer that is closed",
            way=way,
            scale=1.0,
        )


def others_run(way):
    """Of a binding in C++, which has the GIL until it gives it back."""

    def check(judge):
        words = f"{way}, while another Python thread is waiting to run"
        if not judge.run("beside_a_thread", inputs(judge, way, (40, 5)), {}, words, way=way, scale=1.0)["ran"]:
            judge.fail(
                "api_error", f"while {way} waited for the library, no other thread of Python could run: it kept the GIL."
            )

    return check


def several(judge):
    a = inputs(judge, "forward", (50, 6))
    found = judge.run("several", a, {}, "two layers at once, and one called with 3, 50 and 3 rows", scale=2.0)
    for name, rows, of_x, of_bias in (("a", 3, 1, 1), ("b", 50, 1, -1), ("c", 50, 1, 1), ("d", 3, -1, 1)):
        judge.compare(found[name], forward_cpu(of_x * a["x"][:rows], of_bias * a["bias"], 2.0), ATOL, RTOL)


def again(judge):
    for way in "forward", "backward":
        a = inputs(judge, way, (judge.draw(1, 300), judge.draw(1, 60)), np.float64)
        run(judge, way, a, " of float64", scale=judge.draw(1, 40) / 8)
        run(judge, way, inputs(judge, way, (judge.draw(1, 90), judge.draw(1, 60))), ", with out", out=True)


def part(way):
    return [
        Check(way, f"{way}, random input, 0 to 1025 rows, 1 to 70 columns, NaN", sizes(way)),
        Check(way, f"{way} of float64, of whole numbers, of arrays with gaps, transposed", layouts(way)),
        Check(way, f"{way} into out, and none that does not fit", into_out(way)),
        Check(way, f"{way} refuses arrays of another shape", wrong_shapes(way)),
        Check(way, f"{way} waits before it returns, and keeps its inputs alive", waits(way)),
    ]


CHECKS = [
    *part("forward"),
    *part("backward"),
    Check("layer", "two layers at once, and one with arrays of several sizes", several),
    Check("creation", "a layer that cannot be created is a LayerError", not_created),
    Check("layer", "an error of the library becomes a LayerError", errors),
    Check("layer", "a layer is destroyed once: by close, by with, or with its last reference", owned),
    Check("layer", "a closed layer is not used", closed),
    Check("layer", "an out that is read-only is not written", read_only),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]
