"""needs: the prerequisites of each lesson, as its page states them ("*About 90 minutes ... You need lessons 01 to 03 and 05.*"), as lines
`03 relu 90 01 02`: number, name, minutes, prerequisites."""
import re
from dataclasses import dataclass
from pathlib import Path

from workbook.lessons import has_program, lesson_folders, number_of

HEAD = re.compile(r"^\*About (\d+) minutes.*?\*$", re.DOTALL | re.MULTILINE)
NUMBERS = re.compile(r"(\d\d)([a-z]?)(?: to (\d\d))?")


@dataclass
class Lesson:
    """A lesson with a program, as described in the head of its page."""

    number: str
    folder: Path
    minutes: int
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
    """Every lesson with a program whose page states its prerequisites."""
    lessons = []
    for folder in lesson_folders():
        number = number_of(folder)
        head = HEAD.search((folder / "README.md").read_text("utf-8")) if has_program(folder) else None
        if head:
            words = head[0].replace("\n", " ").rpartition("You need ")[2]
            lessons.append(Lesson(number, folder, int(head[1]), numbers_in(words)))
    return lessons


def main(arguments: list[str]) -> int:
    """Prints a line for each lesson."""
    for lesson in all_needs():
        print(lesson.number, lesson.name, lesson.minutes, *lesson.needs)
    return 0
