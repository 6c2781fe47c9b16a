"""Grader of exercise 00: skeleton, as lessons/lesson00_skeleton/exercise.py describes it. What is called stands in
calls.py. FILL IN: what this exercise is about."""

# library: skeleton.cu

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "grading"))
import numpy as np  # noqa: E402
from judge import Check, main  # noqa: E402

ATOL, RTOL = 1e-6, 1e-6


def run(judge, x, factor, what="", layout="C"):
    answer = judge.run("compute", {"x": (x, layout)}, {}, f"n = {x.shape[0]}, factor {factor}{what}", factor=factor)
    judge.compare(answer["y"], np.float32(factor) * x.astype(np.float32).astype(np.float64), ATOL, RTOL)
    return answer


def random_input(judge):
    for n in 1000, 1, 31, 32, 33, 1025, 0, 100003:
        run(judge, judge.random(n, -4, 4), 3.0)
    run(judge, judge.random(100, -4, 4), -0.5)


def layouts(judge):
    run(judge, judge.random(100, -4, 4, np.float64), 3.0, ", float64")
    run(judge, judge.random(100, -4, 4), 3.0, ", every second element of a longer array", layout="columns")


def by_kernels(judge):
    answer = run(judge, judge.random(1000, -4, 4), 3.0)
    judge.require_kernels(answer, 1, 1000)


def errors(judge):
    told = judge.must_raise("RuntimeError", "wrong_length", {}, {}, "n = -1")
    if "invalid argument" not in told["text"]:
        judge.fail("api_error", f"the exception says '{told['text']}', and the library 'invalid argument'.")


def again(judge):
    run(judge, judge.random(judge.draw(1, 100000), -4, 4), judge.draw(1, 40) / 8)


CHECKS = [
    Check("scale", "scale, random input, n = 0, 1, around 32, 1000, 1025, 100003", random_input),
    Check("scale", "scale of float64, and of arrays with gaps", layouts),
    Check("scale", "scale has the library do the work, once", by_kernels, emulator_only=True),
    Check("errors", "an error of the library becomes an exception", errors),
    Check(None, "again in a new process, with sizes and inputs drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("00", __file__, CHECKS))
