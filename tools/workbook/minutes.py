"""python3 tools/workbook minutes [--write | --check] [NUMBER...]: the minutes of a lesson by the formula, beside those that its page states.

To read and run: words / 150, plus 10 for each version, rounded to 5 minutes. For the exercise: 15 for each TODO. Words are the page's text without
folded parts, code, tables and comments. A version is a kernel or another `name` in bold that begins a paragraph and ends with a number, or a step of
a lesson in Python, `## name1: ...`. A further exercise states the sum of both.

No sitting exceeds 120 minutes. A longer page has a line of its own, "**A good place to stop.** The first sitting ends here, after about 60 minutes: ...";
the head of a longer exercise states in which TODO the first sitting ends.

--write: writes the numbers of the heads and of these lines, and those of README.md, TEACHING.md, MAP.md and the map's figure, which repeat them.
--check: exit status 1, with a line for each place, if one of them differs or a sitting is too long.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from workbook.lessons import lesson_folder, lesson_folders, number_of
from workbook.map import make_map, other_map
from workbook.needs import HEAD

WORDS_A_MINUTE, VERSION, TODO = 150, 10, 15
SITTING = 120
SHOWN = 120  # letters of a line that differs
LEFT_OUT = re.compile(r"^(```|~~~).*?^\1[^\n]*$|<!--.*?-->|^\|[^\n]*$|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
FOLD = re.compile(r"^<details>.*?</details>", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"\w[\w.,'’-]*")
VERSIONS = re.compile(r"^(?:\*\*|## (?=\w+: ))(\w*[a-z_]\d+)\b", re.MULTILINE)
TODOS = re.compile(r"^\s*(?://|#)[>|]?\s*TODO (\d+)\b", re.MULTILINE)
REST = re.compile(r"^(\*\*A good place to stop\.\*\* The first sitting ends here, after about )(\d+)(?= minutes\b)", re.MULTILINE)
LISTS = (Path("README.md"), Path("TEACHING.md"))
ROW = re.compile(r"^(\| \[\d\d[a-z]? [^|]*?/lesson(\d\d[a-z]?)_\w+/README\.md\) \| )([^|]*?)(?= \|)", re.MULTILINE)
BRACKETS = re.compile(r"(/lesson(\d\d[a-z]?)_\w+/README\.md\) \()(\d+)(?= minutes\))")


class Estimate(NamedTuple):
    """A lesson's words and versions outside of folds, and its TODOs."""

    words: int
    versions: int
    todos: int

    @property
    def reading(self) -> int:
        """The minutes to read the page and run its program."""
        return 5 * round((self.words / WORDS_A_MINUTE + VERSION * self.versions) / 5)

    @property
    def exercise(self) -> int:
        """The minutes that the exercise takes."""
        return TODO * self.todos


def estimate(page: str, exercise: str) -> Estimate:
    """The measures of a page and its exercise, given as texts."""
    text = FOLD.sub(" ", LEFT_OUT.sub(" ", page))
    return Estimate(len(WORD.findall(text)), len(set(VERSIONS.findall(text))), len(set(TODOS.findall(exercise))))


def exercise_text(folder: Path) -> str:
    """The exercise, from its solution if there is one: a student's own file may have no TODOs left."""
    places = (Path("solutions") / folder.name, folder)
    found = [path for place in places for stem in ("solution", "exercise") for path in sorted(place.glob(f"{stem}.*")) if path.suffix in (".cu", ".cpp", ".py")]
    return found[0].read_text("utf-8") if found else ""


def stated(page: str) -> str:
    """The minutes of a page's head, as lists repeat them: `65 + 105`, a further exercise `115`, nothing without a head."""
    head = HEAD.search(page)
    if not head:
        return ""
    return head["further"] or f"{head['reading']} + {head['exercise']}"


def with_minutes(page: str, lesson: Estimate) -> str:
    """The page with the numbers of its head, and with those of the line where a first sitting ends."""

    def head(found: re.Match[str]) -> str:
        if found["further"]:
            return re.sub(r"\d+", str(lesson.reading + lesson.exercise), found[0], count=1)
        sittings = ", in two sittings" if lesson.reading > SITTING else ""
        minutes = f"*About {lesson.reading} minutes to read and run{sittings}, and {lesson.exercise} for the exercise"
        return minutes + found[0][found.end("exercise") + len(" for the exercise") - found.start() :]

    page = HEAD.sub(head, page, count=1)
    return REST.sub(lambda found: f"{found[1]}{estimate(page[: found.start()], '').reading}", page)


