"""make_exercise MASTER: prints the exercise that a student gets from its master, the complete solution.

    python3 tools/workbook make_exercise solutions/lesson03_relu/solution.cu >lessons/lesson03_relu/exercise.cu

The master marks each gap with comments, so it compiles unchanged:

    `//> TODO 1: compute this thread's global index.`    becomes   `// TODO 1: compute this thread's global index.`
    `//| int i = 0;`                                     becomes   `int i = 0;`
    `int i = blockIdx.x * blockDim.x + threadIdx.x;`     is left out
    `//<`                                                is left out

A TODO may go on over several `//>` lines; `//|` alone is an empty line. Everything outside the gaps is copied.
In a master in Python, solution.py, the marks are `#>`, `#|` and `#<`.
"""
import re
import sys
from pathlib import Path

LINE = re.compile(r"([ \t]*)(.*)", re.DOTALL)
TODO = re.compile(r"TODO\s*(\d+)")


class MasterError(Exception):
    """An error in the master, preceded by the line number."""


class Converter:
    """Processes a master's lines; `comment` begins a comment in its language."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.comment = "#" if path.suffix == ".py" else "//"
        self.marker = re.compile(rf"{self.comment}([>|<])(?: (.*))?", re.DOTALL)  # followed by a space or nothing: `//>x` is an ordinary comment
        self.line = 0
        self.first_line = 0  # of the open gap; 0 outside one
        self.text_ended = False  # something other than `//>` has followed the TODO's text
        self.count = 0

    def fail(self, what: str) -> MasterError:
        """The error for the caller to raise."""
        return MasterError(f"{self.path}:{self.line}: {what}")

    def open_gap(self, body: str, text: str) -> None:
        """The first line of a TODO; a further line of the same TODO does not count."""
        if self.first_line and not self.text_ended:
            return
        if self.first_line:
            raise self.fail(f"a gap opens inside the one from line {self.first_line}: close that one with {self.comment}< first")
        found = TODO.match(text)
        if not found:
            raise self.fail(f"a gap opens with '{self.comment}> TODO n: what to do', found '{body}'")
        if int(found[1]) != self.count + 1:
            raise self.fail(f"this is TODO {found[1]}, but the next number is {self.count + 1}")
        self.first_line, self.text_ended, self.count = self.line, False, int(found[1])

    def convert_line(self, text: str) -> str:
        """The exercise's version of the line, with its newline, or nothing."""
        self.line += 1
        found = LINE.fullmatch(text)
        assert found
        indent, body = found.groups()
        marked = self.marker.fullmatch(body)
        marker, after = (marked[1], marked[2] or "") if marked else ("", "")
        if marker == ">":
            self.open_gap(body, after)
            return f"{indent}{self.comment} {after}\n"
        if not self.first_line:
            if marker:
                raise self.fail(f"'{self.comment}{marker}' outside a gap: no '{self.comment}> TODO n: …' before it")
            return f"{text}\n"
        self.text_ended = True
        if marker == "<":
            self.first_line = 0
        elif marker == "|":
            return f"{indent}{after}\n" if after else "\n"
        return ""

    def convert(self, master: str) -> str:
        """The whole exercise."""
        lines = master.split("\n")
        if lines[-1] == "":
            lines.pop()
        exercise = "".join(self.convert_line(line.rstrip(" \t\n\v\f\r")) for line in lines)
        if self.first_line:
            raise self.fail(f"the gap from line {self.first_line} is never closed: its solution ends with {self.comment}<")
        if not self.count:
            raise self.fail(f"there is no gap: mark one with '{self.comment}> TODO 1: …' and '{self.comment}<'")
        return exercise


def exercise_of(master: Path) -> str:
    """The exercise that is made from that file. MasterError: its gaps are not marked correctly; OSError: it cannot be read."""
    with open(master, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return Converter(master).convert(file.read())


def main(arguments: list[str]) -> int:
    """Status 1: the master is wrong; 2: it cannot be read."""
    if len(arguments) != 1:
        print("usage: make_exercise MASTER > EXERCISE", file=sys.stderr)
        return 2
    try:
        exercise = exercise_of(Path(arguments[0]))
    except MasterError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{arguments[0]}: {error.strerror}", file=sys.stderr)
        return 2
    print(exercise, end="")
    return 0
