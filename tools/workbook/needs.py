"""needs: what each lesson takes, as the head of its page states it ("*About 65 minutes to read and run, and 105 for the exercise. You need lessons 01
to 03 and 05.*"), as lines `03 relu 65 105 01 02`: number, name, minutes of reading and of the exercise, prerequisites."""
import re
from dataclasses import dataclass
from pathlib import Path

from workbook.lessons import lesson_folders, number_of

# A further exercise (03b) has little to read, and nothing to run: it states one number.
HEAD = re.compile(
    r"^\*(?:About (?P<reading>\d+) minutes to read and run(?:, in two sittings)?, and (?P<exercise>\d+) for the exercise"
    r"|A further exercise of about (?P<further>\d+) minutes, reading included)\b"
    r"(?: \(two sittings: TODO 1 to (?P<half>\d+), then (?P<next>\d+) to (?P<last>\d+)\))?.*?\*$",
    re.DOTALL | re.MULTILINE,
)
NUMBERS = re.compile(r"(\d\d)([a-z]?)(?: to (\d\d))?")


@dataclass
class Lesson:
    """A lesson with a program, as described in the head of its page."""

    number: str
    folder: Path
    reading: int
    exercise: int
    needs: list[str]

    @property
    def name(self) -> str:
        """relu, of lesson03_relu."""
        return self.folder.name.partition("_")[2]


def numbers_in(text: str) -> list[str]:
    """01 to 03, 05 and 11b -> 01 02 03 05 11b."""
    ranges = [(int(found[1]), int(found[3] or found[1]), found[2]) for found in NUMBERS.finditer(text)]
    return [f"{number:02d}{letter}" for first, last, letter in ranges for number in range(first, last + 1)]


def all_needs() -> list[Lesson]:
    """Every lesson whose page states its prerequisites and the minutes to read and run it, as a further exercise (03b) does not."""
    lessons = []
    for folder in lesson_folders():
        number = number_of(folder)
        head = HEAD.search((folder / "README.md").read_text("utf-8"))
        if head and head["reading"]:
            words = head[0].replace("\n", " ").rpartition("You need ")[2]
            lessons.append(Lesson(number, folder, int(head["reading"]), int(head["exercise"]), numbers_in(words)))
    return lessons


def main(arguments: list[str]) -> int:
    """Prints a line for each lesson."""
    for lesson in all_needs():
        print(lesson.number, lesson.name, lesson.reading, lesson.exercise, *lesson.needs)
    return 0
