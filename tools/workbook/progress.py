"""progress                      the output of `make progress`; CHECK=1 regrades the exercises that the file lists
progress record 03 VERDICT    after a grading; with a third word it was that file, a notebook's cell, which is kept for CHECK=1
progress forget 03            after a reset
progress passed 03            status 0 when that exercise has passed
progress next                 the number of the first exercise that has not passed, or of the last

progress.txt in the project's root has a line for each exercise that was graded:
    NUMBER  DAY IT PASSED or -  LAST VERDICT  DAY OF THAT  CHECKSUM OF THE FILE THEN, or "cell"
PROGRESS_FILE names another file, for gradings that are not the student's own. It is only a note to oneself: editing it gains
nothing, since CHECK=1 and make grade grade the exercises themselves.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from workbook import results
from workbook.exercises import exercise_file, exercise_folder, exercise_numbers, exercise_suffix
from workbook.files import can_write
from workbook.messages import Failure, colour, say, warn

HEAD = (
    "# What has been graded here. make progress shows it, make progress CHECK=1 checks it.\n"
    "# exercise, passed on, last verdict, when, checksum of the exercise then\n"
)
REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass
class Entry:
    """A line of progress.txt; `verdict` is empty without one."""

    passed_on: str = "-"
    verdict: str = ""
    day: str = ""
    sum: str = ""

    @property
    def has_passed(self) -> bool:
        """Whether it has ever passed, if not now."""
        return self.passed_on != "-"


def progress_file() -> Path:
    """The path of the progress file."""
    return Path(os.environ.get("PROGRESS_FILE") or "progress.txt")


def lines() -> list[str]:
    """The lines of the file, without its head."""
    try:
        text = progress_file().read_text("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def entries() -> dict[str, Entry]:
    """All lines by exercise number; of two for one exercise the later."""
    words = (line.split() for line in lines())
    return {word[0]: Entry(*word[1:]) for word in words if len(word) == 5}


def checksum(content: bytes) -> int:
    """The CRC of POSIX's cksum, which uses the reverse bit order of each byte."""
    size, length = len(content), b""
    while size:
        length, size = length + bytes([size & 255]), size >> 8
    return int(f"{zlib.crc32((content + length).translate(REVERSED), 0xFFFFFFFF):032b}"[::-1], 2)


def sum_of(number: str) -> str:
    """The checksum of the student's file; - if there is no file."""
    file = exercise_file(number)
    return str(checksum(file.read_bytes())) if file.is_file() else "-"


def cell_of(number: str) -> Path:
    """The content of a notebook's cell when it was graded."""
    asked = os.environ.get("PROGRESS_FILE")
    return Path(f"{asked}.cells" if asked else "work/.graded") / f"lesson{number}.{exercise_suffix(number)}"


def name_of(number: str) -> str:
    """lessons/lesson03_relu -> relu."""
    return exercise_folder(number).name.split("_", 1)[1]


def today() -> str:
    """As 2026-11-28."""
    return time.strftime("%Y-%m-%d")


