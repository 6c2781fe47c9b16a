"""tools/grading/run 03 path/to/exercise.cu (of a lesson about Python: exercise.py or .cpp): grades one file.

The last line is `VERDICT: word`, for people and for external scripts; those of the workbook read RESULTS. The exit status is 0 for pass, 1 for
any other verdict, and 2 if the file could not be judged: it does not exist, no jail works, the judge has died.

The graded file is a copy with a fixed name in a folder of the grading: shell, compiler and make never see a name that a student has chosen. It is
compiled alone, to a shared object, in a jail (tools/jail, SECURITY.md) that shows the toolkit, common/ and the copy. The judge of the lesson
(lessons/lesson03_relu/grader.cpp) has it loaded and called by another process, the runner, also in a jail, and checks the answer; grader.h explains
how. In Python grader.py and judge.py do that, with runner.py; there a C++ file is compiled to a module. The judge writes results.json to a descriptor
that no other process has.

TIMEOUT=seconds of processor time limits each kernel (default 20); a call has 8 s more. Output beyond 1 MB ends the run.
RESULTS=folder: receives results.json (exercism's test runner interface, version 3, with extensions: results_json.h), results.xml (JUnit) and
feedback.txt.
SHOWN=name: the file's name in messages. OTHERS=1: it is another person's file, the default outside of the workbook (OTHERS=0: it is not); such a
file is graded only in a jail, unless UNSAFE=1 is set.
For tests: OBJECT=file: the file has been compiled already, to this object (they compile many at once). KEEP=file: the object is stored there.
VERDICT_ONLY=1: checks that follow the first failure are not run. CHECK_FIRST=name: with that, this check is tried before all others.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn, Optional

from workbook import backend, build_judge, configuration, results
from workbook.grading.compiled_copy import CompiledCopy, Refused
from workbook.grading.explain import explain
from workbook.grading.foreign_files import first_foreign
from workbook.grading.jail import Jail, compiler_views, run_compiler
from workbook.grading.python_lesson import PythonLesson
from workbook.messages import Failure, report
from workbook.visible import names_of, visible_line, visible_text

RESULTS_FD = 9  # of the judge
CHECKS = "memcheck,racecheck,synccheck,initcheck,strict,approx"
# The PTX stays uncompressed, since the judge reads it. Warnings about unused names (177, 550) are off: an exercise with open TODOs has some.
COMPILE_FLAGS = ["-no-compress", "-diag-suppress", "177,550"]
COMPILER_WORDS = 50_000  # bytes of a compiler's output that are shown


class Judged(Exception):
    """The grading has ended, with these results."""

    def __init__(self, found: results.Results, status: Optional[int] = None) -> None:
        super().__init__(found["verdict"])
        self.found = found
        self.status = status if status is not None else int(found["verdict"] != "pass")


def take(variable: str) -> str:
    """A setting for this process only."""
    return os.environ.pop(variable, "")


def grader_of(number: str) -> Path:
    """The grader of an exercise, in C++ or in Python."""
    for suffix in "cpp", "py":
        for grader in Path("lessons").glob(f"lesson{number}_*/grader.{suffix}"):
            return grader
    raise Failure(f"there is no grader lessons/lesson{number}_*/grader.cpp.")


def name_for(file: str) -> str:
    """How messages name the file: relative inside the project, absolute elsewhere."""
    real = os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
    here = os.getcwd() + "/"
    return real[len(here) :] if real.startswith(here) else file


@cache
def python_lesson(number: str) -> PythonLesson:
    """The environment for grading a lesson about Python. Determined once per grading, or once for all gradings that a process forks."""
    return PythonLesson(number, grader_of(number), configuration.load())


def prepare(number: str) -> None:
    """The state shared by all gradings of an exercise, for a process that forks them."""
    if grader_of(number).suffix == ".py":
        python_lesson(number)


class Grading:
    """One grading. Each has a separate folder, even two simultaneous gradings of the same file."""

    def __init__(self, number: str, argument: str, invoked_in: str) -> None:
        if not re.fullmatch(r"\d\d[a-z]?", number):
            raise Failure(f"there is no exercise {number}.")
        self.number = number
        self.grader = grader_of(number)
        self.file = os.path.join(invoked_in, argument)
        if not os.path.isfile(self.file):
            raise Failure(f"there is no file {argument}.")
        self.suffix = self.file.rsplit(".", 1)[-1]
        if self.suffix not in ("cu", "cpp", "py"):
            raise Failure(f"an exercise is a file that ends in .cu, .cpp or .py, and {argument} does not.")
        self.shown = visible_line(os.fsencode(re.sub("[\n\t]", "?", take("SHOWN") or name_for(self.file))))
        self.object, self.keep = take("OBJECT"), take("KEEP")
        self.settings = configuration.load()
        Path("build/graders").mkdir(parents=True, exist_ok=True)
        self.work = Path(tempfile.mkdtemp(prefix=f"lesson{number}.", dir=os.path.abspath("build/graders")))
        (self.work / "out/tmp").mkdir(parents=True)  # the only writable path in the jail
        self.python: Optional[PythonLesson] = None

    def fail_compiling(self, message: str) -> NoReturn:
        """The verdict of a file that is not run."""
        sys.stdout.write(message)
        raise Judged(results.compile_error(self.number, self.shown, message))

    # --- the copy ---

    def take_copy(self) -> None:
        """Output names the student's file, but no folder of this machine: first the whole path is replaced, then the prefix of other files."""
        try:
            copied = CompiledCopy(self.file, self.work / "submission", f"exercise.{self.suffix}")
        except Refused as refused:
            self.fail_compiling(f"{self.shown}: error: {refused}\n")
        self.copy = copied.copy
        here = os.getcwd() + "/"
        copy, relative = str(self.copy), str(self.copy)[len(here) :]
        beside = self.shown[: self.shown.rfind("/") + 1]
        folder = copy[: copy.rfind("/") + 1]
        pairs = [(copy, self.shown), (relative, self.shown), (folder, beside), (relative, self.shown), (here, "")]
        os.environ["GRADER_NAMES"] = "".join(f"{old}\t{new}\n" for old, new in pairs)
        os.environ["GRADER_COPY"], os.environ["GRADER_SCRATCH"] = copy, str(self.work / "out/tmp")
        for remark in copied.remarks:
            print(remark)

    # --- the object ---

    def architectures(self) -> str:
        """The grader specifies the architecture, or the file itself its images."""
        own = re.findall(r"^// nvcc: .*\n?", self.copy.read_text("utf-8", "surrogateescape"), re.MULTILINE)
        lines = own or re.findall(r"^// arch: .*\n?", self.grader.read_text("utf-8"), re.MULTILINE)
        text = "".join(lines)
        (self.work / "arch_of").write_text(text, "utf-8", "surrogateescape")
        return text

    def compile(self) -> None:
        """A source file can keep nvcc busy forever, so it also has limits."""
        target, source = str(self.work / "out/exercise.so"), os.path.relpath(self.copy)
        views, architectures = compiler_views(self.settings, self.grader.parent, self.work), ""
        if self.python:
            self.python.prepare_nanobind(self.copy)
            views, more = views + self.python.views(), {"NANOBIND_OBJECT": self.python.nanobind}
            command = self.python.compile_command(source, target)
        else:
            architectures = self.architectures()
            command = ["sh", "tools/compile/build.sh", source, target, *COMPILE_FLAGS]
            more = {"SHARED": "1", "PTXAS": backend.find_tool("ptxas", self.settings) or "", "PTX_FOLDER": str(self.work / "out/tmp")}
            # The emulator loads the newest PTX, unless a grader requests an older device.
            more["NEWEST"] = "" if b"judge_as_capability" in self.grader.read_bytes() else "1"
        compiled = run_compiler(self.jail, views, self.work, command, more)
        with open(self.work / "compile.raw", "rb") as raw:
            said = visible_text(raw.read(2 * COMPILER_WORDS), COMPILER_WORDS, names_of(os.environ["GRADER_NAMES"]))
        if not compiled:
            lines = explain(said, f"{architectures} {self.settings['GENCODE']}")
            self.fail_compiling(said + "".join(line + "\n" for line in lines))
        sys.stdout.write(said)
        self.object = target
        self.refuse_foreign_files(views, Path(target + (".d" if self.python else ".d.all")))
        if self.keep:
            shutil.copy(target, self.keep)

    def refuse_foreign_files(self, views: list[str], dependencies: Path) -> None:
        """A file that the jail would not show, when compiling without one."""
        foreign = first_foreign(views, dependencies)
        if foreign:
            here = os.getcwd() + "/"
            name = foreign[len(here) :] if foreign.startswith(here) else foreign
            self.fail_compiling(
                f"{self.shown}: error: it includes {name}. A submission may include its own files, headers in common/, and the toolkit's headers.\n"
            )

    # --- the judge ---

    def judge_command(self, where: str) -> list[str]:
        """Gives a Python file or a module the name that tracebacks have to show, and only that name."""
        shared = os.path.abspath(self.object)
        if not self.python:
            return [f"build/graders/bin/judge{self.number}", os.path.abspath("build/graders/bin/runner"), shared, self.shown, where]
        module = self.work / "submission" / f"exercise.{shared.rsplit('.', 1)[-1]}"
        if shared != str(module):
            shutil.copy(shared, module)
        return self.python.judge_command(str(module), self.shown, where)

    def judge(self) -> results.Results:
        """The judge has its own limits; this one applies if the judge fails to enforce them."""
        where = backend.choose(self.settings)
        self.jail.leave_landlock(where)
        os.environ["JAIL"], os.environ["JAIL_BACKEND"] = self.jail.program, self.jail.backend
        if not self.python:
            build_judge.build(self.number, self.settings)
        timeout = os.environ.get("TIMEOUT") or "20"
        os.environ.update({"EMULATOR_CHECK": CHECKS, "TIMEOUT": timeout, "EMULATOR_TIMEOUT": timeout})
        with tempfile.TemporaryFile(dir=self.work) as file:  # without a name, so that no other process can write to it
            status = self.run_judge(self.judge_command(where), file.fileno(), int(timeout) * 200 + 3000)
            file.seek(0)
            found = results.parse(file.read())
        if found is None or not results.has_verdict(found) or status != (found["verdict"] != "pass"):
            message = f"The judge ended with status {status}."
            print(message)
            raise Judged(results.crash(found, self.number, self.shown, message), 2)
        return found

    def run_judge(self, command: list[str], descriptor: int, limit: int) -> int:
        """Its exit status; negative for a signal. The descriptor gets its number only in the new process."""
        sys.stdout.flush()

        def hand_over() -> None:
            os.dup2(descriptor, RESULTS_FD)
            os.set_inheritable(RESULTS_FD, True)

        with subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False, preexec_fn=hand_over) as process:
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                return -signal.SIGTERM
            finally:
                if process.poll() is None:
                    process.terminate()
                    try:
                        process.wait(2)
                    except subprocess.TimeoutExpired:
                        process.kill()

    def run(self) -> results.Results:
        """The results. Raises Judged if the file does not reach the judge."""
        self.jail = Jail(self.file)
        self.take_copy()
        if self.grader.suffix == ".py":
            self.python = python_lesson(self.number)
            if self.suffix != "cpp":
                self.object = str(self.copy)  # nothing is to be compiled
        if not self.object:
            self.compile()
        return self.judge()


def grade(arguments: list[str], invoked_in: str) -> int:
    """Grades, writes the results, prints the verdict, and returns the exit status."""
    if len(arguments) != 2:
        raise Failure("usage: tools/grading/run 03 path/to/exercise.cu")
    folder = take("RESULTS")
    if folder:
        folder = os.path.abspath(os.path.join(invoked_in, folder))
    number, argument = arguments
    grading = Grading(number, argument, invoked_in)
    try:
        judged = Judged(grading.run())
    except Judged as ended:
        judged = ended
    finally:
        shutil.rmtree(grading.work, ignore_errors=True)
    if folder:
        results.write(judged.found, Path(folder))
    print(f"VERDICT: {judged.found['verdict']}", flush=True)
    return judged.status


def end_by(number: int, _: object) -> NoReturn:
    """A signal ends the grading cleanly: its folder is removed, and its child processes end."""
    raise SystemExit(128 + number)


def main(arguments: list[str], invoked_in: str) -> int:
    """Runs in the workbook's folder. The tool's messages go to stderr, those about the file to stdout."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, end_by)
    sys.stdout.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)  # type: ignore[union-attr]
    try:
        return grade(arguments, invoked_in)
    except Failure as failure:
        report(failure)
        return 2
