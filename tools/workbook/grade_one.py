"""Grades one exercise of one student: OUT/STUDENT/exercise03/ and the line of OUT/points.csv."""
import csv
import fcntl
import io
import json
import os
import re
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Optional

from workbook.messages import Failure
from workbook.submission import Submission

POINTS = 10  # of an exercise that passes
MOST = 1_000_000  # bytes of a submission's file
HEAD = ["student", "exercise", "verdict", "points", "of", "checks passed", "checks", "graded"]

points_lock = threading.Lock()


class Outcome(NamedTuple):
    """What a grading came to: its word, the checks that passed and all that it knew of."""

    verdict: str
    passed: int
    counted: int


def outcome_of(results: Path) -> Optional[Outcome]:
    """The outcome of the grading whose results are in that folder; None where it has ended without one. Only this function reads a verdict: from results.json
    where the judge has written it there, otherwise from the last line of what was printed."""
    try:
        found = json.loads((results / "results.json").read_text("utf-8"))
        return Outcome(str(found["verdict"]), sum(test["status"] == "pass" for test in found["tests"]), len(found["tests"]))
    except (OSError, ValueError, KeyError, TypeError):
        return outcome_printed(results)


def outcome_printed(results: Path) -> Optional[Outcome]:
    """The same from output.txt and count."""
    try:
        last = (results / "output.txt").read_bytes().decode("utf-8", "replace").splitlines()[-1]
        passed, counted = (results / "count").read_text("utf-8").split()
    except (OSError, ValueError, IndexError):
        return None
    found = re.fullmatch("VERDICT: (.+)", last)
    return Outcome(found[1], int(passed), int(counted)) if found else None


@dataclass
class Job:
    """One exercise of one student; `source` is where the student's files are."""

    student: str
    number: str
    source: str


def solution_folder(number: str) -> Path:
    """Where the results of the solution are kept: it says how many checks there are."""
    return Path("build/graded") / f"lesson{number}"


def judge(job: Job, submission: Submission, file: str) -> Outcome:
    """Grades a copy, in the results' folder. Failure: the grader has ended without a verdict."""
    folder = submission.folder
    copy = folder / f"exercise.{submission.suffix}"
    if file != str(copy):
        with open(file, "rb") as source:
            copy.write_bytes(source.read(MOST))
    names = solution_folder(job.number) / "checks"
    ours = {"OTHERS": "1", "SHOWN": submission.shown(file), "RESULTS": str(folder), "NAMES": str(names)}
    with open(folder / "output.txt", "wb") as output:
        command = ["tools/grading/run", job.number, file]
        subprocess.run(command, env={**os.environ, **ours}, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    outcome = outcome_of(folder)
    if outcome is None:
        raise Failure(f"{job.student}, exercise {job.number}: the grader ended without a verdict; see {folder}/output.txt.")
    for name in ("count", "checks"):
        (folder / name).unlink(missing_ok=True)
    return outcome


def row_of(cells: list[str]) -> str:
    """The cells as a line of CSV, with its end."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def add_points(out: Path, cells: list[str]) -> None:
    """Replaces the line that there was of this student and exercise. Several gradings may end at once, here and in another process."""
    table = out / "points.csv"
    with points_lock, open(out / ".points.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = read_points(table)
        rows = [row for row in rows if row[:2] != cells[:2]] + [cells]
        lines = sorted(map(row_of, rows), key=os.fsencode)
        new = out / f"points.csv.{os.getpid()}"
        new.write_text(row_of(HEAD) + "".join(lines), "utf-8", "surrogateescape")
        new.replace(table)


def read_points(table: Path) -> list[list[str]]:
    """The rows of points.csv without its head; none where there is no such file yet."""
    if not table.is_file():
        return []
    with open(table, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return [row for row in csv.reader(file) if row][1:]


def line_of(job: Job, earned: int, verdict: str, remarks: str) -> str:
    """What the terminal shows. The name's characters are counted, not its bytes."""
    told = f" ({remarks})" if remarks else ""
    return f"{job.student:<20} exercise {job.number}  {earned:2d} of {POINTS} points  {verdict}{told}"


def grade_one(job: Job, out: Path, second_chance: bool) -> Optional[str]:
    """Grades, writes, and returns the line to print; None where it took too long, and there is a second chance. Failure: there is no verdict."""
    folder = out / job.student / f"exercise{job.number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    submission = Submission(job.source, job.number, folder)
    file = submission.find()
    verdict, passed, counted = judge(job, submission, file) if file else Outcome("not_submitted", 0, 0)
    solution = outcome_of(solution_folder(job.number))
    checks = max(counted, solution.counted if solution else 0)
    earned = POINTS * passed // checks
    if verdict == "timeout" and second_chance:
        return None
    if verdict == "pass" and passed < checks:  # a pass without all of the solution's checks is none, whatever the program said
        verdict = "incomplete"
        submission.remarks.append(f"the grading ended as passed after {passed} of {checks} checks: look at what this program does")
    remarks = "; ".join(submission.remarks)
    if remarks:
        (folder / "remarks.txt").write_text(remarks + "\n", "utf-8", "surrogateescape")
    graded = time.strftime("%Y-%m-%dT%H:%M:%S")
    add_points(out, [job.student, job.number, verdict, *map(str, (earned, POINTS, passed, checks)), graded])
    return line_of(job, earned, verdict, remarks)
