"""judge.py - the base of a grader in Python: checks by name, jobs for the runner, and the report. It never imports
the student's file.

    def sizes(judge):
        for rows in 0, 1, 31:
            x = judge.random((rows, 5), -3, 3)
            answer = judge.run("forward", {"x": x}, {}, f"forward, {rows} rows", scale=2.0)
            judge.compare(answer["y"], expected, 1e-6, 1e-5)

    sys.exit(main("27", __file__, [Check("forward", "forward, random input", sizes), ...]))

`run` has the function `forward` of calls.py called in the runner, with the student's module, the arrays, and the
settings; its return value is the answer. Called by tools/grading/run, in the workbook's folder:

    python -I grader.py EXERCISE.py SOURCE cpu|gpu LIBRARIES 9>results.json
    python -I grader.py --jobs FILE                                show.py: for make exercise33 profile

EXERCISE is a module in Python, or one that was compiled from C++, exercise.so.
"""

import ctypes
import fcntl
import json
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
from tools.workbook.visible import names_of, visible_line  # noqa: E402

STEPS = {
    "not_implemented": "do the next TODO (the head of the file names the first one)",
    "nan": "trace such an input through your code by hand",
    "crash": "check for each address passed from Python that all 64 bits arrive, and that its memory is still alive",
    "stale_output": "find the code that should have written it, and what makes you wait for it",
    "out_of_bounds": "compare the largest index, or the length that you pass, with that of the array, in elements and in bytes",
    "race": "find what orders the second of the two accesses above after the first",
    "uninitialized": "find the thread that should have written the element above, and when",
    "divergent_barrier": "check for each thread of the block which barriers it reaches, and how often",
    "timeout": "check for each loop and each wait what ends it",
}


RAISED = "find why that line raises it, and where it should be caught"


def with_article(name):
    """The name with its article, by its first letter: a KeyError, an IndexError."""
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def line_of(told):
    """A line of the student's file, from a runner's message, which may hold anything."""
    line = told.get("line")
    return line if type(line) is int and 0 < line < 1_000_000 else None


class Failure(Exception):
    """`line`: of the student's file, if known."""

    def __init__(self, verdict, message, step=None, line=None):
        super().__init__(message)
        if not (isinstance(verdict, str) and re.fullmatch("[a-z_]+", verdict)) or verdict == "pass":
            verdict = "crash"  # a runner has sent it
        self.verdict, self.step, self.line = verdict, step or STEPS.get(verdict), line


@dataclass
class Check:
    part: str | None  # None: run when all others have passed
    name: str
    run: Callable
    emulator_only: bool = False


def visible(line):
    """An untrusted line made safe to print, with the student's names for files."""
    return visible_line(line, names_of(os.environ.get("GRADER_NAMES", "")))


RESULTS_FD = 9  # results.json, a file that is open for writing
OUTPUT_MAX, MESSAGE_MAX = 500, 60000


class LimitedText:
    """Grows by lines up to a limit; further lines are dropped, and the text then ends with the remark."""

    def __init__(self, limit, remark="(more was left out)\n"):
        self.text, self.limit, self.remark, self.cut = "", limit, remark, False

    def append(self, text):
        if not self.cut and len(self.text.encode()) + len(text.encode()) <= self.limit:
            self.text += text
        elif not self.cut:
            self.text, self.cut = self.text + self.remark, True


