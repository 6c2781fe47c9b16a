"""show.py - selects the calls of a grader in Python that represent an exercise: one for each way to call it (forward, backward),
as show.cpp does for a grader in C++. Nothing is judged, and no student code is loaded.

    python -I grader.py --jobs FILE        writes them to FILE, for call_exercise.py
"""

import pickle

import numpy as np
from judge import Judge

ENOUGH = 16384  # bytes that are given: larger calls add no information


class Nothing(dict):
    """An empty answer: it contains nothing for a grader's check to read."""

    emulator: dict = {}

    def __missing__(self, name):
        return None


class Shower(Judge):
    """Records the jobs that a check sends to its runner."""

    def __init__(self, seed):
        super().__init__(None, None, seed, None)
        self.taken = []

    def try_run(self, call, given, wanted, subject, **settings):
        arrays = {name: one if isinstance(one, tuple) else (one, "C") for name, one in given.items()}
        self.taken.append((call, arrays, settings))
        return Nothing()

    def must_raise(self, *_, **__):
        """A call to be refused does not represent the exercise."""
        return Nothing()

    def fail(self, *_):
        pass

    compare = lives = require_work = require_kernels = fail


def taken_from(checks):
    """All calls that the checks make before they fail on an empty answer."""
    for check in checks:
        if check.part is not None:
            shower = Shower(1)
            try:
                check.run(shower)
            except Exception:
                pass
            yield from shower.taken


def label(settings):
    """The settings that distinguish two ways to call the exercise: words and switches."""
    return tuple(sorted((name, value) for name, value in settings.items() if isinstance(value, (str, bool))))


def size_of(arrays):
    return sum(np.asarray(array).nbytes for array, _ in arrays.values())


def choose(checks):
    """For each label the first call that is large enough, else the largest one. The first kind of call is the plain one."""
    chosen, plain = {}, None
    for call, arrays, settings in taken_from(checks):
        plain = plain or call
        # Settings that delay the library, or enlarge its results, serve only the grader.
        settings = {name: value for name, value in settings.items() if name not in ("delay", "mark")}
        known = chosen.get(label(settings))
        if call == plain and (not known or size_of(known[1]) < min(ENOUGH, size_of(arrays))):
            chosen[label(settings)] = (call, arrays, settings)
    return list(chosen.values())


def write_jobs(path, checks, calls):
    with open(path, "wb") as file:
        pickle.dump({"calls": calls, "jobs": choose(checks)}, file)
