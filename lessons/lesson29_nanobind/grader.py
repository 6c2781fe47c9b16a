"""Grader of exercise 29: a binding with nanobind of an object that owns memory on the device, with views of it."""

# exercise: exercise.cpp
# library: average.cu

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main  # noqa: E402

ATOL, RTOL = 1e-6, 1e-5
SIZES = [1, 31, 33, 1000, 1025]


def expected(xs, shares, mark):
    """What the library has after the updates, each larger by `mark`."""
    values = np.zeros(xs[0].shape, np.float64)
    for x, share in zip(xs, shares):
        values += np.float32(share) * (np.float32(x).astype(np.float64) - values) + mark
    return values


def compare(judge, found, values):
    """`found` is an array, or what is wrong with it."""
    if isinstance(found, str):
        judge.fail("wrong_result", f"{found}.")
    judge.compare(found, values, ATOL, RTOL)


def run(judge, xs, shares, what, there=False, layout="C", delay=0):
    """Some updates, and what view and copy have. The library adds a number that was drawn to all of it: so it is the
    library's."""
    mark = judge.draw(8, 24) / 8
    where = "on the device" if there else "in CPU memory"
    given = {f"x{k}": (x, layout) for k, x in enumerate(xs)}
    words = f"{len(xs)} update{'s' * (len(xs) != 1)}, n = {xs[0].shape[0]}, x {where}{what}"
    answer = judge.run("update", given, {}, words, shares=shares, there=there, delay=delay, mark=mark)
    for name in "view", "numpy":
        refuse_others(judge, answer[name], expected(xs, shares, 0))
        compare(judge, answer[name], expected(xs, shares, mark))
    judge.require_kernels(answer, len(xs), sum(x.size for x in xs))
    if there and answer["given back"] != answer["exported"]:
        judge.fail("leak", f"x was exported {answer['exported']} times, and released {answer['given back']} times.")
    return answer


def refuse_others(judge, found, unmarked):
    if isinstance(found, np.ndarray) and found.shape == unmarked.shape and np.allclose(found, unmarked, RTOL, ATOL):
        judge.fail("not_by_kernel", "the values are right, and they are not the library's: something else has computed them.")


def draw(judge, n, dtype=np.float32, times=1):
    return [judge.random((n,), -20, 20, dtype) for _ in range(times)]


def sizes(there):
    def check(judge):
        for n in SIZES:
            run(judge, draw(judge, n, times=3), [1.0, 0.25, 0.125], "", there)
        x = draw(judge, 40)
        x[0][3] = np.nan
        run(judge, x, [0.5], ", with a NaN", there)

    return check


def layouts(judge):
    for dtype in np.float64, np.int32, np.int64, np.float16, np.int8:
        run(judge, draw(judge, 70, dtype, 2), [1.0, 0.5], f" of {np.dtype(dtype).name}")
    for layout in "C read-only", "columns read-only":
        run(judge, draw(judge, 70), [0.5], ", read-only" + ", every second element" * ("columns" in layout), layout=layout)
    run(judge, draw(judge, 70, times=2), [1.0, 0.5], ", every second element", layout="columns")
    run(judge, draw(judge, 70, np.float64), [0.5], " of float64, every second element", layout="columns")


def refused(there):
    def check(judge):
        where = "on the device" if there else "in CPU memory"
        for n in (9, 11, 1):
            words = f"n = 10, and x {where} has {n} elements"
            judge.must_raise("ValueError", "refuse", {"x": draw(judge, n)[0]}, {}, words, n=10, there=there)
        for shape in ((5, 2), (1, 10), (10, 1), (10, 10), *([] if there else [()])):
            words = f"n = 10, and x {where} has the shape {shape}"
            judge.must_raise("TypeError", "refuse", {"x": judge.random(shape, -1, 1)}, {}, words, n=10, there=there)
        for kind in ("gaps",) if there else ("list", "None", "text"):
            words = "n = 10, and x on the device has gaps" if there else f"n = 10, and x is no array: {kind}"
            judge.must_raise("TypeError", "refuse", {"x": draw(judge, 10)[0]}, {}, words, n=10, there=there, kind=kind)
        words = f"share without its name, x {where}"
        judge.must_raise("TypeError", "refuse", {"x": draw(judge, 10)[0]}, {}, words, n=10, there=there, by_name=False)
        if there:
            for dtype in np.float64, np.float16, np.int32:
                words = f"x on the device is of {np.dtype(dtype).name}"
                judge.must_raise("TypeError", "refuse", {"x": draw(judge, 10, dtype)[0]}, {}, words, n=10, there=True)

    return check


