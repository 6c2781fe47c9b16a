"""Grader of exercise 33: a softmax with scale and mask, and its way back, as lessons/lesson33_triton/exercise.py describes
them. What is called stands in calls.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main  # noqa: E402

ATOL, RTOL = 1e-6, 2e-5


def softmax_cpu(x, allowed, scale):
    v = np.full(x.shape, -np.inf)
    v[allowed != 0] = x[allowed != 0].astype(np.float64) * np.float32(scale)
    largest = v.max(axis=1, keepdims=True)
    powers = np.exp(v - np.where(np.isinf(largest), 0, largest))
    total = powers.sum(axis=1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def backward_cpu(y, dy, scale):
    y, dy = y.astype(np.float64), dy.astype(np.float64)
    return np.float32(scale) * y * (dy - (y * dy).sum(axis=1, keepdims=True))


def inputs(judge, way, shape, largest=4.0):
    x = judge.random(shape, -largest, largest)
    allowed = (judge.random(shape, 0, 1) < 0.7) * judge.random(shape, 1, 256).astype(np.uint8)
    if way == "softmax":
        x[allowed == 0] = np.resize(np.float32([np.nan, np.inf, 9e4, -np.inf]), (allowed == 0).sum())
        return {"x": x, "allowed": allowed}
    return {"y": softmax_cpu(x, allowed, 1.0).astype(np.float32), "dy": judge.random(shape, -2, 2)}


def run(judge, way, a, what, strides=None, scale=0.75):
    """One call, and its result compared."""
    rows, cols = next(iter(a.values())).shape
    answer = judge.run(
        "compute",
        a,
        {},
        f"{way}, {rows} x {cols}{what}",
        function=way,
        inputs=list(a),
        output="y" if way == "softmax" else "dx",
        strides=strides or [cols] * 3,
        scale=scale,
    )
    expected = (softmax_cpu if way == "softmax" else backward_cpu)(*a.values(), scale)
    judge.compare(answer["y" if way == "softmax" else "dx"], expected, ATOL, RTOL)
    if answer["changed"]:
        judge.fail("wrong_result", f"this was written to: {', '.join(answer['changed'])}.")
    if answer["by others"] is not None:
        judge.fail("not_by_kernel", f"row {answer['by others']} is right, but no kernel has written it.")
    if answer["counted"]:
        require_one_kernel(judge, answer["counted"], way, rows, cols)
    return answer


def require_one_kernel(judge, counted, way, rows, cols):
    """Of every call: the kernel has computed the result, and not only carried it. Of wide rows, in which no lane has
    another one's element, also that each element is read and written once."""
    if counted["threads"] < rows * cols:
        judge.fail("not_by_kernel", "the result is right, but no kernel has computed it.")
    if counted["uploaded"] > 256 + rows * cols // 2:
        judge.fail(
            "not_by_kernel",
            f"the result is right, but kernels may only have carried it: the host handed {counted['uploaded']} bytes to the device.",
        )
    if counted["downloaded"]:
        judge.fail("access_limit", f"{counted['downloaded']} bytes were copied from the device to the CPU; none need be.")
    if counted["launches"] > 1:
        judge.fail("access_limit", f"{counted['launches']} kernels were launched; one would do.")
    element = {"softmax": 4 + 1, "softmax_backward": 4 + 4}[way]
    for kind, done, needed in ("load", "read", element), ("store", "written", 4):
        most = 1.05 * rows * cols * needed
        if cols > 1024 and counted[kind + "_bytes"] > most:
            judge.fail(
                "access_limit",
                f"{counted[kind + '_bytes']} bytes were {done}, where {rows * cols * needed} would do: is something {done} twice?",
            )


# Each power of two of columns is compiled anew, and so is each kind of stride; so these are few.
def sizes(way):
    def check(judge):
        for shape in (5, 3), (0, 3), (7, 33), (300, 39), (2, 1025), (3, 4096), (1, 1), (70000, 1):
            run(judge, way, inputs(judge, way, shape), "")

    return check


def strides(way):
    def check(judge):
        run(judge, way, inputs(judge, way, (9, 39)), ", rows 43, 41 and 57 elements apart", strides=[43, 41, 57])

    return check


def extremes(judge):
    for scale in 0.5, 4.0, 1.0:  # a power of two: scale * x is exact
        a = inputs(judge, "softmax", (8, 39), 10000.0 / scale)
        run(judge, "softmax", a, f", scale = {scale}, scale * x up to 10000", scale=scale)
        a["x"] = np.float32(-9000 / scale) + judge.random((8, 39), -1, 1)
        run(judge, "softmax", a, f", scale = {scale}, scale * x near -9000", scale=scale)
    a["allowed"][:] = 0
    a["allowed"][1, 38], a["allowed"][2, 5:] = 1, 128
    run(judge, "softmax", a, ", rows in which nothing is allowed", scale=1.0)


def nothing_allowed(judge):
    for shape in (5, 3), (8, 39):
        a = inputs(judge, "softmax", shape)
        a["allowed"][:] = 0
        run(judge, "softmax", a, ", nothing is allowed")


def once(way):
    def check(judge):
        run(judge, way, inputs(judge, way, (60, 1033)), "")

    return check


def again(judge):
    for way in "softmax", "softmax_backward":
        for rows, cols in (judge.draw(1, 99), judge.draw(33, 63)), (judge.draw(1, 20), judge.draw(1026, 2047)):
            distances = [cols + judge.draw(0, 9) for _ in range(3)]
            run(judge, way, inputs(judge, way, (rows, cols)), "", strides=distances, scale=judge.draw(1, 32) / 8)


def part(way):
    return [
        Check(way, f"{way}, random input, 0 to 70000 rows, 1 to 4096 columns", sizes(way)),
        Check(way, f"{way} of rows with gaps between them", strides(way)),
        Check(way, f"{way}, one kernel that reads once", once(way), emulator_only=True),
    ]


CHECKS = [
    *part("softmax"),
    Check("nothing allowed", "softmax where nothing is allowed", nothing_allowed),
    Check("softmax", "softmax of large numbers, and of rows in which nothing is allowed", extremes),
    *part("softmax_backward"),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("33", __file__, CHECKS))