def unrested(page: str, lesson: Estimate) -> list[str]:
    """What the page lacks for no sitting to exceed 120 minutes."""
    found, head = [], HEAD.search(page)
    if not head:
        return ["the head does not state the minutes, as CONTRIBUTING.md has it"]
    rest = REST.search(page)
    first = estimate(page[: rest.start()], "").reading if rest else 0
    if not head["further"] and max(first, lesson.reading - first) > SITTING:
        found.append(f"{lesson.reading} minutes of reading need a line '**A good place to stop.** The first sitting ends here, after about 60 minutes: ...'")
    before = lesson.reading if head["further"] else 0
    half = int(head["half"] or 0)
    if half and (int(head["next"]), int(head["last"])) != (half + 1, lesson.todos):
        found.append(f"of two sittings the second one has TODO {half + 1} to {lesson.todos}")
    whole = before + lesson.exercise
    sitting = before + TODO * half if half else whole
    if max(sitting, whole - sitting) > SITTING:
        found.append(f"{whole} minutes need '(two sittings: TODO 1 to 4, then 5 to {lesson.todos})' in the head")
    return found


def repeated(text: str, minutes: dict[str, str]) -> str:
    """README.md, TEACHING.md or another text with the minutes that it repeats: a row's second cell, or in brackets after a link."""
    for pattern in (ROW, BRACKETS):
        text = pattern.sub(lambda found: found[1] + (minutes.get(found[2]) or found[3]), text)
    return text


def differences(path: Path, found: str, expected: str) -> list[str]:
    """A line for each line of the text that differs."""
    pairs = enumerate(zip(found.split("\n"), expected.split("\n")), 1)
    return [f"{path}:{line}: expected `{right[:SHOWN]}`" for line, (wrong, right) in pairs if wrong != right]


def all_pages() -> dict[Path, str]:
    """Every lesson's page, with its text."""
    return {folder / "README.md": (folder / "README.md").read_text("utf-8") for folder in lesson_folders()}


def repeating(pages: dict[Path, str]) -> dict[Path, tuple[str, str]]:
    """The texts that repeat minutes: as they are, and with the minutes that the pages' heads state."""
    minutes = {number_of(path.parent): stated(page) for path, page in pages.items()}
    texts = {path: path.read_text("utf-8") for path in (*LISTS, Path("MAP.md"))}
    return {path: (text, repeated(text, minutes)) for path, text in {**pages, **texts}.items()}


def wrong_minutes() -> list[str]:
    """A line for each place that states other minutes, and for each sitting that is too long."""
    found, pages = [], all_pages()
    for path, page in pages.items():
        lesson = estimate(page, exercise_text(path.parent))
        found += [f"{path}: {lacks}" for lacks in unrested(page, lesson)]
        found += differences(path, page, with_minutes(page, lesson))
    for path, (text, expected) in repeating(pages).items():
        found += differences(path, text, expected)
    for path in LISTS:
        rows = {row[2] for row in ROW.finditer(path.read_text("utf-8"))}
        found += [f"{path}: no row has the minutes of {page}" for page in pages if number_of(page.parent) not in rows]
    return found + other_map()


def write_minutes() -> None:
    """Writes them everywhere: first the heads, which the others repeat."""
    for path, page in all_pages().items():
        path.write_text(with_minutes(page, estimate(page, exercise_text(path.parent))), "utf-8")
    for path, (_, expected) in repeating(all_pages()).items():
        path.write_text(expected, "utf-8")
    make_map()


def main(arguments: list[str]) -> int:
    """Prints a line for each lesson."""
    parser = argparse.ArgumentParser(prog="python3 tools/workbook minutes", description="Prints what each lesson takes by the formula.")
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="a lesson's, 03; all lessons without")
    parser.add_argument("--write", action="store_true", help="write the minutes of all pages, and of what repeats them")
    parser.add_argument("--check", action="store_true", help="exit status 1 where other minutes are stated")
    options = parser.parse_args(arguments)
    if options.write:
        write_minutes()
    print("lesson  words  versions  TODOs  reading  exercise  stated")
    for folder in [lesson_folder(number) for number in options.numbers] or lesson_folders():
        page = (folder / "README.md").read_text("utf-8")
        lesson = estimate(page, exercise_text(folder))
        counted = f"{number_of(folder):6} {lesson.words:6} {lesson.versions:9} {lesson.todos:6}"
        print(f"{counted} {lesson.reading:8} {lesson.exercise:9}  {stated(page)}".rstrip())
    wrong = wrong_minutes() if options.check else []
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0
