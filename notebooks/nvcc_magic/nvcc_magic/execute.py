"""Runs a compiled cell on the GPU or on the emulator, and judges how it ended: nothing that went wrong stays silent."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from .compile import demangle
from .errors import Interrupted, KernelError, LaunchError, OutputLimit, ProgramError, TimeLimit, ToolMissing
from .machine import Machine, clean_environment
from .options import Options
from .run import Outcome, describe_signal, run
from .session import Session

DEFAULT_SECONDS = 60.0
GRACE = 10  # seconds that the emulator has to tell of an endless kernel, before the program is killed
SANITIZER_LINES = "5"  # findings that compute-sanitizer prints; it has one for each thread
FOUND = 1  # compute-sanitizer's exit status when it found something


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
        self.seconds = DEFAULT_SECONDS if options.timeout is None else options.timeout
        self.folder = session.folder / "run"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.pictures = self.folder / "pictures"
        self.report = self.folder / "report.txt"

    # --- the start ---

    def environment(self) -> dict[str, str]:
        more = {"NVCC_MAGIC_REPORT": str(self.folder / "launches.txt")}
        if self.options.time:
            more["NVCC_MAGIC_TIME"] = "1"
        if self.backend == "gpu":
            more["NVCC_MAGIC_GPU"] = "1"
        library = str(self.emulator) if self.backend == "cpu" else self.machine.toolkit_library
        environment = clean_environment(**more)
        paths = [path for path in (library, environment.get("LD_LIBRARY_PATH")) if path]
        environment["LD_LIBRARY_PATH"] = ":".join(paths)
        if self.backend == "cpu":
            environment.update(self._emulator_variables())
        return environment

    def _emulator_variables(self) -> dict[str, str]:
        options = self.options
        more = {"EMULATOR_CHECK_JSON": str(self.folder / "findings.json")}
        if self.seconds:
            more["EMULATOR_TIMEOUT"] = f"{self.seconds:g}"
        if options.sanitize is not None:
            more["EMULATOR_CHECK"] = options.sanitize or "all"
        if options.profile is not None:
            more.update(EMULATOR_PROFILE="text", EMULATOR_PROFILE_KERNEL=options.profile)
        if options.view is not None:
            self.pictures.mkdir()
            more.update(EMULATOR_VIEW=str(self.pictures), EMULATOR_VIEW_LINE=options.view)
        if options.profile is not None or options.view is not None:
            more["EMULATOR_PROFILE_FILE"] = str(self.report)
            ptxas = Path(os.path.realpath(self.machine.nvcc)).with_name("ptxas")
            if ptxas.exists():
                more["EMULATOR_PTXAS"] = str(ptxas)
        return more

    def run(self, program: Path, write) -> Outcome:
        command = [str(program.resolve()), *self.options.arguments]
        if self.backend == "gpu" and self.options.sanitize is not None:
            command = [*self._sanitizer(), *command]
        limit = self.seconds + (GRACE if self.backend == "cpu" else 0) if self.seconds else 0
        self.outcome = run(command, self.environment(), write, timeout=limit, max_output=self.options.max_output,
                           hide=str(self.session.folder) + "/")  # fmt: skip
        self.launches = self._read_launches()
        self.findings = self._read_findings()
        return self.outcome

    def _sanitizer(self) -> list[str]:
        found = find_sanitizer(self.machine)
        if not found:
            raise ToolMissing(
                "compute-sanitizer is not installed (it comes with the CUDA toolkit). --backend cpu checks with the emulator."
            )
        tool = self.options.sanitize or "memcheck"
        words = ["--tool", "memcheck", "--leak-check", "full"] if tool in ("leak", "all") else ["--tool", tool]
        return [found, *words, "--print-limit", SANITIZER_LINES, "--error-exitcode", str(FOUND)]

    # --- what is known at the end ---

    def _read_launches(self) -> Launches:
        launches = Launches()
        path = self.folder / "launches.txt"
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []:
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

    def _read_findings(self) -> list[dict]:
        path = self.folder / "findings.json"
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        findings = []
        for line in lines:
            try:
                findings.append(json.loads(line))
            except ValueError:
                pass  # the program was killed in the middle of it
        return findings

    def judge(self) -> None:
        """Raises what the run deserves; returns when nothing went wrong."""
        outcome, grave = self.outcome, [f for f in self.findings if f["severity"] == "error"]
        if outcome.stopped == "interrupt":
            raise Interrupted("the program and all that it started were stopped.")
        if outcome.stopped == "output":
            raise OutputLimit(f"the output was cut after {self.options.max_output} characters and the program stopped: does a printf run "
                              "in every thread? --max-output N allows more.")  # fmt: skip
        if grave and grave[0]["finding"] == "timeout":
            raise TimeLimit(self._describe(grave[0]) + f". Its limit was {self.seconds:g} s; --timeout S allows more.")
        if grave:
            more = f" ({len(grave) - 1} more above)" if len(grave) > 1 else ""
            raise KernelError(self._describe(grave[0]) + more)
        if outcome.stopped == "time":
            raise TimeLimit(
                f"the program was stopped after {self.seconds:g} s. --timeout S allows more, --timeout 0 all."
            )
        ended = f"; the program ended {describe_status(outcome.status)}" if outcome.status else ""
        if self.launches.ignored:
            error, meaning, kernel, grid, block = self.launches.ignored
            name = demangle(kernel).strip()
            raise LaunchError(f"{name} was not launched: {error} ({meaning}). The grid was {grid} blocks of {block} threads. "
                              f"The program never asked: after each launch, check cudaGetLastError(){ended}.")  # fmt: skip
        if self.launches.failed and not outcome.status:
            error, meaning = self.launches.failed
            raise LaunchError(f"a kernel failed: {error} ({meaning}), and the program ended as if nothing had happened. Check what "
                              "cudaDeviceSynchronize() returns; --sanitize finds the line.")  # fmt: skip
        if self.backend == "gpu" and self.options.sanitize is not None and outcome.status == FOUND:
            raise KernelError(self._first_of_sanitizer())
        if outcome.status:
            raise ProgramError(f"the program ended {describe_status(outcome.status)}.")

    def _first_of_sanitizer(self) -> str:
        """compute-sanitizer's first finding in a line."""
        said = [line[len("========= ") :].strip() for line in self.outcome.output.splitlines() if line.startswith("========= ")]
        for at, line in enumerate(said[:-1]):
            place = re.match(r"at (.*?)(?:\+0x[0-9a-f]+)? in ([^:]+):(\d+)", said[at + 1])
            if place:
                return f"{line}, line {place[3]} of {place[2]}, in {place[1]}"
        return "compute-sanitizer's findings are above, or the program itself ended with status 1."

    def _describe(self, finding: dict) -> str:
        """A finding in a line; its report is in the output already."""
        first = finding["report"][0].rstrip(".") if finding.get("report") else finding["finding"]
        where = ""
        if finding.get("line"):
            name = self.session.shown(finding["file"])
            where = (
                f", line {finding['line']}" if name == self.session.cell_name else f", {name}, line {finding['line']}"
            )
        kernel = f", in {finding['kernel']}" if finding.get("kernel") else ""
        who = ""
        if finding.get("thread"):
            who = f", thread ({','.join(map(str, finding['thread']))}) of block ({','.join(map(str, finding.get('block') or [0, 0, 0]))})"
        return f"{first}{where}{kernel}{who}"


def describe_status(status: int) -> str:
    if status < 0:
        return f"by {describe_signal(-status)}"
    return f"with status {status}"


def find_sanitizer(machine: Machine) -> str:
    """compute-sanitizer's path, or nothing."""
    beside = Path(os.path.realpath(machine.nvcc)).with_name("compute-sanitizer")
    library = Path(machine.toolkit_library or "/nowhere")
    for candidate in (shutil.which("compute-sanitizer"), beside, library.parent / "bin/compute-sanitizer"):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    return ""
