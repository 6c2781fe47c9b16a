"""A cell as an exercise that is called and not judged: what `make exercise03 profile` makes of a file (tools/exercise/build_calls.sh)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import OptionError, ToolMissing
from .grade import NO_CHECKOUT
from .machine import Machine, clean_environment


@dataclass
class Calls:
    program: Path  # an object file with a main() that calls the exercise's functions
    jobs: Path  # with what it calls them
    grader: Path  # it may name an architecture


def calls_of(machine: Machine, number: str) -> Calls:
    """Raises OptionError for an exercise that has no functions to be called."""
    if not machine.project:
        raise ToolMissing(NO_CHECKOUT)
    asked = subprocess.run(["sh", "tools/exercise/build_calls.sh", number], cwd=machine.project, env=clean_environment(),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    if asked.returncode:
        raise OptionError(f"--exercise {number}: " + re.sub(r"(?m)^(error: | +)", "", asked.stderr.strip()))
    return Calls(*(Path(machine.project) / line for line in asked.stdout.splitlines()))
