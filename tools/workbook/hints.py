"""A lesson's hints.md: tiers, each under a `## ` heading, with paragraphs about single TODOs."""
import re
from typing import Optional

TODO = re.compile(r"\*\*TODOs? *")


def tiers(text: str) -> list[list[str]]:
    """The lines of each tier, its heading first."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("## "):
            found.append([])
        if found:
            found[-1].append(line)
    return found


def is_about(line: str, todo: int) -> bool:
    """Whether a paragraph that begins with **TODO 4.**, **TODO 3 and 4.** or **TODO 3 to 5.** is about that TODO."""
    text = re.sub(r" *\(.*", "", re.sub(r"\*\*.*", "", TODO.sub("", line, count=1)))
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if len(numbers) == 2 and re.search("to|-|–", text):
        return numbers[0] <= todo <= numbers[1]
    return todo in numbers


def about_todo(tier: list[str], todo: int) -> Optional[list[str]]:
    """The heading, and the paragraphs about that TODO, each with the text up to the next one; None: there are none."""
    shown, wanted = [], False
    for line in tier[1:]:
        if line.startswith("**TODO"):
            wanted = is_about(line, todo)
        if wanted:
            shown.append(line)
    return [tier[0], "", *shown] if shown else None
