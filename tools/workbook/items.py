"""Cuts a program in CUDA C into its items: functions, enums, tables, and all other definitions at file scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Item:
    """Something defined at file scope, with the comment right above it. Lines count from 0; `end` is the one after."""

    names: list[str]
    text: str
    start: int
    code: int  # the first line after the comment
    end: int

    @property
    def is_function(self) -> bool:
        """Whether it is one function."""
        return bool(re.search(r"\)\s*\{", self.text)) and len(self.names) == 1

    @property
    def is_kernel(self) -> bool:
        """Whether it is a kernel."""
        return self.is_function and "__global__" in self.text.split("{")[0]


def without_comments_and_strings(text: str) -> str:
    """The same text with the same length and lines, but with only the code left."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.DOTALL)


def names_of(code: str) -> list[str]:
    """The names that an item defines: a function, or the tag, the enumerators and the variables of another declaration."""
    head = code.split("{")[0]
    function = re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$", head)
    if function and "{" in code:
        return [function.group(1)]
    tag = re.search(r"\b(?:struct|enum|union)\s+(\w+)", head)
    enumerators = re.findall(r"[{,]\s*(\w+)\s*(?==|,|\})", code) if re.search(r"\benum\b", head) else []
    variable = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|;)", re.sub(r"\{.*\}", "", code, flags=re.DOTALL))
    names = ([tag.group(1)] if tag else []) + enumerators + ([variable.group(1)] if variable else [])
    return list(dict.fromkeys(name for name in names if name != "enum"))


def spans(code: str) -> Iterator[tuple[int, int]]:
    """First and last line of each item at file scope; preprocessor lines belong to none."""
    depth, ended, directive = 0, False, False
    start: int | None = None
    for number, line in enumerate(code.split("\n")):
        continued = directive and depth == 0
        directive = (continued or line.lstrip().startswith("#")) and line.endswith("\\")
        if depth == 0 and (continued or line.lstrip().startswith("#")):
            continue
        if start is None and line.strip():
            start, ended = number, False
        for character in line:
            depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
            ended = ended or (depth == 0 and character == ";")
        if start is not None and depth == 0 and (ended or closes_function(code, start, number)):
            yield start, number
            start = None


def closes_function(code: str, start: int, end: int) -> bool:
    """Whether a function's body ends in that line."""
    text = "\n".join(code.split("\n")[start : end + 1]).rstrip()
    return text.endswith("}") and bool(names_of(text)) and bool(re.search(r"\)\s*$", text.split("{")[0]))


def with_comment(lines: list[str], code_lines: list[str], start: int) -> int:
    """Moves the start up over a comment directly above, including template lines."""
    while start > 0 and lines[start - 1].strip() and not code_lines[start - 1].strip():
        if re.match(r"// -{10,}", lines[start - 1]):
            break
        start -= 1
    return start


def read_items(path: Path) -> list[Item]:
    """The items of a program, in the order of the file."""
    text = path.read_text("utf-8")
    code = without_comments_and_strings(text)
    lines, code_lines = text.split("\n"), code.split("\n")
    items = []
    for first, last in spans(code):
        names = names_of("\n".join(code_lines[first : last + 1]))
        start = with_comment(lines, code_lines, first)
        items.append(Item(names, "\n".join(lines[start : last + 1]), start, first, last + 1))
    return items
