"""The lessons and exercises, and the paths of their files. Paths are relative to the workbook's root, where every command runs."""
import re
from pathlib import Path

from workbook.messages import Failure

LESSON = re.compile(r"lesson(\d\d[a-z]?)_\w+$")


def number_of(folder: Path) -> str:
    """lessons/lesson03b_operators -> 03b."""
    found = LESSON.match(folder.name)
    if not found:
        raise ValueError(f"{folder} is no lesson's folder")
    return found[1]


def lesson_folders() -> list[Path]:
    """Every lesson's folder in order; a further exercise (03b) and a second part (11b) come after their lesson."""
    return sorted(path for path in Path("lessons").iterdir() if path.is_dir() and LESSON.match(path.name))


def has_program(folder: Path) -> bool:
    """Whether it is a lesson, with a program (11, 11b), and not a further exercise of one (03b)."""
    return any((folder / f"lesson{number_of(folder)}{suffix}").is_file() for suffix in (".cu", ".py"))


def lesson_folder(number: str) -> Path:
    """The folder of lesson `number` (\"03\", \"03b\"). Failure: there is none."""
    for folder in lesson_folders():
        if number_of(folder) == number:
            return folder
    raise Failure(f"there is no lesson {number}. There are: {' '.join(map(number_of, lesson_folders()))}")
