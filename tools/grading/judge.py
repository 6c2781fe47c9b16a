"""judge.py - what a grader in Python stands on: checks by name, jobs for the runner, and the report. It never imports
the student's file.

    def sizes(judge):
        for rows in 0, 1, 31:
            x = judge.random((rows, 5), -3, 3)
            answer = judge.run("forward", {"x": x}, {}, f"forward, {rows} rows", scale=2.0)
            judge.compare(answer["y"], expected, 1e-6, 1e-5)

    sys.exit(main("27", __file__, [Check("forward", "forward, random input", sizes), ...]))

`run` has the function `forward` of calls.py called in the runner, with the student's module, the arrays, and the
settings; what that returns is the answer. Called by tools/grading/run, in the workbook's folder:

    python -I grader.py EXERCISE.py SOURCE LOG cpu|gpu LIBRARIES        the nonce of the log comes over descriptor 9
    python -I grader.py --jobs FILE                                     show.py: for make exercise33 profile

EXERCISE is a module in Python, or one that was compiled of C++, exercise.so.
"""

import ctypes
import os
import random
import re
import sys
import time
from dataclasses import dataclass
from typing import Callable

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import numpy as np  # noqa: E402
from child import Child, Ended, Setup  # noqa: E402

from common import verify  # noqa: E402

STEPS = {
    "not_implemented": "do the TODOs of your file in their order",
    "nan": "follow such an input through your code by hand",
    "crash": "ask of each address on its way from Python whether all of its 64 bits arrive, and whether its memory still lives",
    "stale_output": "ask who should have written it, and what makes you wait for that",
    "out_of_bounds": "compare the largest index, or the length that you hand over, with that of the array, in elements and in bytes",
    "race": "ask what makes the second of the two accesses above wait for the first",
    "uninitialized": "ask who should have written the element that is named above, and when",
    "divergent_barrier": "ask of each thread of the block to which barriers it comes, and how often",
    "timeout": "ask of each loop, and of each wait, what ends it",
}


RAISED = "ask why that line raises it, and who was to catch it"


def with_article(name):
    """The name with its article, by its first letter: a KeyError, an IndexError."""
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


class Failure(Exception):
    def __init__(self, verdict, message, step=None):
        super().__init__(message)
        self.verdict, self.step = verdict, step or STEPS.get(verdict)


@dataclass
class Check:
    part: str | None  # None: run when all others have passed
    name: str
    run: Callable
    emulator_only: bool = False


# What commands a terminal, what ends a line elsewhere, and what turns the direction of writing; visible.h in Python.
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffd]")
# What GitHub's log would take for a command.
LOG_COMMAND = re.compile(r"^(\s*):(?=:.*::)|(?<=#)#(?=\[)")


def visible(line):
    """What is shown of a line that is not ours: no character that commands a terminal, and files by the names that the
    student knows."""

    def instead(match):
        code = ord(match[0])
        return "^" + chr(code ^ 0x40) if code < 0x80 else "?"

    shown = COMMANDS.sub(instead, line.removesuffix(b"\r").decode("utf-8", "replace"))
    shown = LOG_COMMAND.sub(lambda match: (match[1] or "") + "?", shown)
    for pair in os.environ.get("GRADER_NAMES", "").split("\n"):
        if "\t" in pair:
            shown = shown.replace(*pair.split("\t", 1))
    return shown


class Report:
    """On stdout for the student; in the log, where lines of ours begin with the nonce, for write_results. report.h in
    Python."""

    def __init__(self, path, nonce):
        self.nonce, self.start, self.line = nonce, time.monotonic(), b""
        self.log = open(path, "w", encoding="utf-8")
        self.times = open(path + ".times", "w", encoding="utf-8")

    def foreign(self, text):
        """What the student's program prints: no line of it may look like one of ours."""
        *lines, self.line = (self.line + text).split(b"\n")
        for line in lines:
            shown = visible(line)
            if self.nonce in shown or shown.startswith("========= ERROR SUMMARY:"):
                continue
            print(shown, file=self.log)
            if not shown.startswith("VERDICT: "):
                print(shown, flush=True)

    def end_line(self):
        if self.line:
            self.foreign(b"\n")

    def keep(self, text):
        print(f"{time.monotonic() - self.start:.3f}", file=self.times)
        print(f"{self.nonce}{text}", file=self.log)

    def check(self, state, name, shown):
        self.end_line()
        print(f"  {state:7} {shown}", flush=True)
        self.keep(f"  {state:7} {name}")

    def extra(self, text, on_stdout=True):
        self.end_line()
        print(text, file=self.log)
        if on_stdout:
            print(text, flush=True)

    def verdict(self, word):
        self.end_line()
        self.keep(f"VERDICT: {word} {self.nonce}")
        self.log.close()
        self.times.close()


class Answer(dict):
    """What calls.py has returned, arrays and other values by their names; `emulator`: what that has counted: launches,
    warp_instructions, instructions (of threads), uploaded (bytes that the host handed to the device beside the given
    arrays) and downloaded, with their parts by the names of emulator.h's struct emulatorHostBytes."""

    emulator: dict


