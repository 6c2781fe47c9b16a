"""grade [03]: grades submissions, and writes points. What `make grade` and `make exercise03 grade` do.

  make grade OUT=grades STUDENT=ada                       the exercises of this checkout
  make grade OUT=grades STUDENT=ada FILE=submissions/ada  those in that folder (or that one file, for one exercise)
  make grade OUT=grades FILE=submissions                  a student for each folder in it

ROSTER=class.csv lists all participants: a student without a submission gets 0 points. JOBS=4 grades this many files at once (default: the number of
cores). STRICT=1 ends with status 1 when any student has less than all points.

OUT/points.csv has a line for each student and exercise, OUT/gradebook.csv one for each student; OUT/STUDENT/feedback.txt is for the student, and
OUT/STUDENT/exercise03/ has results.json, results.xml, the output and the graded file. Only the exercise, or the notebook's cell, comes from
the student. Everything that judges it is the version in git (BASE=commit, HEAD otherwise): if one of its files was changed, the grading takes place
in a restored copy.
"""
import concurrent.futures
import hashlib
import os
import string
import subprocess
from functools import cache
from pathlib import Path
from typing import Optional

from workbook import gradebook, judges
from workbook.exercises import exercise_master, exercise_numbers
from workbook.grade_one import Job, grade_one, solution_folder
from workbook.messages import Failure, report, say, warn
from workbook.roster import Roster
from workbook.visible import visible_name


def is_name(name: str) -> bool:
    """A name becomes a folder, the beginning of a line, and a cell of a table that a spreadsheet must not take for a formula."""
    if not name or (name[0] != "_" and name[0] in string.punctuation + string.whitespace):
        return False
    return not any(letter in '/"`$\\' or visible_name(letter) != letter for letter in name)


def odd_name(name: str) -> str:
    """The message about an invalid name."""
    return f"'{visible_name(name)}' is not a valid student name: it has to start with a letter or a digit, and contain none of / \" $ ` \\"


class Asked:
    """The settings in the environment, validated. Failure: they are invalid."""

    def __init__(self, arguments: list[str]) -> None:
        asked = {name: os.environ.get(name, "") for name in ("OUT", "FILE", "ROSTER", "JOBS", "STUDENT", "STRICT")}
        root = os.getcwd()
        self.out = os.path.join(root, asked["OUT"] or "build/grades")
        self.source = os.path.join(root, asked["FILE"] or ".")
        self.source = self.source[:-2] if self.source.endswith("/.") else self.source
        self.roster = os.path.join(root, asked["ROSTER"]) if asked["ROSTER"] else ""
        self.student, self.strict = asked["STUDENT"], asked["STRICT"] == "1"
        if not os.path.exists(self.source):
            raise Failure(f"there is no FILE={asked['FILE']}.")
        if self.roster and not os.path.isfile(self.roster):
            raise Failure(f"there is no ROSTER={asked['ROSTER']}.")
        jobs = asked["JOBS"] or str(len(os.sched_getaffinity(0)))
        if not (jobs.isascii() and jobs.isdecimal()) or jobs.startswith("0"):
            raise Failure(f"JOBS={jobs}: it is a number of gradings at once, from 1 on.")
        self.jobs = int(jobs)
        self.numbers = arguments[:1] or exercise_numbers()
        if not os.path.isdir(self.source) and not arguments:
            raise Failure(f"FILE={asked['FILE']} is one file: of which exercise? make exercise03 grade FILE={asked['FILE']}")
        if not self.student and not (asked["FILE"] and os.path.isdir(self.source)):
            raise Failure("whose? make grade STUDENT=name, or FILE=folder with a folder for each student")
        if self.student and not is_name(self.student):
            raise Failure(f"{odd_name(self.student)}.")

    def students(self) -> list[str]:
        """The students to grade: one by name, or a folder for each."""
        if self.student:
            return [self.student]
        folders = [name for name in sorted(os.listdir(self.source)) if name[0] != "." and os.path.isdir(os.path.join(self.source, name))]
        for name in folders:
            if not is_name(name):
                warn(f"{odd_name(name)}; that folder is not graded.")
        return [name for name in folders if is_name(name)]

    def list_jobs(self, students: list[str]) -> list[Job]:
        """Each exercise of each student."""
        folders = {name: self.source if self.student else os.path.join(self.source, name) for name in students}
        return [Job(name, number, folders[name]) for name in students for number in self.numbers]


# --- how many checks there are: the solution passes them all ---


