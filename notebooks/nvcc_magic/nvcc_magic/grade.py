"""A cell as an exercise: judged by the grader that `make exercise03` uses in a terminal (tools/grading/run)."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import Interrupted, OptionError, ToolMissing
from .machine import Machine, clean_environment
from .run import run

NO_CHECKOUT = (
    "--grade and --exercise need a checkout of the CUDA C workbook, which has the graders. Clone it, and name its folder in the\n"
    "variable NVCC_MAGIC_PROJECT (%env NVCC_MAGIC_PROJECT=folder), or start Jupyter inside of it. Then run this:\n"
    "%reload_ext nvcc_magic"
)


def checkout(machine: Machine) -> Path:
    """The workbook's folder. Raises ToolMissing where there is none."""
    if not machine.project:
        raise ToolMissing(NO_CHECKOUT)
    return machine.project


@dataclass
class Grading:
    """A grading's results.json (tools/grading/results_json.h in the workbook), with a notebook's words for what to do next."""

    exercise: str
    verdict: str  # pass, or what is wrong: wrong_result, out_of_bounds, compile_error ...
    tests: list[dict[str, Any]]
    message: str  # why it does not compile, else empty

    def next_step(self, finding: dict[str, Any]) -> str:
        """What to do about a finding; empty where there is nothing to add."""
        step = finding.get("next")
        if not step:
            return ""
        tool = f" (%%nvcc --exercise {self.exercise} --{step['tool']})" if step["tool"] else ""
        return f"next: {step['step']}{tool}, then run the cell again"

    def why(self, test: dict[str, Any]) -> str:
        """Why a check has not passed, and what to do."""
        steps = [step for step in map(self.next_step, test["findings"]) if step]
        return "\n".join([(test["message"] or "").rstrip("\n"), *steps])

    @property
    def text(self) -> str:
        """All of it, as a terminal shows it."""
        words = {"pass": "ok", "fail": "failed", "error": "not run"}
        lines = [f"grading this cell as exercise {self.exercise}"]
        for test in self.tests:
            lines += (test["output"] or "").splitlines()
            lines.append(f"  {words[test['status']]:7} {test['subject']}")
            if test["status"] == "fail":
                lines += ["          " + line for line in self.why(test).splitlines()]
        return "\n".join([*lines, *self.message.splitlines(), f"VERDICT: {self.verdict}"])


def grade(machine: Machine, number: str, file: Path, backend: str, timeout: float | None) -> Grading:
    """Compiles and runs the file under the grader. Raises OptionError where there is no such exercise, ToolMissing where the file could not be judged."""
    folders = (grader.parent.name for grader in checkout(machine).glob("lessons/lesson[0-9][0-9]*_*/grader.*"))
    known = sorted(folder[len("lesson") :].split("_")[0] for folder in folders)
    if number not in known:
        raise OptionError(f"--grade {number}: there is no such exercise. There are {', '.join(known)}.")
    results = file.parent / f"grade{number}"
    environment = clean_environment(RESULTS=str(results), BACKEND=backend, OTHERS="0", SHOWN=file.name)
    environment.pop("TIMEOUT", None)
    if timeout is not None:
        environment["TIMEOUT"] = str(math.ceil(timeout))
    shutil.rmtree(results, ignore_errors=True)
    outcome = run([sys.executable, "tools/grading/run", number, str(file)], environment, lambda text: None, folder=str(machine.project))
    if outcome.stopped == "interrupt":
        raise Interrupted("the grader was stopped.")
    try:
        said = json.loads((results / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ToolMissing("the grader ended without a verdict:\n" + outcome.output.strip()) from None
    return Grading(number, said["verdict"], said["tests"], said["message"] or "")


def suffix_of(machine: Machine, number: str) -> str:
    """What that exercise is written in: "cu"; "py" where its grader is in Python, too, unless that says otherwise."""
    for grader in checkout(machine).glob(f"lessons/lesson{number}_*/grader.py"):
        lines = grader.read_text(encoding="utf-8").split("\n")
        return "cpp" if "# exercise: exercise.cpp" in lines else "py"
    return "cu"


def record(machine: Machine, number: str, verdict: str, file: Path) -> None:
    """For `make progress`. Where the workbook cannot be written there is nothing to note."""
    _ask(machine, "progress", "record", number, verdict, str(file))


def solution_of(machine: Machine, number: str) -> str:
    """The solution of an exercise that has passed; nothing in a student's copy of the workbook, which has none."""
    return _ask(machine, "exercise", number, "solution")


def next_after(machine: Machine, number: str) -> str:
    """The first exercise that has not passed yet, and its notebook."""
    following = _ask(machine, "progress", "next").strip()
    notebooks = sorted((checkout(machine) / "notebooks").glob(f"lesson{following}_*.ipynb")) if following else []
    if following == number or not notebooks:
        return ""
    return f"exercise {following}, in {notebooks[0].name}"


def _ask(machine: Machine, *words: str) -> str:
    """What one of the workbook's commands prints, or nothing when it fails."""
    asked = subprocess.run([sys.executable, "tools/workbook", *words], cwd=machine.project, env=clean_environment(), stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)  # fmt: skip
    return asked.stdout if asked.returncode == 0 else ""
