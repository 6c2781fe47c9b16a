"""python3 tools/workbook lesson_map: draws lessons/map.svg, which lesson needs which, from what their pages say.

A row for each lesson, a column for each that it could need: dark where its page names it, light where another one that
it needs does. --check compares instead.
"""
import argparse
import subprocess
from pathlib import Path
from typing import NamedTuple

from workbook.drawing import Drawing, Style
from workbook.messages import Failure

MAP = Path("lessons/map.svg")
LEFT, TOP, CELL = 240, 60, 28
STYLE = Style(
    "small+mid+end line+dark+light",
    small="font-size: 12px; fill: #4a4a4a;",
    line="stroke: #e2e2e2;",
    dark="fill: #1f5fa8;",
    light="fill: #bcd3ec;",
)


class Lesson(NamedTuple):
    """What a page says of itself: its number, its minutes, and the numbers of the lessons that it needs."""

    number: str
    name: str
    minutes: str
    needs: list[str]


def read_lessons() -> list[Lesson]:
    """Every lesson, in order. Failure: no page says what it needs."""
    done = subprocess.run(["sh", "tools/authoring/needs.sh"], check=True, text=True, stdout=subprocess.PIPE)
    rows = [line.split() for line in done.stdout.splitlines()]
    if not rows:
        raise Failure("no page says what it needs")
    return [Lesson(row[0], row[1].replace("_", " "), row[2], row[3:]) for row in rows]


def all_needs(lessons: list[Lesson]) -> dict[str, set[str]]:
    """What each lesson needs, itself or through others."""
    needs: dict[str, set[str]] = {}
    for lesson in lessons:  # each needs earlier ones only
        needs[lesson.number] = set(lesson.needs).union(*(needs.get(number, set()) for number in lesson.needs))
    return needs


def draw(lessons: list[Lesson]) -> Drawing:
    """The map."""
    numbers, needs = [lesson.number for lesson in lessons], all_needs(lessons)
    said = ""
    for lesson in lessons:
        named = [number for number in numbers if number in lesson.needs]
        said += f"{lesson.number} {lesson.name} needs {', '.join(named) or 'no other'}. "
    bottom = TOP + len(lessons) * CELL
    d = Drawing(LEFT + (len(lessons) - 1) * CELL + 24, bottom + 54, "Which lesson needs which", said, STYLE)
    d.text(16, 26, "small", "lesson, minutes")
    d.text(LEFT, 26, "small", "needs")
    for row, lesson in enumerate(lessons):
        y = TOP + row * CELL
        d.line(16, y + CELL, d.width - 16, y + CELL, "line")
        d.text(16, y + 19, "", f"{lesson.number} {lesson.name}")
        d.text(LEFT - 24, y + 19, "small end", lesson.minutes)
        if lesson is not lessons[-1]:
            d.text(LEFT + row * CELL + CELL / 2, TOP - 10, "small mid", lesson.number)
        for column, number in enumerate(numbers[:row]):
            if number in needs[lesson.number]:
                look = "dark" if number in lesson.needs else "light"
                d.rect(LEFT + column * CELL + 5, y + 5, CELL - 10, CELL - 10, look, corner=4)
    d.rect(16, bottom + 16, 18, 18, "dark", corner=4)
    d.text(42, bottom + 30, "small", "its page names this one")
    d.rect(200, bottom + 16, 18, 18, "light", corner=4)
    d.text(226, bottom + 30, "small", "needed by one that it needs")
    return d


def main(arguments: list[str]) -> int:
    """Exit status 1: with --check, the map is another one."""
    parser = argparse.ArgumentParser(prog="python3 tools/workbook lesson_map", description="Draws lessons/map.svg.")
    parser.add_argument("--check", action="store_true", help="compare with what is committed, and write nothing")
    options = parser.parse_args(arguments)
    drawn = str(draw(read_lessons()))
    if options.check:
        return 0 if MAP.read_text("utf-8") == drawn else 1
    MAP.write_text(drawn, "utf-8")
    return 0
