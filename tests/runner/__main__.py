"""Runs the test suites: tests/run documents the usage, and calls it in the workbook's root.

Each run of a suite is a separate process (supervise.py) with a separate log, so that a crash, a hang or a kill affects only that suite, and counts as
a failure in the closing line.
"""
import json
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.dont_write_bytecode = True
import durations  # noqa: E402
import suites  # noqa: E402
from durations import Duration  # noqa: E402
from suites import Job  # noqa: E402

LOGS = Path("build/tests/logs")
LIMIT = int(os.environ.get("SUITE_LIMIT") or 1500)  # seconds for one suite
SHOWN = 150  # lines of a suite that failed
KINDS = {"ok": "passed", "not ok": "failed", "skip": "skipped"}
CHECK = re.compile("^(ok|not ok|skip) ", re.MULTILINE)
OURS = ("SUITE", "VERBOSE", "QUICK", "JOBS")  # the caller's settings for this program must not reach the suites


class Result(NamedTuple):
    """One run: the number of checks of each kind, and its duration."""

    job: Job
    counts: dict[str, int]
    took: Duration


class Options(NamedTuple):
    """The caller's options."""

    word: str
    lesson: str
    quick: bool
    verbose: bool
    slots: int


def options(arguments: list[str]) -> Options:
    """Options from the command line and the environment. SystemExit: they are invalid."""
    lesson = arguments[1] if len(arguments) == 2 and arguments[0] == "lesson" else ""
    if arguments and not lesson:
        sys.exit("usage: tests/run [lesson NUMBER]")
    slots = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
    if not slots.isdigit() or int(slots) < 1:
        sys.exit(f"JOBS={slots}: it is a number of suites to run at once")
    flags = [os.environ.get(name, "") not in ("", "0") for name in ("QUICK", "VERBOSE")]
    return Options(os.environ.get("SUITE", ""), lesson, flags[0], flags[1], int(slots))


def count(text: str) -> dict[str, int]:
    """The number of checks of each kind in a log."""
    found = CHECK.findall(text)
    return {kind: found.count(kind) for kind in KINDS}


def why_ended(report: dict[str, Any], counts: dict[str, int]) -> str:
    """A suite's failure other than its checks, or nothing."""
    if report["late"]:
        return f"stopped after {LIMIT} s"
    if report["signal"]:
        return f"the suite was killed by {signal.Signals(report['signal']).name}"
    if report["status"] and not counts["not ok"]:
        return f"the suite ended with status {report['status']}"
    return "" if any(counts.values()) else "the suite checked nothing"


