"""Grader of exercise 30: an operator of PyTorch over a library, as lessons/lesson30_pytorch/exercise.py describes it. What
is called stands in calls.py."""

# library: geglu.cu

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main, with_article  # noqa: E402

TOLERANCES = {np.dtype(np.float32): (2e-6, 2e-5), np.dtype(np.float64): (1e-12, 1e-12)}
erf = np.vectorize(math.erf, otypes=[np.float64])


def slopes(b):
    """gelu, its first and its second derivative."""
    below, density = 0.5 * (1 + erf(b / math.sqrt(2))), np.exp(-0.5 * b * b) / math.sqrt(2 * math.pi)
    return b * below, below + b * density, (2 - b * b) * density


def halves(x):
    x = x.astype(np.float64)
    return np.split(x, 2, axis=-1)


def forward_cpu(x):
    a, b = halves(x)
    with np.errstate(invalid="ignore"):
        return a * slopes(b)[0]


def backward_cpu(x, dy):
    a, b = halves(x)
    gelu, slope, _ = slopes(b)
    return np.concatenate([dy.astype(np.float64) * gelu, dy.astype(np.float64) * a * slope], axis=-1)


def second_cpu(x):
    """Of the sum of (1 + x) * first, where first is the gradient of the sum of y^2."""
    a, b = halves(x)
    gelu, slope, bend = slopes(b)
    by_a = 2 * a * gelu**2 + (1 + a) * 2 * gelu**2 + (1 + b) * 4 * a * gelu * slope
    by_b = 2 * a * a * gelu * slope + (1 + a) * 4 * a * gelu * slope + (1 + b) * 2 * a * a * (slope**2 + gelu * bend)
    return np.concatenate([by_a, by_b], axis=-1)


def expected(way, a):
    return forward_cpu(a["x"]) if way == "geglu" else backward_cpu(a["x"], a["dy"])


