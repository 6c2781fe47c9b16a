"""Grades one exercise of one student, and decides its points: OUT/STUDENT/exercise03/ and the line of OUT/points.csv."""
import csv
import fcntl
import io
import os
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Optional

from workbook import results
from workbook.messages import Failure
from workbook.submission import Submission

POINTS = 10  # of an exercise that passes
MOST = 1_000_000  # bytes of a submission's file
HEAD = ["student", "exercise", "verdict", "points", "of", "checks passed", "checks", "graded"]

points_lock = threading.Lock()


class Outcome(NamedTuple):
    """The outcome of a grading: its verdict, the number of checks that passed, and the number of all checks."""

    verdict: str
    passed: int
    counted: int


def outcome_of(folder: Path) -> Optional[Outcome]:
    """The outcome of the grading whose results.json is in that folder; None if it ended without a verdict. Only this function reads the file."""
    found = results.load(folder / "results.json")
    return Outcome(found["verdict"], results.passed(found), len(found["tests"])) if found else None


@dataclass
class Job:
    """One exercise of one student; `source` is the location of the student's files."""

    student: str
    number: str
    source: str


def solution_folder(number: str) -> Path:
    """The path of the solution's results, which determine the number of checks."""
    return Path("build/graded") / f"lesson{number}"


def judge(job: Job, submission: Submission, file: str) -> Outcome:
    """Grades a copy, in the results' folder. Failure: the grader ended without a verdict."""
    folder = submission.folder
    copy = folder / f"exercise.{submission.suffix}"
    if file != str(copy):
        with open(file, "rb") as source:
            copy.write_bytes(source.read(MOST))
    ours = {"OTHERS": "1", "SHOWN": submission.shown(file), "RESULTS": str(folder)}
    with open(folder / "output.txt", "wb") as output:
        command = ["tools/grading/run", job.number, file]
        subprocess.run(command, env={**os.environ, **ours}, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    outcome = outcome_of(folder)
    if outcome is None:
        raise Failure(f"{job.student}, exercise {job.number}: the grader ended without a verdict; see {folder}/output.txt.")
    return outcome


def row_of(cells: list[str]) -> str:
    """The cells as a line of CSV, with its newline."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def add_points(out: Path, cells: list[str]) -> None:
    """Replaces the previous line of this student and exercise. Several gradings may end at once, here and in other processes."""
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
    """The rows of points.csv without its head; none if there is no such file yet."""
    if not table.is_file():
        return []
    with open(table, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return [row for row in csv.reader(file) if row][1:]


def line_of(job: Job, earned: int, verdict: str, remarks: str) -> str:
    """The line for the terminal. The name's width is counted in characters, not bytes."""
    told = f" ({remarks})" if remarks else ""
    return f"{job.student:<20} exercise {job.number}  {earned:2d} of {POINTS} points  {verdict}{told}"


def grade_one(job: Job, out: Path, second_chance: bool) -> Optional[str]:
    """Grades, writes, and returns the line to print; None if it took too long and gets a second run. Failure: there is no verdict."""
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
    if verdict == "pass" and passed < checks:  # a pass requires all of the solution's checks, regardless of the program's verdict
        verdict = "incomplete"
        submission.remarks.append(f"the grading ended as passed after {passed} of {checks} checks: inspect this program")
    remarks = "; ".join(submission.remarks)
    if remarks:
        (folder / "remarks.txt").write_text(remarks + "\n", "utf-8", "surrogateescape")
    graded = time.strftime("%Y-%m-%dT%H:%M:%S")
    add_points(out, [job.student, job.number, verdict, *map(str, (earned, POINTS, passed, checks)), graded])
    return line_of(job, earned, verdict, remarks)