# The three lines of the emulator's report that give a finding, its place and its thread; the Python version of emulator_findings.h.
TITLE = re.compile(r"========= (\S.*)")
PLACE = re.compile(r"\bat (.+) in (.+):(\d{1,7})$")
THREAD = re.compile(r"thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
FINDINGS_MAX = 20


def new_finding(message):
    """A finding without a place so far."""
    return {"kind": None, "file": None, "line": None, "kernel": None, "block": None, "thread": None, "message": message, "next": None}


def add_finding(findings, line):
    """Takes a line of the emulator's report: it begins a finding, or adds details to the last one."""
    title, place, thread = TITLE.match(line), PLACE.search(line[:1000]), THREAD.search(line)
    if title and len(findings) < FINDINGS_MAX:
        findings.append(new_finding(title[1]))
    if findings and place and not findings[-1]["line"]:
        findings[-1].update(kernel=place[1], file=place[2], line=int(place[3]))
    if findings and thread and not findings[-1]["thread"]:
        numbers = [int(number) for number in thread.groups()]
        findings[-1].update(thread=numbers[:3], block=numbers[3:])


class Report:
    """On stdout for the student; as data in results.json (results_json.h has its form), which is complete after each check. The Python
    version of report.h."""

    def __init__(self, exercise, source):
        fcntl.fcntl(RESULTS_FD, fcntl.F_SETFD, fcntl.FD_CLOEXEC)  # not inherited by processes that the judge starts
        self.start, self.reached, self.line = time.monotonic(), 0.0, b""
        self.everything = LimitedText(MESSAGE_MAX)
        self.forget()
        self.results = {
            "version": 3,
            "status": "fail",
            "verdict": None,
            "message": None,
            "exercise": exercise,
            "file": source,
            "seconds": 0.0,
            "tests": [],
        }
        print(f"grading {source}", flush=True)
        self.save()

    def forget(self):
        """A check has ended."""
        self.emulator_report, self.output = LimitedText(MESSAGE_MAX), LimitedText(OUTPUT_MAX, "")
        self.emulator_findings = []

    def save(self):
        self.results["seconds"] = round(time.monotonic() - self.start, 3)
        content = (json.dumps(self.results, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        os.ftruncate(RESULTS_FD, 0)
        written = 0
        while written < len(content):
            written += os.pwrite(RESULTS_FD, content[written:], written)

    def foreign(self, text):
        """The output of the student's program: it is the output of a check, or part of its message, and never anything else."""
        *lines, self.line = (self.line + text).split(b"\n")
        for line in lines:
            shown = visible(line)
            if shown.startswith(("========= ERROR SUMMARY:", "VERDICT: ")):
                continue
            print(shown, flush=True)
            self.everything.append(shown + "\n")
            if shown.startswith("========="):
                add_finding(self.emulator_findings, shown)
            (self.emulator_report if shown.startswith("=========") else self.output).append(shown + "\n")

    def end_line(self):
        if self.line:
            self.foreign(b"\n")

    def check(self, state, status, name, subject):
        """Adds a check, and returns it."""
        self.end_line()
        print(f"  {state:7} {subject}", flush=True)
        now = time.monotonic() - self.start
        check = {
            "name": name,
            "task_id": len(self.results["tests"]) + 1,
            "status": status,
            "message": None,
            "output": self.output.text or None,
            "subject": subject,
            "verdict": None,
            "seconds": round(now - self.reached, 3),
            "findings": [],
        }
        self.reached = now
        self.results["tests"].append(check)
        return check

    def passed(self, name, subject):
        self.check("ok", "pass", name, subject)
        self.forget()
        self.save()

    def not_run(self, name):
        self.check("not run", "error", name, name)["message"] = "not run: a check that it needs failed\n"
        self.save()

    def failed(self, name, subject, failure):
        check = self.check("failed", "fail", name, subject)
        lines = [visible(line.encode("utf-8", "replace")) for line in str(failure).split("\n")]
        print("          " + "\n".join(lines), flush=True)
        if failure.step:
            print(f"          next: {failure.step}, then: make exercise{self.results['exercise']}", flush=True)
        message = "\n".join(line.removeprefix(" " * 10) for line in lines)
        check["verdict"] = failure.verdict
        check["message"] = f"{self.emulator_report.text}{subject}\n{message}\n"
        own = new_finding(message)
        own["next"] = {"step": failure.step, "tool": None} if failure.step else None
        if failure.line:
            own.update(file=self.results["file"], line=failure.line)
        check["findings"] = [own, *self.emulator_findings]
        for finding in check["findings"]:
            finding["kind"] = failure.verdict
        self.everything.append(check["message"])
        self.forget()
        self.save()

    def end(self, verdict):
        """A file that does not compile has no checks, as exercism's interface specifies."""
        self.end_line()
        if verdict == "pass":
            print("  passed", flush=True)
        self.results["status"] = {"pass": "pass", "compile_error": "error"}.get(verdict, "fail")
        self.results["verdict"] = verdict
        if verdict == "compile_error":
            self.results["message"], self.results["tests"] = self.everything.text, []
        self.save()


class Answer(dict):
    """The return value of calls.py, arrays and other values by name; `emulator`: its counts: launches,
    warp_instructions, instructions (of threads), uploaded (bytes that the host transferred to the device besides the given
    arrays) and downloaded, with their parts by the names of emulator.h's struct emulatorHostBytes."""

    emulator: dict


class Judge:
    """For one check: a runner, possibly that of the previous check, and the randomly drawn values."""

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
            raise Failure(verdict, f"the file cannot be imported: {self.words_of(told)}", line=line_of(told))

    def ask(self, job, arrays=()):
        try:
            return self.child.ask(job, arrays)
        except Ended as ended:
            self.fail(ended.verdict, f"{ended}.")

    def words_of(self, told):
        place = f"\n          line {told['line']}: {told['source']}" if told.get("line") else ""
        return f"{told['type']}: {told['text']}{place}"

    def try_run(self, call, given, wanted, subject, **settings):
        """As run; an exception in the student's code is part of the answer, as "raised"."""
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
            self.fail("crash", "the runner's answer is not valid.")
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
            raise Failure("crash", self.words_of(told), RAISED, line_of(told))
        return answer

    def refuse_todo(self, told):
        """Libraries also raise NotImplementedError: the one of a TODO has that word in its text, or no text."""
        if "NotImplementedError" in told["bases"] and (not told["text"] or "TODO" in told["text"]):
            raise Failure("not_implemented", self.words_of(told), line=line_of(told))

    def must_raise(self, wanted, call, given, outputs, subject, **settings):
        """Input that the exercise has to refuse. `wanted`: the name of the exception, or of one of its bases."""
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
            self.fail("wrong_result", f"expected an array, and {with_article(type(found).__name__)} was returned.")
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
        """Calls `call` once for each step, checks its answer, and compares the number of the library's objects
        with that after the first step. `one`: the grader's word for such an object."""
        before = None
        for step, right in steps.items():
            look(self.run(call, given, {}, self.subject, step=step, **settings))
            before = self.child.objects() if before is None else before
            found = self.child.objects() - before
            if found != right:
                word = "leak" if found > right else "use_after_free"
                self.fail(word, f"{step}: {found} {one}{'s' * (found != 1)} of the library, expected {right}")

    def require_work(self, answer, results, upload=0):
        """On the emulator: requires that `results` bytes came from the device, and that the host had not transferred them
        to it: its transfers besides the given arrays must be less than `upload` and half of the results. Otherwise
        kernels may only have copied what NumPy had computed."""
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
                f"the result is right, but kernels may only have copied it: the host passed {counted['uploaded']} bytes "
                f"to the device beside the given arrays, and the result has {results}.",
            )

    def require_kernels(self, answer, launches, elements, results=None, upload=0):
        """On the emulator: requires that kernels have done the work, and not more often than necessary; with `results`,
        also require_work."""
        counted = answer.emulator
        if results is not None:
            self.require_work(answer, results, upload)
        if counted and (counted["launches"] < launches or counted["instructions"] < elements):
            self.fail(
                "not_by_kernel",
                "the result is right, but it was not computed by the library: no kernel computed it.",
            )
        if counted and counted["launches"] > launches:
            self.fail("access_limit", f"{counted['launches']} kernels were launched, {launches} would do.")


def verdict_only():
    """VERDICT_ONLY=1, for tests: only the verdict is wanted, which the first failure decides."""
    return os.environ.get("VERDICT_ONLY") == "1"


class Grading:
    """Python and NumPy take a while to start, so checks share a runner, until one fails; the last one, with drawn
    inputs, has its own."""

    def __init__(self, number, setup, report):
        self.number, self.setup, self.report, self.first_verdict, self.child = number, setup, report, "", None

    def end_child(self):
        if self.child:
            self.child.stop()
        self.child = None

    def one(self, check, trial=False):
        """The verdict, or None when it has passed, which a trial does not report."""
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
            self.report.failed(check.name, judge.subject + again, failure)
            self.first_verdict = self.first_verdict or failure.verdict
            return failure.verdict
        self.child = judge.child
        if not trial:
            self.report.passed(check.name, check.name + again)
        return None

    def try_first(self, checks):
        """CHECK_FIRST=name, for tests and with VERDICT_ONLY=1: this check is tried before all others. Where it fails, that is the verdict; else the
        others decide as if it had not been run. Returns the check that failed."""
        wanted = os.environ.get("CHECK_FIRST") if verdict_only() else None
        for check in checks:
            if check.name == wanted:
                return check if self.one(check, trial=True) else None
        return None

    def decided(self):
        """Whether a failure has decided, so that no later check is run."""
        return verdict_only() and self.first_verdict != ""

    def all(self, checks):
        """A part is closed after its first check has failed, or after a check that did not end."""
        closed, begun = set(), set()
        checks = [check for check in checks if self.setup.backend == "cpu" or not check.emulator_only]
        failed = self.try_first(checks)
        for check in checks:
            if check is failed:
                continue
            if self.decided() or check.part in closed or (check.part is None and self.first_verdict):
                self.report.not_run(check.name)
                continue
            verdict = self.one(check)
            if verdict and (check.part not in begun or verdict in ("timeout", "compile_error")):
                closed.add(check.part)
            begun.add(check.part)
            if verdict == "compile_error":
                return
        self.end_child()
        self.first_verdict = self.first_verdict or "pass"


def main(number, grader, checks, calls=None):
    """`calls`: the calls.py, when it is not the one beside the grader."""
    calls = calls or os.path.join(os.path.dirname(os.path.abspath(grader)), "calls.py")
    if sys.argv[1:2] == ["--jobs"]:
        from show import write_jobs

        write_jobs(sys.argv[2], checks, calls)
        return 0
    if len(sys.argv) != 5:
        print(f"usage: {os.path.basename(grader)} EXERCISE.py SOURCE cpu|gpu LIBRARIES 9>results.json", file=sys.stderr)
        return 2
    file, source, backend, libraries = sys.argv[1:]
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: other processes cannot inspect this one
    report = Report(number, source)
    grading = Grading(number, Setup(os.path.abspath(file), calls, libraries, backend), report)
    grading.all(checks)
    report.end(grading.first_verdict)
    return int(grading.first_verdict != "pass")
