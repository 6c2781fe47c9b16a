"""Runs a compiled cell on the GPU or on the emulator, and gathers what is known of it. judge.py says what it means."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ToolMissing
from .machine import Machine, clean_environment, find_tool
from .options import Options, seconds_of
from .run import Outcome, run
from .session import Session

DEFAULT_SECONDS = "60"
LEFT = 5.0  # seconds of the program's time that one kernel leaves, so that the emulator can still tell of it
SANITIZER_LINES = "5"  # findings that compute-sanitizer prints; it has one for each thread
FOUND = 99  # compute-sanitizer's exit status when it found something


def _default_seconds() -> float:
    """For a program without --timeout. A machine that is slow, or busy, needs more for all of them."""
    value = os.environ.get("NVCC_MAGIC_TIMEOUT") or DEFAULT_SECONDS
    return seconds_of(value, f"NVCC_MAGIC_TIMEOUT={value}")


@dataclass
class Launches:
    """What launches.c reported."""

    ignored: list[str] = field(default_factory=list)  # error, meaning, kernel, grid, block
    failed: list[str] = field(default_factory=list)  # error, meaning
    unfinished: bool = False  # a kernel still ran when the program ended
    times: list[list[str]] = field(default_factory=list)  # kernel, grid, block, milliseconds
    untimed: list[list[str]] = field(default_factory=list)  # reason, how many


class Execution:
    """One run of one program."""

    def __init__(self, machine: Machine, session: Session, options: Options, backend: str, emulator: Path | None):
        self.machine, self.session, self.options = machine, session, options
        self.backend, self.emulator = backend, emulator
        self.seconds = _default_seconds() if options.timeout is None else options.timeout
        self.folder = session.folder / "run"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.pictures = self.folder / "pictures"
        self.report = self.folder / "report.txt"
        self.more: dict[str, str] = {}  # variables for the program

    @property
    def kernel_seconds(self) -> float:
        """What one kernel may take on the emulator: of processors, while the program's time is a clock's. On a busy machine the two are apart."""
        return max(self.seconds - LEFT, self.seconds / 4)

    # --- the start ---

    def environment(self) -> dict[str, str]:
        more = {"NVCC_MAGIC_REPORT": str(self.folder / "launches.txt")}
        if self.options.time:
            more["NVCC_MAGIC_TIME"] = "1"
        if self.backend == "gpu":
            more["NVCC_MAGIC_GPU"] = "1"
        library = str(self.emulator) if self.backend == "cpu" else self.machine.toolkit_library
        environment = clean_environment(**more, **self.more)
        paths = [path for path in (library, environment.get("LD_LIBRARY_PATH")) if path]
        environment["LD_LIBRARY_PATH"] = ":".join(paths)
        if self.backend == "cpu":
            environment.update(self._emulator_variables())
        return environment

    def _emulator_variables(self) -> dict[str, str]:
        options = self.options
        more = {"EMULATOR_CHECK_JSON": str(self.folder / "findings.json"), "EMULATOR_TIMEOUT_SETTING": "--timeout seconds"}
        if self.seconds:
            more["EMULATOR_TIMEOUT"] = f"{self.kernel_seconds:g}"
        if options.sanitize is not None:
            more["EMULATOR_CHECK"] = options.sanitize or "all"
        if options.profile is not None:
            more.update(EMULATOR_PROFILE="text", EMULATOR_PROFILE_KERNEL=options.profile)
        if options.view is not None:
            self.pictures.mkdir()
            more.update(EMULATOR_VIEW=str(self.pictures), EMULATOR_VIEW_LINE=options.view)
        if options.profile is not None or options.view is not None:
            more["EMULATOR_PROFILE_FILE"] = str(self.report)
            ptxas = find_tool(self.machine, "ptxas")
            if ptxas:
                more["EMULATOR_PTXAS"] = ptxas
        return more

    def run(self, program: Path, write: Callable[[str], None]) -> Outcome:
        command = [str(program.resolve()), *self.options.arguments]
        if self.backend == "gpu" and self.options.sanitize is not None:
            command = [*self._sanitizer(), *command]
        self.outcome = run(
            command,
            self.environment(),
            write,
            timeout=self.seconds,
            max_output=self.options.max_output,
            hide=str(self.session.folder) + "/",
        )
        self.launches = self._read_launches()
        self.findings = self._read_findings()
        return self.outcome

    def _sanitizer(self) -> list[str]:
        found = find_tool(self.machine, "compute-sanitizer")
        if not found:
            raise ToolMissing(
                "compute-sanitizer is not installed (it comes with the CUDA toolkit). "
                "--backend cpu checks with the emulator."
            )
        tool = self.options.sanitize or "memcheck"
        words = ["--tool", "memcheck", "--leak-check", "full"] if tool in ("leak", "all") else ["--tool", tool]
        return [found, *words, "--print-limit", SANITIZER_LINES, "--error-exitcode", str(FOUND)]

    # --- what is known at the end ---

    def _read_launches(self) -> Launches:
        launches = Launches()
        for line in _lines_of(self.folder / "launches.txt"):
            kind, *fields = line.split("\t")
            if kind in ("ignored", "failed"):
                setattr(launches, kind, fields)
            elif kind == "unfinished":
                launches.unfinished = True
            elif kind == "time":
                launches.times.append(fields)
            elif kind == "untimed":
                launches.untimed.append(fields)
        return launches

    def _read_findings(self) -> list[dict[str, Any]]:
        findings = []
        for line in _lines_of(self.folder / "findings.json"):
            try:
                findings.append(json.loads(line))
            except ValueError:
                pass  # the program was killed in the middle of it
        return findings


def _lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
