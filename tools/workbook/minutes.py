"""python3 tools/workbook minutes [--check] [NUMBER...]: the minutes of a lesson by the formula, beside those that its page states: words / 150,
plus 10 for each version and 15 for each TODO of the exercise, rounded to 5 minutes.

Words are the page's text, folded parts included, without code, tables and comments. A version is a kernel or another `name` in bold that begins
a paragraph and ends with a number. --check: exit status 1 if a page states something else.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from workbook.lessons import lesson_folder, lesson_folders, number_of
from workbook.needs import HEAD

WORDS_A_MINUTE, VERSION, TODO = 150, 10, 15
LEFT_OUT = re.compile(r"^(```|~~~).*?^\1[^\n]*$|<!--.*?-->|^\|[^\n]*$|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"\w[\w.,'’-]*")
VERSIONS = re.compile(r"^\*\*(\w*[a-z_]\d+)\b", re.MULTILINE)
TODOS = re.compile(r"^\s*(?://|#)[>|]?\s*TODO (\d+)\b", re.MULTILINE)


class Estimate(NamedTuple):
    """A lesson's words, versions and TODOs, and the minutes that its page states; 0 if it states none."""

    words: int
    versions: int
    todos: int
    stated: int

    @property
    def minutes(self) -> int:
        """By the formula."""
        exact = self.words / WORDS_A_MINUTE + VERSION * self.versions + TODO * self.todos
        return 5 * round(exact / 5)


def estimate(page: str, exercise: str) -> Estimate:
    """The measures of a page and its exercise, given as texts."""
    head = HEAD.search(page)
    words = len(WORD.findall(LEFT_OUT.sub(" ", page)))
    return Estimate(words, len(set(VERSIONS.findall(page))), len(set(TODOS.findall(exercise))), int(head[1]) if head else 0)


def exercise_text(folder: Path) -> str:
    """The exercise, from its solution if there is one: a student's own file may have no TODOs left."""
    places = (Path("solutions") / folder.name, folder)
    found = [path for place in places for stem in ("solution", "exercise") for path in sorted(place.glob(f"{stem}.*")) if path.suffix in (".cu", ".cpp", ".py")]
    return found[0].read_text("utf-8") if found else ""


def main(arguments: list[str]) -> int:
    """Prints a line for each lesson."""
    parser = argparse.ArgumentParser(prog="python3 tools/workbook minutes", description="Prints what each lesson takes by the formula.")
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="a lesson's, 03; all lessons without")
    parser.add_argument("--check", action="store_true", help="exit status 1 where a page states other minutes")
    options = parser.parse_args(arguments)
    print("lesson  words  versions  TODOs  minutes  stated")
    other = 0
    for folder in [lesson_folder(number) for number in options.numbers] or lesson_folders():
        lesson = estimate((folder / "README.md").read_text("utf-8"), exercise_text(folder))
        other += lesson.minutes != lesson.stated
        print(f"{number_of(folder):6} {lesson.words:6} {lesson.versions:9} {lesson.todos:6} {lesson.minutes:8} {lesson.stated:7}")
    return 1 if options.check and other else 0