def replace(number: str, entry: Optional[Entry]) -> None:
    """Replaces or removes that exercise's line. A lock serializes this, also with make -j. The old file stays until the new one is complete."""
    file = progress_file()
    if not can_write(Path()) or not can_write(Path("build")):
        warn(f"{file} cannot be written (is the disk full?): this is not noted.")
        return
    with open("build/progress.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = [line for line in lines() if line.split()[0] != number]
        if entry:
            kept.append(f"{number} {entry.passed_on} {entry.verdict} {entry.day} {entry.sum}")
        kept.sort(key=lambda line: (int((re.match(r"\d+", line) or ["0"])[0]), line))
        new = file.with_name(f"{file.name}.{os.getpid()}")
        new.write_text(HEAD + "".join(line + "\n" for line in kept), "utf-8")
        new.replace(file)


def record(number: str, verdict: str, cell: Optional[Path] = None) -> None:
    """Records a grading of the student's file, or of a notebook's cell."""
    before = entries().get(number, Entry())
    passed_on = today() if verdict == "pass" and not before.has_passed else before.passed_on
    if cell:
        kept = cell_of(number)
        kept.parent.mkdir(parents=True, exist_ok=True)
        if cell != kept:
            shutil.copyfile(cell, kept)
    replace(number, Entry(passed_on, verdict, today(), "cell" if cell else sum_of(number)))


def has_passed(number: str) -> bool:
    """Whether it has passed, according to the file."""
    return entries().get(number, Entry()).has_passed


def next_exercise() -> str:
    """The first exercise that has not passed, or the last; empty if there is none."""
    noted, number = entries(), ""
    for number in exercise_numbers():
        if not noted.get(number, Entry()).has_passed:
            break
    return number


def describe(entry: Entry) -> str:
    """The state in words, in colour on a terminal."""

    def paint(code: int, text: str) -> str:
        return colour(code, text) if sys.stdout.isatty() else text

    where = " in a notebook" if entry.sum == "cell" else ""
    if not entry.verdict:
        return "not graded yet"
    if entry.verdict == "pass":
        return f"{paint(32, 'passed')} on {entry.passed_on}{where}"
    if entry.has_passed:
        return paint(33, f"passed on {entry.passed_on}, but {entry.verdict} on {entry.day}{where}")
    return f"{paint(33, entry.verdict)} on {entry.day}{where}"


def show() -> None:
    """A line for each exercise, and the next one to do."""
    noted, numbers = entries(), exercise_numbers()
    said = []
    for number in numbers:
        entry = noted.get(number, Entry())
        changed = entry.verdict and entry.sum != "cell" and entry.sum != sum_of(number)
        what = f"{number} {name_of(number)}"
        said.append(f"  {what:21} {describe(entry)}{', and the file has changed since' if changed else ''}")
    passed = sum(noted.get(number, Entry()).has_passed for number in numbers)
    if passed == len(numbers):
        said.append(f"All {passed} exercises have passed.")
    else:
        said.append(f"{passed} of {len(numbers)} exercises have passed. Next: make exercise{next_exercise()}")
    sys.stdout.write("\n".join(said) + "\n")  # in one write: `make progress | head` would end a command that continues to write


def grade_again(number: str, exercise: Path) -> str:
    """The current verdict of that file."""
    if not exercise.is_file():
        return "file_missing"
    folder = Path(f"build/exercises/lesson{number}/check")
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / "results.json"
    if found.exists():
        found.unlink()
    with open(folder / "output", "wb") as output:
        command = [sys.executable, "tools/grading/run", number, str(exercise)]
        subprocess.call(command, env={**os.environ, "RESULTS": str(folder)}, stdout=output, stderr=subprocess.STDOUT)
    graded = results.load(found)
    return graded["verdict"] if graded else "crash"


def check() -> None:
    """An exercise recorded as passed that no longer passes loses its date."""
    lost = checked = 0
    noted = entries()
    for number in exercise_numbers():
        before = noted.get(number, Entry())
        if not before.verdict:
            continue
        checked += 1
        cell = cell_of(number) if before.sum == "cell" else None
        verdict = grade_again(number, cell or exercise_file(number))
        say(f"  {number} {name_of(number)}: {verdict}")
        if verdict != "pass" and before.has_passed:
            lost += 1
            replace(number, Entry("-", verdict, today(), "cell" if cell else sum_of(number)))
        elif cell and not cell.is_file():
            replace(number, Entry(before.passed_on, verdict, today(), "cell"))
        else:
            record(number, verdict, cell)
    say(f"{checked} graded again.")
    show()
    if lost:
        raise Failure(f"{lost} of the exercises that {progress_file()} called passed did not pass.")


def main(arguments: list[str]) -> int:
    """Status 1: `passed` is false, or CHECK=1 has found fewer passes than recorded."""
    action, words = (arguments or ["show"])[0], arguments[1:]
    if action == "show" and os.environ.get("CHECK") == "1":
        check()
    elif action == "show":
        show()
    elif action == "record" and len(words) in (2, 3):
        record(words[0], words[1], Path(words[2]) if len(words) == 3 else None)
    elif action == "forget" and len(words) == 1:
        if progress_file().exists():
            replace(words[0], None)
    elif action == "passed" and len(words) == 1:
        return int(not has_passed(words[0]))
    elif action == "next":
        print(next_exercise())
    else:
        raise Failure(f"progress: unknown action {' '.join(arguments)}")
    return 0
