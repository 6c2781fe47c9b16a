"""Grader of exercise 34: a layer's bias and GELU, and the way back, as lessons/lesson34_numba/exercise.py describes them.
What is called stands in calls.py."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main  # noqa: E402

ATOL, RTOL = 2e-6, 2e-5
SHAPES = [(5, 3), (1, 1), (0, 4), (3, 0), (0, 0), (1, 31), (33, 7), (1000, 1), (1025, 3), (2, 1025), (300, 70), (1, 70000), (70000, 1)]
SECTORS = 5  # per request: 4 is the least for 32 threads with a float each
LAUNCHES = {"forward": 1, "backward": 4}
HANDED, PARAMETERS = 256, 1024  # bytes that the host may hand to the device: in memory, and in parameters beyond 256

erf = np.vectorize(math.erf, otypes=[np.float64])


def forward_cpu(a):
    v = (a["x"] + a["bias"]).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return 0.5 * v * (1 + erf(v / math.sqrt(2)))


def backward_cpu(a):
    v = (a["x"] + a["bias"]).astype(np.float64)
    below = 0.5 * (1 + erf(v / math.sqrt(2)))
    dx = a["dy"].astype(np.float64) * (below + v * np.exp(-0.5 * v * v) / math.sqrt(2 * math.pi))
    return dx, dx.sum(0)


def inputs(judge, way, shape):
    a = {"x": judge.random(shape, -4, 4), "bias": judge.random(shape[1:], -1, 1)}
    if way == "backward":
        a["dy"] = judge.random(shape, -2, 2)
    return a


def run(judge, way, a, what, layouts=None, **settings):
    """One call, and its results compared."""
    given = {name: (array, (layouts or {}).get(name, "C")) for name, array in a.items()}
    rows, cols = a["x"].shape
    answer = judge.run("compute", given, {}, f"{way}, {rows} x {cols}{what}", way=way, **settings)
    if answer["results"] != (2 if way == "backward" else 1):
        judge.fail("wrong_result", f"{answer['results']} results were returned.")
    for name, right, atol in expected(way, a):
        one_result(judge, answer, name, right, atol)
    if answer["changed"]:
        judge.fail("wrong_result", f"this was modified: {', '.join(answer['changed'])}, an input, or memory next to it.")
    if answer["counted"]:
        require_kernels(judge, answer["counted"], way, a["x"].size)
        if not layouts:
            require_few_sectors(judge, answer["counted"])
    return answer


def expected(way, a):
    if way == "forward":
        return [("y", forward_cpu(a), ATOL)]
    dx, dbias = backward_cpu(a)
    return [("dx", dx, ATOL), ("dbias", dbias, ATOL * max(1 + len(dx) ** 0.5, len(dx) / 32))]


def require_kernels(judge, counted, way, elements):
    """Of every call: kernels have computed the result, and not only carried it."""
    if counted["threads"] < elements:
        judge.fail("not_by_kernel", "the result is right, but no kernel has computed it.")
    if counted["copied_out"]:
        judge.fail("access_limit", f"{counted['copied_out']} bytes were copied to the CPU; none need be.")
    handed = counted["copied_in"] + counted["read_there"] + counted["filled"]
    if handed > HANDED or counted["parameters"] > PARAMETERS:
        judge.fail(
            "not_by_kernel",
            f"the result is right, but kernels may only have carried it: the host handed {handed + counted['parameters']} "
            "bytes to the device.",
        )
    if counted["launches"] > LAUNCHES[way]:
        judge.fail("access_limit", f"{counted['launches']} kernels were launched; {LAUNCHES[way]} are plenty.")


def require_few_sectors(judge, counted):
    for kind, what in ("load", "loads"), ("store", "stores"):
        each = counted[kind + "_sectors"] / max(1, counted[what])
        if each > SECTORS:
            judge.fail(
                "access_limit",
                f"{each:.1f} sectors per request of the {what}, at most {SECTORS}: neighbouring threads have to access neighbouring columns.",
            )


def one_result(judge, answer, name, right, atol):
    found, subject = answer[name], judge.subject
    if isinstance(found, str):
        judge.fail("wrong_result", f"{name}: expected a C-contiguous array of float32 on the device; {found} was returned.")
    judge.subject = f"{subject}, {name}"
    judge.compare(found, right, atol, RTOL)
    first = answer[name + " not by kernels"]
    if first is not None:
        judge.fail("not_by_kernel", f"element {first // 4} is right, but no kernel has written it.")
    if answer[name + " aliases"]:
        judge.fail("wrong_result", "the result shares memory with an input.")
    judge.subject = subject


def sizes(way):
    def check(judge):
        for shape in SHAPES:
            run(judge, way, inputs(judge, way, shape), "")
        run(judge, way, inputs(judge, way, (20, 40)), ", arrays of Numba's", numbas=True)
        if way == "forward":
            a = inputs(judge, way, (40, 5))
            a["x"][3, 1], a["x"][7, 2] = np.nan, 100
            run(judge, way, a, ", with a NaN")

    return check


def first_blocks(judge):
    for shape in (8, 32), (20, 70):
        run(judge, "forward", inputs(judge, "forward", shape), "")


def layouts(way):
    """Each combination is compiled anew, so there are few."""

    def check(judge):
        for x, bias, dy in (("F", "columns", "columns"), ("columns", "C", "F")):
            a = inputs(judge, way, (41, 17))
            words = {"F": "transposed", "columns": "every second column of a wider array", "C": "contiguous"}
            what = f", x {words[x]}" + (", bias every second element of a longer array" if bias != "C" else "")
            what += f", dy {words[dy]}" if way == "backward" else ""
            run(judge, way, a, what, layouts={"x": x, "bias": bias, "dy": dy})

    return check


def stays(way):
    def check(judge):
        answer = run(judge, way, inputs(judge, way, (64, 96)), "")
        if answer["copies"]:
            judge.fail("access_limit", f"{answer['copies']} arrays were copied between CPU and device; none need be.")

    return check


def new_arrays(way):
    def check(judge):
        a = inputs(judge, way, (20, 40))
        answer = judge.run("twice", a, {}, f"{way}, 20 x 40, and then of another x", way=way)
        for name, right, atol in expected(way, a):
            judge.subject = f"{way}, 20 x 40, the first {name} after a second call"
            judge.compare(answer[name], right, atol, RTOL)

    return check


def fp64(way):
    def check(judge):
        answer = judge.run("fp64", inputs(judge, way, (20, 20)), {}, f"{way}, the kernels' PTX", way=way)
        if answer["many"]:
            shown = ", ".join(answer["fp64"][:4])
            judge.fail(
                "access_limit",
                f"{answer['many']} instructions of fp64 are in the PTX ({shown} ...): a Python number, even an integer, makes its operand fp64.",
            )

    return check


def sectors(way):
    def check(judge):
        run(judge, way, inputs(judge, way, (64, 256)), "")

    return check


def again(judge):
    for way in "forward", "backward":
        a = inputs(judge, way, (judge.draw(1, 300), judge.draw(1, 60)))
        run(judge, way, a, "")


def part(way):
    return [
        Check(way, f"{way}, random input, 0 to 70000 rows and columns", sizes(way)),
        Check(way, f"{way} of arrays with gaps, transposed", layouts(way)),
        Check(way, f"{way} stays on the device", stays(way)),
        Check(way, f"{way} makes new arrays", new_arrays(way)),
        Check(way, f"{way} computes in fp32", fp64(way)),
        Check(way, f"{way}, sectors per request", sectors(way), emulator_only=True),
    ]


CHECKS = [
    Check("first blocks", "forward, one block and nine", first_blocks),
    *part("forward"),
    *part("backward"),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("34", __file__, CHECKS))
