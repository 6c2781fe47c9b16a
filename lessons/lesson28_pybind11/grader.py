"""Grader of exercise 28: a binding of lesson 27's library with pybind11. It must do what that of exercise 27 does, and
let other threads run."""

# exercise: exercise.cpp
# library: ../lesson27_ctypes/layer.cu

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LESSON27 = HERE.parent / "lesson27_ctypes"
sys.path[:0] = [str(HERE.parents[1] / "tools" / "grading"), str(LESSON27)]
from judge import Check, main  # noqa: E402
from layer_checks import CHECKS, others_run  # noqa: E402

OWN = [
    Check("forward", "forward lets other threads run while it waits", others_run("forward")),
    Check("backward", "backward lets other threads run while it waits", others_run("backward")),
]

if __name__ == "__main__":
    sys.exit(main("28", __file__, [*CHECKS[:-1], *OWN, CHECKS[-1]], str(LESSON27 / "calls.py")))
