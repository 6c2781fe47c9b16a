"""A cell as an exercise that is called and not judged: what `make exercise03 profile` makes of a file (tools/workbook/build_calls.py; of one in
Python, or of a module for Python, build_exercise.py)."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .errors import CompileError, OptionError
from .grade import checkout
from .machine import Machine, clean_environment


@dataclass
class Calls:
    program: Path  # an object file with a main() that calls the exercise's functions
    jobs: Path  # with what it calls them
    grader: Path  # it may name an architecture


def calls_of(machine: Machine, number: str) -> Calls:
    """Raises OptionError for an exercise that has no functions to be called."""
    project = checkout(machine)
    asked = _ask(machine, "build_calls", number)
    if asked.returncode:
        raise OptionError(f"--exercise {number}: " + re.sub(r"(?m)^(error: | +)", "", asked.stderr.strip()))
    return Calls(*(project / line for line in asked.stdout.splitlines()))


def program_in_python(machine: Machine, number: str, file: Path) -> Path:
    """A program that calls the file, exercise.py or exercise.cpp: a few lines of sh that start Python."""
    program = file.with_suffix(".called")
    asked = _ask(machine, "build_exercise", number, str(file), str(program))
    if "launches no kernel" in asked.stderr:
        raise OptionError(f"--exercise {number}: " + re.sub(r"(?m)^error: ", "", asked.stderr.strip()))
    if asked.returncode:
        raise CompileError(re.sub(r"(?m)^error: ", "", asked.stderr.strip()))
    return program


def _ask(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "tools/workbook", *words], cwd=machine.project, env=clean_environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)  # fmt: skip