class Judge:
    """For one check: a runner, which may be that of the check before, and what is drawn."""

    def __init__(self, setup, report, seed, child):
        self.setup, self.report, self.subject, self.child = setup, report, "", child
        self.generator, self.drawing = np.random.default_rng(seed), random.Random(seed)

    def random(self, shape, low, high, dtype=np.float32):
        return self.generator.uniform(low, high, shape).astype(dtype)

    def draw(self, low, high):
        return self.drawing.randint(low, high)

    def fail(self, verdict, message):
        raise Failure(verdict, message)

    def open(self):
        """A new runner imports the student's file here."""
        if self.child:
            return
        self.child = Child(self.setup, self.report.foreign)
        answer = self.ask({})[0]
        if "broken" in answer:
            told = answer["broken"]
            verdict = "compile_error" if "SyntaxError" in told["bases"] else "crash"
            self.fail(verdict, f"the file cannot be imported: {self.words_of(told)}")

    def ask(self, job, arrays=()):
        try:
            return self.child.ask(job, arrays)
        except Ended as ended:
            self.fail(ended.verdict, f"{ended}.")

    def words_of(self, told):
        place = f"\n          line {told['line']}: {told['source']}" if told.get("line") else ""
        return f"{told['type']}: {told['text']}{place}"

    def try_run(self, call, given, wanted, subject, **settings):
        """As run; an exception of the student's code is a part of the answer, as "raised"."""
        self.subject = subject
        orders, contents = [], []
        for name, array in given.items():
            array, layout = array if isinstance(array, tuple) else (array, "C")
            orders.append(
                {"name": name, "dtype": array.dtype.str, "shape": array.shape, "layout": layout, "given": True}
            )
            contents.append(array)
        for name, (shape, dtype, layout) in wanted.items():
            orders.append(
                {"name": name, "dtype": np.dtype(dtype).str, "shape": shape, "layout": layout, "given": False}
            )
        told, results = self.ask({"call": call, "settings": settings, "orders": orders}, contents)
        answer = Answer(told)
        try:
            answer.update(zip(told["attached_names"], results))
            answer.emulator = told["emulator"]
            self.look_around(answer, told)
        except (KeyError, TypeError):
            self.fail("crash", "what came back is no answer.")
        return answer

    def look_around(self, answer, told):
        verdict = answer.emulator.get("verdict", "none")
        if verdict != "none":
            self.fail(verdict, "the emulator's report is above.")
        for name, array in told["arrays"].items():
            if array["damaged"] is not None:
                self.fail(
                    "out_of_bounds",
                    f"something was written outside of {name}, at byte {array['damaged']} from its beginning.",
                )
            if array["changed"]:
                self.fail("wrong_result", f"the input {name} was changed.")

    def run(self, call, given, wanted, subject, **settings):
        answer = self.try_run(call, given, wanted, subject, **settings)
        told = answer.get("raised")
        if told:
            self.refuse_todo(told)
            raise Failure("crash", self.words_of(told), RAISED)
        return answer

    def refuse_todo(self, told):
        """Libraries raise a NotImplementedError of their own: that of a TODO has the word in its text, or no text."""
        if "NotImplementedError" in told["bases"] and (not told["text"] or "TODO" in told["text"]):
            self.fail("not_implemented", self.words_of(told))

    def must_raise(self, wanted, call, given, outputs, subject, **settings):
        """What the exercise promises to refuse. `wanted`: the exception's name, or one of its bases'."""
        answer = self.try_run(call, given, outputs, subject, **settings)
        told = answer.get("raised")
        if not told:
            self.fail("api_error", f"it returned as if all were well; {with_article(wanted)} is promised.")
        self.refuse_todo(told)
        if wanted not in told["bases"]:
            self.fail("api_error", f"{with_article(wanted)} is promised; this was raised: {self.words_of(told)}")
        return told

    def compare(self, found, expected, atol, rtol):
        """Finds the first element that is wrong."""
        if not isinstance(found, np.ndarray):
            self.fail("wrong_result", f"an array is promised, and {with_article(type(found).__name__)} came back.")
        if found.shape != expected.shape or found.dtype != np.float32:
            self.fail("wrong_result", f"shape {found.shape} of {found.dtype}, expected {expected.shape} of float32.")
        bad = np.argwhere(verify.wrong(found, expected, atol, rtol))
        if not bad.size:
            return
        at = tuple(int(index) for index in bad[0])
        place = f"element {at[0] if len(at) == 1 else at}"
        many = f" ({len(bad)} of {found.size} are wrong)"
        if verify.is_poison(found)[at]:
            self.fail("stale_output", f"{place} was never written, expected {expected[at]:.9g}{many}")
        word = "nan" if np.isnan(found[at]) != np.isnan(expected[at]) else "wrong_result"
        self.fail(word, f"{place}: expected {expected[at]:.9g}, found {found[at]:.9g}{many}")

    def lives(self, call, given, steps, one, look=lambda answer: None, **settings):
        """Calls `call` once for each step, looks at its answer, and compares how many objects of the library there are then
        with those after the first step. `one`: the grader's word for such an object."""
        before = None
        for step, right in steps.items():
            look(self.run(call, given, {}, self.subject, step=step, **settings))
            before = self.child.objects() if before is None else before
            found = self.child.objects() - before
            if found != right:
                word = "leak" if found > right else "use_after_free"
                self.fail(word, f"{step}: {found} {one}{'s' * (found != 1)} of the library, expected {right}")

    def require_work(self, answer, results, upload=0):
        """On the emulator: that `results` bytes came from the device, and that the host had not handed them to it: what it
        hands over beside the given arrays may be less than `upload` and half of the results. Otherwise kernels may only
        have carried what NumPy has computed."""
        counted = answer.emulator
        if not counted:
            return
        if counted["downloaded"] < results:
            self.fail(
                "not_by_kernel",
                f"the result is right, but it has {results} bytes, and {counted['downloaded']} came from the device.",
            )
        if counted["uploaded"] >= upload + results / 2:
            self.fail(
                "not_by_kernel",
                f"the result is right, but kernels may only have carried it: the host handed {counted['uploaded']} bytes "
                f"to the device beside the given arrays, and the result has {results}.",
            )

    def require_kernels(self, answer, launches, elements, results=None, upload=0):
        """On the emulator: that kernels have done the work, and not more often than needed; with `results`, also
        require_work."""
        counted = answer.emulator
        if results is not None:
            self.require_work(answer, results, upload)
        if counted and (counted["launches"] < launches or counted["instructions"] < elements):
            self.fail(
                "not_by_kernel",
                "the result is right, but it does not come from the library: no kernel has computed it.",
            )
        if counted and counted["launches"] > launches:
            self.fail("access_limit", f"{counted['launches']} kernels were launched, {launches} would do.")


