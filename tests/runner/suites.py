"""The suites, and how often each is run: once, or once per lesson or exercise, as a line of the suite specifies."""
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Optional

ROOTS = ("tests", "emulator/tests")
HEAD = re.compile(r"(?:#.*\n)*")
SUBJECT = re.compile(r"^# runs for each (lesson|exercise)$", re.MULTILINE)
QUICK = re.compile(r"^# quick(?:: (.*))?$", re.MULTILINE)
FOLDER = re.compile(r"lesson(\d\d)([a-z]?)_\w+$")


class Job(NamedTuple):
    """One run of a suite."""

    script: str
    argument: str  # a lesson's number, or nothing
    quick: bool

    @property
    def name(self) -> str:
        """tests/grading/graders.test.sh for 03 -> grading/graders 03; emulator/tests/check.test.sh -> emulator/check."""
        path = self.script[: -len(".test.sh")].replace("emulator/tests/", "emulator/")
        if path.startswith("tests/"):
            path = path[len("tests/") :]
        return f"{path} {self.argument}".strip()

    @property
    def log(self) -> str:
        """The file name of its log."""
        return re.sub("[/ ]", "-", self.name) + ".log"


def numbers_of(subject: str) -> list[str]:
    """The numbers of all lessons, 11b among them, or of all exercises, including 03b, whose folder has no program."""
    folders = [path for path in sorted(Path("lessons").iterdir()) if path.is_dir() and FOLDER.match(path.name)]
    named = [(path, FOLDER.sub(r"\1\2", path.name)) for path in folders]
    return [number for path, number in named if subject == "exercise" or number.isdecimal() or list(path.glob(f"lesson{number}.*"))]


def jobs_of(path: Path) -> Iterator[Job]:
    """The runs of one suite. A quick suite contains `# quick`, or `# quick: 03 27` if it is quick only for these lessons."""
    text = HEAD.match(path.read_text("utf-8"))
    subject, quick = (SUBJECT.search(text[0]), QUICK.search(text[0])) if text else (None, None)
    if not subject:
        yield Job(str(path), "", bool(quick))
        return
    chosen = (quick[1] or "").split() if quick else []
    for number in numbers_of(subject[1]):
        yield Job(str(path), number, number in chosen)


def find(word: str, lesson: Optional[str]) -> list[Job]:
    """The runs of all suites with that word in their path or name; with a lesson's number only the runs for it."""
    paths = sorted(path for root in ROOTS for path in Path(root).rglob("*.test.sh"))
    jobs = [job for path in paths for job in jobs_of(path)]
    return [job for job in jobs if (word in job.script or word in job.name) and (lesson is None or job.argument == lesson)]
