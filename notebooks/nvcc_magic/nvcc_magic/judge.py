"""What a run deserves: nothing that went wrong stays silent."""

from __future__ import annotations

import re
from typing import Any

from .compile import demangle
from .errors import Interrupted, KernelError, LaunchError, OutputLimit, ProgramError, TimeLimit
from .execute import FOUND, Execution
from .run import describe_signal

SANITIZER = "========= "


def judge(run: Execution) -> None:
    """Raises the gravest that happened; returns when nothing went wrong."""
    _judge_stop(run)
    _judge_findings(run)
    if run.outcome.stopped == "time":
        raise TimeLimit(f"the program was stopped after {run.seconds:g} s. --timeout S allows more, --timeout 0 all.")
    _judge_launches(run)
    if run.backend == "gpu" and run.options.sanitize is not None and run.outcome.status == FOUND:
        raise KernelError(_first_of_sanitizer(run.outcome.output))
    if run.outcome.status:
        raise ProgramError(f"the program ended {describe_status(run.outcome.status)}.")


def _judge_stop(run: Execution) -> None:
    if run.outcome.stopped == "interrupt":
        raise Interrupted("the program and all that it started were stopped.")
    if run.outcome.stopped == "output":
        raise OutputLimit(
            f"the output was cut after {run.options.max_output} characters and the program stopped: "
            "does a printf run in every thread? --max-output N allows more."
        )


def _judge_findings(run: Execution) -> None:
    """The emulator's; its warnings are in the output, and no more than that."""
    grave = [finding for finding in run.findings if finding["severity"] == "error"]
    if not grave:
        return
    first = _describe(grave[0], run)
    if grave[0]["finding"] == "timeout":
        kernel = f"{run.kernel_seconds:g} s of the program's {run.seconds:g}"
        raise TimeLimit(f"{first}. It took {kernel}; --timeout S allows more.")
    raise KernelError(first + (f" ({len(grave) - 1} more above)" if len(grave) > 1 else ""))


def _judge_launches(run: Execution) -> None:
    status = run.outcome.status
    if run.launches.ignored:
        error, meaning, kernel, grid, block = run.launches.ignored
        raise LaunchError(
            f"{demangle(kernel).strip()} was not launched: {error} ({meaning}). "
            f"The grid was {grid} blocks of {block} threads. "
            "The program never asked: after each launch, check cudaGetLastError()"
            + (f"; the program ended {describe_status(status)}." if status else ".")
        )
    if run.launches.failed and not status:
        error, meaning = run.launches.failed
        raise LaunchError(
            f"a kernel failed: {error} ({meaning}), and the program ended as if nothing had happened. "
            "Check what cudaDeviceSynchronize() returns; --sanitize finds the line."
        )


def _first_of_sanitizer(output: str) -> str:
    """compute-sanitizer's first finding in a line."""
    said = [line[len(SANITIZER) :].strip() for line in output.splitlines() if line.startswith(SANITIZER)]
    for line, below in zip(said, said[1:]):
        place = re.match(r"at (.*?)(?:\+0x[0-9a-f]+)? in ([^:]+):(\d+)", below)
        if place:
            return f"{line}, line {place[3]} of {place[2]}, in {place[1]}"
    return "compute-sanitizer's findings are above."


def _describe(finding: dict[str, Any], run: Execution) -> str:
    """A finding in a line; its report is in the output already."""
    said = finding["report"][0].rstrip(".") if finding.get("report") else finding["finding"]
    parts = [run.session.shown(said)]
    if finding.get("line"):
        name = run.session.shown(finding["file"])
        parts.append(f"line {finding['line']}" if name == run.session.cell_name else f"{name}, line {finding['line']}")
    if finding.get("kernel"):
        parts.append(f"in {finding['kernel']}")
    if finding.get("thread"):
        thread, block = (",".join(map(str, finding.get(which) or "?")) for which in ("thread", "block"))
        parts.append(f"thread ({thread}) of block ({block})")
    return ", ".join(parts)


def describe_status(status: int) -> str:
    return f"by {describe_signal(-status)}" if status < 0 else f"with status {status}"