class Grading:
    """Python and NumPy take a while to start, so checks share a runner, until one fails; the last one, with drawn
    inputs, has its own."""

    def __init__(self, number, setup, report):
        self.number, self.setup, self.report, self.first_verdict, self.child = number, setup, report, "", None

    def end_child(self):
        if self.child:
            self.child.stop()
        self.child = None

    def one(self, check):
        """The verdict, or None when it has passed."""
        seed = 1
        if check.part is None:
            self.end_child()
            seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**9))
        again = f" (SEED={seed} repeats it)" if check.part is None else ""
        judge = Judge(self.setup, self.report, seed, self.child)
        judge.subject = check.name
        try:
            judge.open()
            check.run(judge)
        except Failure as failure:
            self.child = judge.child
            self.end_child()
            self.tell(check, judge.subject + again, failure)
            return failure.verdict
        self.child = judge.child
        self.report.check("ok", check.name, check.name + again)
        return None

    def tell(self, check, shown, failure):
        self.report.check("failed", check.name, shown)
        self.report.extra(f"          {shown}", on_stdout=False)
        self.report.extra(f"          {failure}")
        if failure.step:
            self.report.extra(f"          next: {failure.step}, then: make exercise{self.number}")
        self.first_verdict = self.first_verdict or failure.verdict

    def all(self, checks):
        """A part whose first check has failed is closed, and so is one in which something did not end."""
        closed, begun = set(), set()
        for check in checks:
            if check.emulator_only and self.setup.backend != "cpu":
                continue
            if check.part in closed or (check.part is None and self.first_verdict):
                self.report.check("not run", check.name, check.name)
                continue
            verdict = self.one(check)
            if verdict and (check.part not in begun or verdict in ("timeout", "compile_error")):
                closed.add(check.part)
            begun.add(check.part)
            if verdict == "compile_error":
                return
        self.end_child()
        self.first_verdict = self.first_verdict or "pass"


def take_nonce():
    with os.fdopen(9, "rb") as secret:
        return secret.read(80).split()[0].decode()


def main(number, grader, checks, calls=None):
    """`calls`: the calls.py, when it is not the one beside the grader."""
    calls = calls or os.path.join(os.path.dirname(os.path.abspath(grader)), "calls.py")
    if sys.argv[1:2] == ["--jobs"]:
        from show import write_jobs

        write_jobs(sys.argv[2], checks, calls)
        return 0
    if len(sys.argv) != 6:
        sys.exit(f"usage: {os.path.basename(grader)} EXERCISE.py SOURCE LOG cpu|gpu LIBRARIES 9<nonce")
    file, source, log, backend, libraries = sys.argv[1:]
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: nobody looks into this process
    report = Report(log, take_nonce())
    print(f"grading {source}", flush=True)
    grading = Grading(number, Setup(os.path.abspath(file), calls, libraries, backend), report)
    grading.all(checks)
    if grading.first_verdict == "pass":
        print("  passed", flush=True)
    report.verdict(grading.first_verdict)
    return int(grading.first_verdict != "pass")