def inputs(judge, way, shape, dtype=np.float32):
    a = {"x": judge.random(shape, -3, 3, dtype)}
    if way != "geglu":
        a["dy"] = judge.random((*shape[:-1], shape[-1] // 2), -2, 2, dtype)
    return a


def compare(judge, found, right, dtype=np.float32):
    """judge.compare is for float32; of float64 more digits must be right."""
    if not isinstance(found, np.ndarray):
        judge.fail("wrong_result", f"expected a tensor, and {with_article(found)} was returned.")
    if found.dtype != dtype:
        judge.fail("wrong_result", f"{found.dtype} was returned, expected {np.dtype(dtype)}.")
    if dtype == np.float64:
        if found.shape == right.shape:
            close = np.abs(found - right) <= TOLERANCES[found.dtype][0] * (1 + np.abs(right))
            if not close.all():
                at = tuple(int(i) for i in np.argwhere(~close)[0])
                judge.fail("wrong_result", f"element {at}: expected {right[at]:.15g}, found {found[at]:.15g}")
            return
        found = found.astype(np.float32)
    judge.compare(found, right, *TOLERANCES[np.dtype(np.float32)])


def run(judge, way, a, what, layouts=None, again=False):
    """One call, and its result compared. The library adds a number that was drawn to all of it: so it is the library's."""
    given = {name: (array, (layouts or {}).get(name, "C")) for name, array in a.items()}
    words = f"{way} of a tensor of shape {a['x'].shape}{what}"
    mark = judge.draw(8, 24) / 8
    answer = judge.run("compute", given, {}, words, way=way, mark=mark, again=again)
    right, found = expected(way, a), answer["result"]
    if isinstance(found, np.ndarray) and right.size and found.shape == right.shape and np.allclose(found, right, 1e-4, 1e-5, True):
        judge.fail("not_by_kernel", "the values are right, and they are not the library's: something else has computed them.")
    compare(judge, found, right + mark, a["x"].dtype)
    judge.require_kernels(answer, int(right.size > 0) + again, right.size // (2 if way != "geglu" else 1))
    strides, step = [], 1
    for length in reversed(right.shape):
        strides, step = [step, *strides], step * max(1, length)
    if right.size and tuple(answer["described"]["strides"]) != tuple(strides):
        judge.fail("wrong_result", f"the result has the strides {answer['described']['strides']}; contiguous is {tuple(strides)}.")
    if answer["aliases"]:
        judge.fail("wrong_result", "the result shares memory with an input or with another result: it is not a new tensor.")
    return answer


def sizes(way):
    def check(judge):
        for shape in (5, 6), (1, 2), (62,), (3, 4, 10), (0, 8), (7, 0), (2, 0, 6), (33, 130):
            run(judge, way, inputs(judge, way, shape), "")
        run(judge, way, inputs(judge, way, (9, 8), np.float64), " of float64")
        run(judge, way, inputs(judge, way, (9, 8)), ", after another one of that shape", again=True)
        a = inputs(judge, way, (6, 8))
        a["x"].view(np.uint32)[2, 3] = 0x7FC01234  # a NaN that can be told from the one of calls.py
        a["x"][4, 7] = 80
        run(judge, way, a, ", with a NaN")

    return check


def layouts(way):
    def check(judge):
        for name in ["x"] if way == "geglu" else ["x", "dy"]:
            for layout in "F", "columns":
                words = "every second column of a wider one" if layout == "columns" else "transposed"
                run(judge, way, inputs(judge, way, (11, 14)), f", {name} is {words}", layouts={name: layout})

    return check


# x and dy: also a dy that could be broadcast, or that has as many elements
WRONG_DY = [[(4, 7), (4, 3)], *([(4, 6), dy] for dy in ((4, 6), (3, 3), (12,), (1, 3), (4, 1), (3,), (), (3, 4), (2, 6), (1, 4, 3)))]


def refused(way):
    shapes = {"geglu": [(4, 6)], "geglu_backward": [(4, 6), (4, 3)]}[way]

    def check(judge):
        for dtype in "int32", "float16", "bfloat16", "complex64":
            settings = {"way": way, "dtypes": [dtype] * len(shapes), "shapes": shapes}
            judge.must_raise("TypeError", "refuse", {}, {}, f"{way} of a tensor of {dtype}", **settings)
        wrong = [[(4, 7)], [()]] if way == "geglu" else WRONG_DY
        for some in wrong:
            settings = {"way": way, "dtypes": ["float32"] * len(shapes), "shapes": some}
            judge.must_raise("ValueError", "refuse", {}, {}, f"{way} of tensors of shape {' and '.join(map(str, some))}", **settings)
        if way != "geglu":
            settings = {"way": way, "dtypes": ["float32", "float64"], "shapes": shapes}
            judge.must_raise("TypeError", "refuse", {}, {}, "geglu_backward, dy of another type", **settings)
        for what, code, text, at_the_end in (
            ("the library has no memory", 2, "out of memory", False),
            ("its work fails, which geglu_wait reports", 719, "unspecified launch failure", True),
        ):
            settings = {"way": way, "code": code, "at_the_end": at_the_end}
            told = judge.must_raise("RuntimeError", "fail", inputs(judge, way, (5, 6)), {}, f"{way}, {what}", **settings)
            if text not in told["text"] or "b'" in told["text"]:
                judge.fail("api_error", f"the RuntimeError says '{told['text']}', and the library '{text}'.")

    return check


def waits(way):
    """Copies of arrays that are large enough to be gone when they are freed."""

    def check(judge):
        for shape, layout in ((20, 12), "C"), ((160, 140), "F"):
            run(judge, way, inputs(judge, way, shape), ", copies late", {"x": layout})
        if way != "geglu":
            run(judge, way, inputs(judge, way, (240, 140)), ", dy transposed, copies late", {"dy": "F"})

    return check


def streams(way):
    def check(judge):
        a = inputs(judge, way, (9, 10))
        answer = judge.run("streams", a, {}, f"{way}, while a side stream is the current one", way=way)
        compare(judge, answer["result"], expected(way, a))
        if not answer["same"]:
            judge.fail("api_error", "the work was queued in a stream other than the one that stream_for has to return.")
        if answer["where"] == "cuda" and answer["waits"]:
            judge.fail("api_error", "the operator waited for the device, although its tensors are there: callers wait when needed.")

    return check


def fakes(way):
    def check(judge):
        for shape, dtype, layout in ((5, 6), np.float32, "C"), ((9, 4), np.float64, "F"), ((2, 3, 8), np.float32, "columns"), ((0, 6), np.float64, "C"):
            a = inputs(judge, way, shape, dtype)
            words = f"the fake kernel of {way}, x {shape} of {np.dtype(dtype)}" + {"C": "", "F": ", transposed", "columns": ", with gaps"}[layout]
            answer = judge.run("fake", {name: (array, layout) for name, array in a.items()}, {}, words, way=way)
            for what, real in answer["real"].items():
                said, wanted = answer["fake"][what], "meta" if what == "device" else real
                if said != wanted and not (what == "strides" and 0 in answer["real"]["shape"]):
                    judge.fail("api_error", f"it returns {what} {said}; the operator's result has {wanted}.")

    return check


def gradients(judge):
    kinds = {
        "dy": "y.backward(dy)",
        "sum": "y.sum().backward()",
        "more": "x is used twice",
        "two": "y.sum().backward(), after geglu of another tensor",
    }
    for kind, words in kinds.items():
        for dtype in np.float32, np.float64:
            a = inputs(judge, "geglu_backward", (8, 10), dtype)
            answer = judge.run("autograd", a, {}, f"the gradient, {words}, {np.dtype(dtype)}", kind=kind)
            dy = a["dy"] if kind == "dy" else np.ones_like(a["dy"])
            compare(judge, answer["result"], backward_cpu(a["x"], dy) + (3 if kind == "more" else 0), dtype)
            for name, right in ("required", True), ("not required", False), ("without", False):
                if answer[name] is not right:
                    judge.fail("api_error", f"requires_grad of the result is {answer[name]}, expected {right} ({name}).")


def gradcheck(judge):
    for layout in "C", "F":
        said = judge.run("check_gradient", {"x": (judge.random((3, 4), -2, 2, np.float64), layout)}, {}, "torch.autograd.gradcheck")["said"]
        if said:
            judge.fail("wrong_result", said)


def second_gradient(judge):
    a = {"x": judge.random((4, 6), -2, 2, np.float64)}
    answer = judge.run("second_gradient", a, {}, "the gradient of the gradient")
    if not answer["refused"]:
        right, found = second_cpu(a["x"]), answer["result"]
        if not isinstance(found, np.ndarray) or found.shape != right.shape or not np.allclose(found, right, 1e-9, 1e-9):
            judge.fail("api_error", "it is wrong, and no error was raised: training with it fails silently.")


def written_between(judge):
    for layout in "C", "F":
        x = judge.random((6, 8), -2, 2, np.float64)
        answer = judge.run("written_between", {"x": (x, layout)}, {}, "the gradient, when x is modified after geglu")
        if not answer["refused"]:
            right, found = backward_cpu(x, np.ones((6, 4))), answer["result"]
            if not isinstance(found, np.ndarray) or found.shape != right.shape or not np.allclose(found, right, 1e-9, 1e-9):
                judge.fail(
                    "api_error",
                    "it is not that of the x passed to geglu, and no error was raised. PyTorch detects this for save_for_backward.",
                )


def traced(judge):
    a = inputs(judge, "geglu_backward", (6, 8))
    seen = judge.run("trace", a, {}, "forward and gradient, without data")["seen"]
    for name in "workbook.geglu.default", "workbook.geglu_backward.default":
        if name not in seen:
            judge.fail("api_error", f"{name} is not among the operators that PyTorch sees: {', '.join(seen) or 'nothing'}.")


def again(judge):
    for way in "geglu", "geglu_backward":
        for dtype in np.float32, np.float64:
            shape = (judge.draw(1, 40), judge.draw(1, 9), 2 * judge.draw(1, 40))
            run(judge, way, inputs(judge, way, shape, dtype), f" of {np.dtype(dtype)}", {"x": ("C", "F", "columns")[judge.draw(0, 2)]})


def part(way):
    return [
        Check(way, f"{way}, random input, no elements, one dimension to three, NaN", sizes(way)),
        Check(way, f"{way} waits before it returns, and keeps its inputs alive", waits(way)),
        Check(way, f"{way} of tensors with gaps, transposed", layouts(way)),
        Check(way, f"{way} rejects invalid inputs, and passes the library's errors on", refused(way)),
        Check(way, f"{way} works in the given stream", streams(way)),
        Check(way, f"{way}'s fake kernel describes the operator's result", fakes(way)),
    ]


CHECKS = [
    *part("geglu"),
    *part("geglu_backward"),
    Check("gradient", "geglu has the right gradient, where one is required", gradients),
    Check("gradient", "geglu passes gradcheck", gradcheck),
    Check("gradient", "there is no second gradient, or the right one", second_gradient),
    Check("gradient", "the gradient is of the x that geglu was given, or there is none", written_between),
    Check("gradient", "torch.compile would see both operators", traced),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("30", __file__, CHECKS))
