"""calls.py - what the grader of exercise 30 has done with the student's module, in the runner's process: a function for
each kind of job. What it returns goes back to the grader."""

import os

import numpy as np

LIBRARIES = ""  # the runner says where


def compute(student, arrays, factor):
    library = student.load(os.path.join(LIBRARIES, "libpytorch.so"))
    result = student.scale(library, arrays["x"], factor)
    return {"y": np.array(result) if isinstance(result, np.ndarray) else type(result).__name__}


def wrong_length(student, arrays):
    library = student.load(os.path.join(LIBRARIES, "libpytorch.so"))
    student.check(library, library.pytorch_scale(None, None, -1, 1.0))
    return {}
