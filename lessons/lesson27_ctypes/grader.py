"""Grader of exercise 27: a binding with ctypes."""

# library: layer.cu

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools" / "grading"), str(HERE)]
from judge import main  # noqa: E402
from layer_checks import CHECKS  # noqa: E402

if __name__ == "__main__":
    sys.exit(main("27", __file__, CHECKS))
