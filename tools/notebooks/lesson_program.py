"""Cuts a lesson's program into its items (functions, enums, tables), so that a notebook can show some of them and
include the rest from the file itself. Nothing is copied by hand: a cell is a piece of lessonNN.cu between two cuts."""

import os
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Item:
    """Something defined at file scope, with the comment right above it. Lines count from 0; `end` is the one after."""

    names: list
    text: str
    start: int
    end: int

    @property
    def is_function(self):
        return bool(re.search(r"\)\s*\{", self.text)) and len(self.names) == 1

    @property
    def is_kernel(self):
        return self.is_function and "__global__" in self.text.split("{")[0]


def without_comments_and_strings(text):
    """The same text, as long and with the same lines, in which only code is left."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.DOTALL)


def names_of(code):
    """What an item defines: a function, or the tag, the enumerators and the variables of another declaration."""
    head = code.split("{")[0]
    function = re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$", head)
    if function and "{" in code:
        return [function.group(1)]
    tag = re.search(r"\b(?:struct|enum|union)\s+(\w+)", head)
    enumerators = re.findall(r"[{,]\s*(\w+)\s*(?==|,|\})", code) if re.search(r"\benum\b", head) else []
    variable = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|;)", re.sub(r"\{.*\}", "", code, flags=re.DOTALL))
    names = ([tag.group(1)] if tag else []) + enumerators + ([variable.group(1)] if variable else [])
    return list(dict.fromkeys(name for name in names if name != "enum"))


def spans(code):
    """First and last line of each item at file scope; preprocessor lines belong to none."""
    depth, start, ended = 0, None, False
    for number, line in enumerate(code.split("\n")):
        if depth == 0 and line.lstrip().startswith("#"):
            continue
        if start is None and line.strip():
            start, ended = number, False
        for character in line:
            depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
            ended = ended or (depth == 0 and character == ";")
        if start is not None and depth == 0 and (ended or closes_function(code, start, number)):
            yield start, number
            start = None


def closes_function(code, start, end):
    text = "\n".join(code.split("\n")[start : end + 1]).rstrip()
    return text.endswith("}") and bool(names_of(text)) and bool(re.search(r"\)\s*$", text.split("{")[0]))


def with_comment(lines, code_lines, start):
    """Moves the start up over a comment that stands right above, template lines included."""
    while start > 0 and lines[start - 1].strip() and not code_lines[start - 1].strip():
        if re.match(r"// -{10,}", lines[start - 1]):
            break
        start -= 1
    return start


def read_items(path):
    text = Path(path).read_text()
    code = without_comments_and_strings(text)
    lines, code_lines = text.split("\n"), code.split("\n")
    items = []
    for first, last in spans(code):
        names = names_of("\n".join(code_lines[first : last + 1]))
        start = with_comment(lines, code_lines, first)
        items.append(Item(names, "\n".join(lines[start : last + 1]), start, last + 1))
    return items


class Program:
    """lessonNN.cu, and what can be shown of it: nothing, where there is no program."""

    def __init__(self, path):
        self.path = Path(path)
        self.lines = self.path.read_text().split("\n") if self.path.exists() else []
        self.items = read_items(path) if self.path.exists() else []

    def item(self, name):
        for item in self.items:
            if name in item.names:
                return item
        raise KeyError(f"{self.path.name} defines no {name}")

    def has_kernel(self, name):
        return any(item.is_kernel and name in item.names for item in self.items)

    def launchers(self, kernel):
        """The host functions that launch it, in the order of the file."""
        launch = re.compile(rf"\b{kernel}\s*(?:<[^<>;]*>)?\s*<<<")
        return [item.names[0] for item in self.items if item.is_function and not item.is_kernel and launch.search(item.text)]

    def pieces(self, names):
        """The whole program, in order, as shown items and the gaps between them. A gap is (file name, first line, end)."""
        shown = sorted({item.start: item for item in map(self.item, names)}.values(), key=lambda item: item.start)
        result, line, previous = [], 0, None
        for item in shown:
            self.add_gap(result, line, item.start, previous, item)
            result.append(item)
            line, previous = item.end, item
        self.add_gap(result, line, len(self.lines), previous, None)
        return result

    def add_gap(self, result, start, end, before, after):
        text = without_comments_and_strings("\n".join(self.lines[start:end]))
        if not text.strip():
            return
        result.append((gap_name(before, after), start, end))

    def gap_holds(self, start, end):
        """A few words on what is in a gap: its functions."""
        names = [item.names[0] for item in self.items if start <= item.start < end and item.is_function]
        if len(names) > 4:
            names = [names[0], names[1], "…", names[-1]]
        return ", ".join(names) or "declarations"

    def gap(self, name):
        """The first line and the end of the gap with that file name; None where somebody has changed the program so that there is none."""
        ends = [None, *(item for item in self.items if item.names), None]
        for at, before in enumerate(ends[:-1]):
            for after in ends[at + 1 :]:
                if (before or after) and gap_name(before, after) == name:
                    return before.end if before else 0, after.start if after else len(self.lines)
        return None

    def write_gaps(self, source, folder):
        """The gaps that cells include, as headers. Compilers and reports name the lines of lessonNN.cu."""
        folder.mkdir(parents=True, exist_ok=True)
        shown_as = shortest(self.path)
        for name in sorted(set(re.findall(rf'#include \\?"{self.path.stem}/(\w+\.h)', source))):
            lines = self.gap(name)
            if lines:
                text = f'#line {lines[0] + 1} "{shown_as}"\n' + "\n".join(self.lines[slice(*lines)]) + "\n"
                write_if_changed(folder / name, text)


def gap_name(before, after):
    """The file of what lies between two items, or at an end of the program."""
    if before and after:
        return f"{before.names[0]}_to_{after.names[0]}.h"
    return f"before_{after.names[0]}.h" if after else f"after_{before.names[0]}.h"


def shortest(path):
    """From the working folder, which is the notebook's, or from the root: both are found by whoever reads the source again."""
    return min(os.path.relpath(path), str(path.resolve()), key=len)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