@cache
def graders_digest() -> bytes:
    """A checksum of everything that may change the outcome of grading a solution."""
    digest = hashlib.sha256()
    files = [path for folder in ("tools/grading", "tools/python", "tools/workbook", "common") for path in Path(folder).rglob("*")]
    files += [path for name in ("grader.*", "calls.py", "layer*") for path in Path("lessons").glob(f"*/{name}")]
    for path in sorted(files):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.read_bytes())
    return digest.digest()


def require_solution(number: str) -> None:
    """Grades the solution, unless this was done before on this machine. Failure: there is none, or it does not pass."""
    work, master = solution_folder(number), exercise_master(number)
    if not master.is_file():
        raise Failure(f"{master} does not exist: grading needs the solutions. A student's copy of the workbook has none.")
    digest = hashlib.sha256(graders_digest() + master.read_bytes() + Path("build/configuration").read_bytes()).hexdigest()
    key = f"{digest} {os.environ.get('BACKEND') or 'auto'}\n"
    if (work / "key").is_file() and (work / "key").read_text("utf-8") == key:
        return
    work.mkdir(parents=True, exist_ok=True)
    say(f"exercise {number}: the solution first, so that the number of checks is known")
    with open(work / "output.txt", "wb") as output:
        command = ["tools/grading/run", number, str(master)]
        graded = subprocess.run(command, env={**os.environ, "RESULTS": str(work)}, stdout=output, stderr=subprocess.STDOUT)
    if graded.returncode:
        say((work / "output.txt").read_text("utf-8", "replace").rstrip("\n"))
        raise Failure(f"the solution of exercise {number} does not pass on this machine, so no submission is graded: see above, and make doctor.")
    (work / "key").write_text(key, "utf-8")


# --- all of them, several at once ---


def grade_several(jobs: list[Job], out: Path, at_once: int, second_chance: bool) -> tuple[list[Job], bool]:
    """Grades these, and prints a line for each. Returns those that took too long, and whether any had no verdict."""
    again, failed = [], False

    def grade(job: Job) -> Optional[str]:
        return grade_one(job, out, second_chance)

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        running = {pool.submit(grade, job): job for job in jobs}
        for done in concurrent.futures.as_completed(running):
            try:
                line = done.result()
            except (Failure, OSError) as error:
                report(error if isinstance(error, Failure) else Failure(f"{running[done].student}, exercise {running[done].number}: {error}"))
                failed = True
                continue
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
            if line is None:
                again.append(running[done])
            else:
                print(line, flush=True)
    return again, failed


def grade_all(jobs: list[Job], out: Path, at_once: int) -> bool:
    """Whether all could be graded. A kernel that took too long beside others gets a second run alone on the machine."""
    again, failed = grade_several(jobs, out, at_once, second_chance=at_once > 1)
    if again:
        say(f"{len(again)} took too long beside other gradings; running again, alone:")
        _, failed_alone = grade_several(again, out, 1, second_chance=False)
        failed = failed or failed_alone
    return not failed


def tell_github(sums: gradebook.Sums) -> None:
    """GitHub Classroom takes a student's points from two notices of this form in the log of a workflow."""
    print(f"::notice title=Autograding complete::Points {gradebook.shown(sums.earned)}/{gradebook.shown(sums.possible)}")
    print(f'::notice title=Autograding report::{{"totalPoints":{gradebook.shown(sums.earned)},"maxPoints":{gradebook.shown(sums.possible)}}}', flush=True)


def main(arguments: list[str]) -> int:
    """An exercise's number, or nothing for all; the rest is in the environment."""
    asked = Asked(arguments)
    restored = {"OUT": asked.out, "FILE": asked.source, "ROSTER": asked.roster}
    judges.use_judges_of(os.environ.get("BASE") or "HEAD", arguments, restored)
    out = Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    students = asked.students()
    if not students and not asked.roster:
        raise Failure(f"there are no folders in FILE={os.environ.get('FILE', '')}: one for each student is expected.")
    for number in asked.numbers:
        require_solution(number)
    os.environ["EMULATOR_READY"] = "1"  # grading the solutions has built it
    graded = grade_all(asked.list_jobs(students), out, asked.jobs)
    sums = gradebook.write_all(out, Roster(Path(asked.roster) if asked.roster else None), students, asked.numbers)
    if os.environ.get("GITHUB_ACTIONS") and asked.student:
        tell_github(sums)
    say(f"points: {out}/points.csv, a row for each student: {out}/gradebook.csv (moodle.csv, canvas.csv)")
    if asked.strict and sums.below:
        raise Failure(f"STRICT=1: {sums.below} of the students have less than all points.")
    if not graded:
        raise Failure("not everything could be graded; see above.")
    return 0