def waits(there):
    """The library's work begins late, as behind other work: what has not waited has nothing, and what is gone is not
    there."""

    def check(judge):
        for n in (60, 1500):
            run(judge, draw(judge, n, times=2), [1.0, 0.5], ", on a busy GPU", there, delay=40)
        if not there:
            run(judge, draw(judge, 700, np.float64), [0.5], " of float64, on a busy GPU", delay=40)

    return check


def others_run(way, there=False):
    def check(judge):
        words = f"{way}{' with x on the device' * there}, while another Python thread is waiting to run"
        if not judge.run("beside_a_thread", {"x": draw(judge, 40)[0]}, {}, words, way=way, there=there)["ran"]:
            judge.fail("api_error", f"while {way} waited for the library, no other thread of Python could run: it kept the GIL.")

    return check


LIVES = {
    "before": 0,
    "an average": 1,
    "forgotten, after 50 views": 0,
    "a view alone": 1,
    "others beside it": 1,
    "a capsule alone": 1,
    "a capsule is read": 1,
    "nothing": 0,
    "a copy alone": 0,
}


def owned(judge):
    (x,) = draw(judge, 300)
    judge.subject = "lifetimes of views, capsules and copies"
    right = {"before": 0 * x, "after": x, "later": x, "capsule": x, "copy": 0 * x}

    def look(answer):
        if answer.get("one place") is False:
            judge.fail("wrong_result", "two views of the same values have two addresses: views are expected, and these are copies.")
        for name in right.keys() & answer.keys():
            compare(judge, answer[name], right[name])

    judge.lives("life", {"x": x}, LIVES, "average", look)


def copied(judge):
    (x,) = draw(judge, 300)
    found = judge.run("copies", {"x": x}, {}, "numpy() before and after an update, and 30 times 4 MB")
    for name, values in (("first", 0 * x), ("second", x), ("third", x)):
        compare(judge, found[name], values)
    if found["shared"]:
        judge.fail("wrong_result", "two calls of numpy() returned the same memory.")
    if found["grown"] > 60:
        judge.fail("leak", f"30 times numpy() of 4 MB, each forgotten: {found['grown']:.0f} MB more are in use.")


def not_created(judge):
    for n in 0, -3:
        require_error(judge, judge.must_raise("AverageError", "create", {}, {}, f"Average({n})", n=n))


def errors(judge):
    for share in 0.0, -0.5, 1.5:
        told = judge.must_raise("AverageError", "refuse", {"x": draw(judge, 5)[0]}, {}, f"share = {share}", n=5, share=share)
        require_error(judge, told)
    for n in 0, -3:
        require_error(judge, judge.must_raise("AverageError", "create", {}, {}, f"Average({n})", n=n))


def require_error(judge, told):
    if told["code"] != 1:
        judge.fail("api_error", f"the AverageError has the code {told['code']}, not the library's 1.")
    if "invalid argument" not in told["text"]:
        judge.fail("api_error", f"the AverageError says '{told['text']}', and the library 'invalid argument'.")


def again(judge):
    for there in False, True:
        shares = [judge.draw(1, 16) / 16 for _ in range(4)]
        run(judge, draw(judge, judge.draw(1, 3000), times=4), shares, "", there)
    run(judge, draw(judge, judge.draw(1, 3000), np.float64), [judge.draw(1, 16) / 16], " of float64")


CHECKS = [
    Check("update", "updates from CPU memory, random input, 1 to 1025 values, NaN", sizes(False)),
    Check("update", "update waits before it returns, and keeps its inputs alive", waits(False)),
    Check("update", "x of float64, of whole numbers, with gaps", layouts),
    Check("update", "x of another length or shape, and share without its name, are refused", refused(False)),
    Check("update", "update lets other threads run while it waits", others_run("update")),
    Check("there", "updates from device memory of any library", sizes(True)),
    Check("there", "x on the device that does not fit is refused", refused(True)),
    Check("there", "x is released when the work is complete, and not before", waits(True)),
    Check("there", "update from the device lets other threads run", others_run("update", True)),
    Check("values", "a view is not a copy, and keeps alive only what it needs", owned),
    Check("values", "numpy() is a copy with memory of its own, which is freed", copied),
    Check("values", "numpy() lets other threads run while it waits", others_run("numpy")),
    Check("creation", "an average that cannot be created is an AverageError", not_created),
    Check("values", "an error of the library becomes an AverageError", errors),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("29", __file__, CHECKS))