class Runner:
    """Runs jobs, up to the number of slots at once."""

    def __init__(self, chosen: Options) -> None:
        self.chosen = chosen
        self.printing = threading.Lock()
        self.running: set[subprocess.Popen[bytes]] = set()
        self.stopping = False
        self.environment = {name: value for name, value in os.environ.items() if name not in OURS}
        # This interpreter itself, if PATH begins with a version manager's shim (pyenv, asdf), which runs a dozen shells at each of some 10,000
        # starts.
        self.environment["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

    def supervise(self, job: Job) -> dict[str, Any]:
        """Runs a suite to its end: the report of supervise.py."""
        log = LOGS / job.log
        report = log.with_suffix(".json")
        report.unlink(missing_ok=True)
        command = [sys.executable, "-B", str(Path(__file__).with_name("supervise.py")), str(LIMIT), str(report), job.script]
        with log.open("wb") as output:
            process = subprocess.Popen(command + [job.argument][: bool(job.argument)], stdout=output, stderr=output, env=self.environment)
            self.running.add(process)
            status = process.wait()
            self.running.discard(process)
        try:
            facts: dict[str, Any] = json.loads(report.read_text("utf-8"))
            return facts
        except (OSError, ValueError):
            return {"status": status, "signal": max(-status, 0), "late": False, "wall": 0, "cpu": 0, "left": 0}

    def run(self, job: Job) -> Result:
        """One job: its log gets a line for failures other than its checks, the terminal a summary in one piece."""
        if self.stopping:
            return Result(job, dict.fromkeys(KINDS, 0), Duration(0, 0))
        report = self.supervise(job)
        log = LOGS / job.log
        try:
            text = log.read_text("utf-8", errors="replace")
        except OSError as error:  # a suite has removed build/
            text = f"not ok {job.name}: its log cannot be read: {error.strerror}\n"
            log.parent.mkdir(parents=True, exist_ok=True)
        why = why_ended(report, count(text))
        if why:
            text += ("\n" if text and not text.endswith("\n") else "") + f"not ok {job.name}: {why}\n"
            log.write_text(text, "utf-8", errors="replace")
        result = Result(job, count(text), Duration(round(report["wall"]), round(report["cpu"])))
        if not self.stopping:
            with self.printing:
                print(self.summary(result, text, report["left"]), flush=True)
        return result

    def summary(self, result: Result, text: str, left: int) -> str:
        """The line about a job, and below it the failed and skipped checks."""
        counts, took = result.counts, result.took
        line = f"{result.job.name:<28} {counts['ok']:4} ok {counts['not ok']:3} failed {counts['skip']:3} skipped {took.wall:5} s"
        lines = text.splitlines()
        if not self.chosen.verbose and counts["not ok"]:
            lines = [one for one in lines if not one.startswith("ok ")][:SHOWN]
        elif not self.chosen.verbose:
            lines = [one for one in lines if one.startswith("skip ")]
        if left and self.chosen.verbose:  # compilers of the emulator's second tier, mostly
            lines.append(f"(it left {left} processes running, which were ended)")
        return "\n    ".join([line, *lines])

    def stop(self) -> None:
        """Ends the running jobs."""
        self.stopping = True
        for process in list(self.running):
            process.terminate()

    def run_all(self, jobs: list[Job]) -> list[Result]:
        """All jobs. KeyboardInterrupt: they were ended."""
        with ThreadPoolExecutor(self.chosen.slots) as pool:
            try:
                return list(pool.map(self.run, jobs))
            except KeyboardInterrupt:
                self.stop()
                raise


def in_order(jobs: list[Job]) -> list[Job]:
    """The longest jobs first, so that all slots finish at about the same time."""
    record = durations.read()
    unknown = Duration(durations.UNKNOWN, 0)
    return sorted(jobs, key=lambda job: -record.get(job.name, unknown).cost)


def left_out(jobs: list[Job]) -> tuple[list[Job], str]:
    """The quick jobs among these, and a sentence about the others."""
    quick, others = [job for job in jobs if job.quick], [job for job in jobs if not job.quick]
    record = durations.read()
    minutes = sum(record[job.name].cpu for job in others if job.name in record) // 60
    kinds: dict[str, int] = {}
    for job in others:
        kinds[job.name.split(" ")[0]] = kinds.get(job.name.split(" ")[0], 0) + 1
    listed = ", ".join(f"{kind} ({number} lessons)" if number > 1 else kind for kind, number in kinds.items())
    return quick, f"QUICK=1 left out, about {minutes} minutes of processor time, which make test runs: {listed}."


def main() -> int:
    chosen = options(sys.argv[1:])
    jobs = suites.find(chosen.word, chosen.lesson or None)
    words = ""
    if chosen.quick:
        jobs, words = left_out(jobs)
    LOGS.mkdir(parents=True, exist_ok=True)
    runner = Runner(chosen)
    try:
        results = runner.run_all(in_order(jobs))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    durations.keep({result.job.name: result.took for result in results})
    slowest = sorted(results, key=lambda result: -result.took.wall)[:5]
    if slowest:
        print("The slowest:")
    for one in slowest:
        print(f"{one.job.name:<28} {one.took.wall:5} s, {one.took.cpu} s of processors")
    if words:
        print(words)
    totals = {kind: sum(result.counts[kind] for result in results) for kind in KINDS}
    if not any(totals.values()):
        print(f"no suite was run{f': nothing under tests/ matches SUITE={chosen.word}' if chosen.word else ''}")
        totals["not ok"] = 1
    print(", ".join(f"{totals[kind]} {word}" for kind, word in KINDS.items()))
    return 1 if totals["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
