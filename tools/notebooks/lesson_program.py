"""A lesson's program as items (functions, enums, tables: workbook.items), so that a notebook can show some of them and
include the rest from the file itself. Nothing is copied by hand: a cell is a piece of lessonNN.cu between two cuts."""

import os
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from workbook.items import read_items, without_comments_and_strings  # noqa: E402 (the line above finds it)


class Program:
    """lessonNN.cu, and its items that can be shown: none without a program."""

    def __init__(self, path):
        self.path = Path(path)
        self.lines = self.path.read_text().split("\n") if self.path.exists() else []
        self.items = read_items(self.path) if self.path.exists() else []

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
        """A short description of a gap: its functions."""
        names = [item.names[0] for item in self.items if start <= item.start < end and item.is_function]
        if len(names) > 4:
            names = [names[0], names[1], "…", names[-1]]
        return ", ".join(names) or "declarations"

    def gap(self, name):
        """The first line and the end of the gap with that file name; None if the program was changed so that it no longer exists."""
        ends = [None, *(item for item in self.items if item.names), None]
        for at, before in enumerate(ends[:-1]):
            for after in ends[at + 1 :]:
                if (before or after) and gap_name(before, after) == name:
                    return before.end if before else 0, after.start if after else len(self.lines)
        return None

    def write_gaps(self, source, folder):
        """The gaps that cells include, as headers. Compilers and reports refer to the lines of lessonNN.cu."""
        folder.mkdir(parents=True, exist_ok=True)
        shown_as = shortest(self.path)
        for name in sorted(set(re.findall(rf'#include \\?"{self.path.stem}/(\w+\.h)', source))):
            lines = self.gap(name)
            if lines:
                text = f'#line {lines[0] + 1} "{shown_as}"\n' + "\n".join(self.lines[slice(*lines)]) + "\n"
                write_if_changed(folder / name, text)


def gap_name(before, after):
    """The file for the lines between two items, or at an end of the program."""
    if before and after:
        return f"{before.names[0]}_to_{after.names[0]}.h"
    return f"before_{after.names[0]}.h" if after else f"after_{before.names[0]}.h"


def shortest(path):
    """The path from the working folder, which is the notebook's, or from the root: both work for tools that reread the source."""
    return min(os.path.relpath(path), str(path.resolve()), key=len)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
