"""A cell as an exercise: judged by the grader that `make exercise03` uses in a terminal (tools/grading/run)."""

from __future__ import annotations

import json
import math
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .errors import Interrupted, OptionError, ToolMissing
from .machine import Machine, clean_environment
from .run import run

NO_CHECKOUT = (
    "--grade and --exercise need a checkout of the CUDA C workbook, which has the graders. Clone it, and name its folder in the\n"
    "variable NVCC_MAGIC_PROJECT (%env NVCC_MAGIC_PROJECT=folder), or start Jupyter inside of it. Then run this:\n"
    "%reload_ext nvcc_magic"
)


@dataclass
class Grading:
    verdict: str  # pass, or what is wrong: wrong_result, out_of_bounds, compile_error ...
    output: str  # the grader's words, for a notebook
    compiler: str  # the same as they were, for those who look for the compiler's messages
    tests: list[dict] = field(default_factory=list)  # as in results.json
    message: str = ""  # about the whole, where there are no tests


def grade(machine: Machine, number: str, file: Path, backend: str, timeout: float | None) -> Grading:
    """Compiles and runs the file under the grader."""
    folders = (grader.parent.name for grader in machine.project.glob("lessons/lesson[0-9][0-9]*_*/grader.*"))
    known = sorted(folder[len("lesson") :].split("_")[0] for folder in folders)
    if number not in known:
        raise OptionError(f"--grade {number}: there is no such exercise. There are {', '.join(known)}.")
    results = file.parent / f"grade{number}"
    environment = clean_environment(RESULTS=str(results), BACKEND=backend, OTHERS="0")
    environment.pop("TIMEOUT", None)
    if timeout is not None:
        environment["TIMEOUT"] = str(math.ceil(timeout))
    outcome = run(
        ["sh", "tools/grading/run", number, str(file)], environment, lambda text: None, folder=str(machine.project)
    )
    if outcome.stopped == "interrupt":
        raise Interrupted("the grader was stopped.")
    verdict = re.search(r"^VERDICT: (\w+)\s*\Z", outcome.output, re.MULTILINE)
    if not verdict:
        raise ToolMissing("the grader ended without a verdict:\n" + outcome.output.strip())
    said = json.loads((results / "results.json").read_text(encoding="utf-8"))
    words = _Words(str(file), number, verdict[1])
    tests = [{key: words.of(value) for key, value in test.items()} for test in said.get("tests", [])]
    compiler = outcome.output[: verdict.start()]
    return Grading(verdict[1], words.of(outcome.output), compiler, tests, words.of(said.get("message") or ""))


def suffix_of(machine: Machine, number: str) -> str:
    """What that exercise is written in: "cu"; "py" where its grader is in Python, too, unless that says otherwise."""
    for grader in machine.project.glob(f"lessons/lesson{number}_*/grader.py"):
        lines = grader.read_text(encoding="utf-8").split("\n")
        return "cpp" if "# exercise: exercise.cpp" in lines else "py"
    return "cu"


def record(machine: Machine, number: str, verdict: str, file: Path) -> None:
    """For `make progress`. Where the workbook cannot be written there is nothing to note."""
    _ask(machine, "tools/exercise/progress.sh", "record", number, verdict, str(file))


def solution_of(machine: Machine, number: str) -> str:
    """The solution of an exercise that has passed; nothing in a student's copy of the workbook, which has none."""
    return _ask(machine, "tools/exercise/exercise.sh", number, "solution")


def next_after(machine: Machine, number: str) -> str:
    """The first exercise that has not passed yet, and its notebook."""
    following = _ask(machine, "tools/exercise/progress.sh", "next").strip()
    notebooks = sorted((machine.project / "notebooks").glob(f"lesson{following}_*.ipynb")) if following else []
    if following == number or not notebooks:
        return ""
    return f"exercise {following}, in {notebooks[0].name}"


def _ask(machine: Machine, script: str, *words: str) -> str:
    """What one of the workbook's scripts prints, or nothing when it fails."""
    asked = subprocess.run(["sh", script, *words], cwd=machine.project, env=clean_environment(), stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)  # fmt: skip
    return asked.stdout if asked.returncode == 0 else ""


class _Words:
    """The grader speaks of a file and of make; in a notebook it is the cell, which is run again."""

    def __init__(self, file: str, number: str, verdict: str):
        self.replacements = [
            (re.compile(rf"open {re.escape(file)} and "), ""),
            (re.compile(rf"grading {re.escape(file)}"), f"grading this cell as exercise {number}"),
            (re.compile(re.escape(str(Path(file).parent) + "/")), ""),
            (re.compile(rf"make exercise{number} (profile|sanitize|view)\b"), rf"%%nvcc --exercise {number} --\1"),
            (re.compile(rf"then: make exercise{number}\b"), "then run the cell again"),
            (re.compile(r"\byour file\b"), "your cell"),
            (re.compile(rf"\A{verdict}: "), ""),  # it stands above already
        ]

    def of(self, text):
        if isinstance(text, str):
            for pattern, words in self.replacements:
                text = pattern.sub(words, text)
        return text
