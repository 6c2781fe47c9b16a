"""nearest_word WORD KNOWN...: prints " Did you mean KNOWN?" for the known word that is nearest to the mistyped one, or nothing if all are far.

ptx03 is lesson03 ptx. A part of a lesson's name (relu) means that lesson. A number that no lesson has is reported as such. make calls this only on a
mistake, for its error message.
"""
import re
from typing import Optional

NUMBERED = re.compile(r"(lesson|exercise|hint)0*(\d{1,2})([a-z]?)")
LESSON_ACTION = re.compile(r"(run|test|sanitize|profile|view|ptx|sass)(\d\d[a-z]?)")
EXERCISE_ACTION = re.compile(r"(solution|reset|watch|grade)(\d\d[a-z]?)")


def changes(a: str, b: str) -> int:
    """The edit distance: letters changed, inserted or deleted; a transposition of two letters counts as one change."""
    older: list[int] = []
    before = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                least = min(least, older[j - 2] + 1)
            row.append(least)
        older, before = before, row
    return before[-1]


def with_number(word: str, known: list[str]) -> Optional[str]:
    """For lesson1 and the like: the intended lesson, or the list of lessons."""
    found = NUMBERED.fullmatch(word)
    if not found:
        return None
    kind, number = found[1], f"{int(found[2]):02d}{found[3]}"
    if kind + number in known:
        return f" Did you mean {kind}{number}?"
    if found[3] and f"exercise{number}" in known:
        return f" {number} is an exercise without a program of its own. Did you mean exercise{number}?"
    numbers = sorted(name[len(kind) :] for name in known if re.fullmatch(rf"{kind}\d\d[a-z]?", name))
    return " ".join([f" There are {kind}s", *numbers, "so far; README.md says what is planned."])


def with_action(word: str, known: list[str]) -> Optional[str]:
    """For ptx03 and the like: the two intended words."""
    for pattern, kinds in ((LESSON_ACTION, ("lesson", "exercise")), (EXERCISE_ACTION, ("exercise",))):
        found = pattern.fullmatch(word)
        for kind in kinds if found else ():
            if found and kind + found[2] in known:
                return f" Did you mean {kind}{found[2]} {found[1]}?"
    return None


def by_distance(word: str, known: list[str]) -> str:
    """The known word that takes the fewest changes. The parts of a lesson folder's name count as well."""
    lower, least, best = word.lower(), 1000, ""
    for name in known:
        candidate, distance = name, changes(lower, name.lower())
        if name.startswith("lesson") and "_" in name:
            candidate, _, title = name.partition("_")
            distance = 0 if lower in title and len(lower) > 2 else min(distance, changes(lower, title))
            if candidate not in known:  # it has no program
                candidate = candidate.replace("lesson", "exercise", 1)
        if distance < least:
            least, best = distance, candidate
    near = least <= (1 if len(word) < 5 else 2) + (len(word) > 8)
    return f" Did you mean {best}?" if near else ""


def main(arguments: list[str]) -> int:
    """Prints the sentence with a space before it, for the middle of a message."""
    word, *known = arguments
    said = with_number(word, known) or with_action(word, known) or by_distance(word, known)
    if said:
        print(said)
    return 0
