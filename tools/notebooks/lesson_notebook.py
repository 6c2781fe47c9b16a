"""Builds a lesson's notebook from its page, its program and its exercise: with the exercise's gaps, or solved."""

import base64
import json
import posixpath
import re
import sys
from pathlib import Path

from exercise_of import exercise_suffix
from lesson_page import (
    FIGURE,
    TABLE,
    Code,
    Exercise,
    PageError,
    Text,
    is_figure,
    is_folded_prediction,
    is_prediction,
    make_words,
    read_page,
    split_prediction,
)
from lesson_program import Program
from markdown_blocks import blocks_of

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from workbook.items import Item  # noqa: E402 (the line above finds it)
from workbook.lessons import number_of  # noqa: E402
from workbook.make_exercise import exercise_of  # noqa: E402
from workbook.pages import without_formulas  # noqa: E402

INTRODUCTION = """\
This is [the lesson's page]({folder}/README.md) as a notebook.

- A cell that begins with `%%nvcc` is a whole program. It shows the piece that the text is about, and includes the rest from
  [{program}]({folder}/{program}). Change what you see, and Shift+Enter compiles, runs and verifies it.
- What follows `--` is for the program: `--version 2` runs that version alone, `--size 1000` takes that many elements. Without them
  it runs all versions on several sizes.
- Add `--profile`, `--view`, `--sanitize` or `--ptx` to a cell's first line to see what its kernels do.
- In the exercise's cell, `--exercise` in the place of `--grade` calls your functions and judges nothing: `--profile`, `--view`, `--sanitize` or
  `--ptx` then shows your own kernels.
- A double click on a table opens it: write your predictions into it, then Shift+Enter. The answers are folded away below. (The cell
  of a single version prints what it counted, too.)
- Commands that begin with `make` are for a terminal (File, New, Terminal) in the workbook's folder."""

INTRODUCTION_WITHOUT_PROGRAM = """\
This is [the lesson's page]({folder}/README.md) as a notebook.

- The cell that begins with `%%nvcc --grade` is the exercise: Shift+Enter compiles and grades it.
- A double click on a table opens it: write your predictions into it, then Shift+Enter. The answers are folded away below.
- Other commands are for a terminal (File, New, Terminal) in the workbook's folder."""

INTRODUCTION_PYTHON = """\
This is [the lesson's page]({folder}/README.md) as a notebook.

- A cell that begins with `%%bash` runs [{program}]({folder}/{program}), or a step of it, in a process of its own: there a mistake of C may end Python.
  To change the program, open it beside this notebook, save, and run the cell again.
- The cell that begins with `%%nvcc --grade` is the exercise, in Python: Shift+Enter grades it.
- A double click on a table opens it: write your predictions into it, then Shift+Enter. The answers are folded away below.
- Other commands are for a terminal (File, New, Terminal) in the workbook's folder."""

SETUP = """\
# Loads %%nvcc, and says who runs your kernels: a GPU, or the emulator where there is none.
import os

REPOSITORY = "{repository}"  # for a notebook on its own, as on Colab: the workbook's address
workbook = os.environ.get("WORKBOOK", "..")
if not os.path.isdir(f"{{workbook}}/lessons"):
    workbook = "workbook"
    if not os.path.isdir(workbook):
        assert REPOSITORY, "This notebook is on its own: put the workbook's address above."
        !git clone -q --depth 1 {{REPOSITORY}} {{workbook}}
        assert os.path.isdir(workbook), "The workbook could not be fetched: git says why above."
%run "{{workbook}}/tools/notebooks/start.py" {number}"""


# A program in Python runs in a separate process, as in a terminal.
SHELL = """\
%%bash
make -C "$NVCC_MAGIC_PROJECT" --no-print-directory {make} 2>&1"""

BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
COLAB = "https://colab.research.google.com/github/{path}/blob/{branch}/notebooks/{name}.ipynb"


def repository():
    """The workbook's address and branch, from repository.txt in this folder, which the teacher fills in; empty if it is not filled in."""
    words = (ROOT / "tools" / "notebooks" / "repository.txt").read_text().split("#")[0].split()
    return (words + ["main"])[:2] if words else ("", "")


def badge(name):
    """A link that opens the notebook in Colab, which supports only GitHub addresses."""
    address, branch = repository()
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    return f"{BADGE}({COLAB.format(path=found.group(1), branch=branch, name=name)})" if found else ""


def minified(svg):
    """A figure without the parts that are needed only in a separate file. The page contains its description, as the picture's alternative text."""
    svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<(title|desc)\b.*?</\1>| aria-labelledby=\"[^\"]*\"", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style>.*?</style>", lambda style: re.sub(r"\s+", " ", style.group()), svg, flags=re.DOTALL)
    return re.sub(r">\s*\n\s*<", "><", svg).strip()


class Lesson:
    """The sources of one lesson, by its number."""

    def __init__(self, number):
        self.number = number
        self.folder = next(iter(sorted((ROOT / "lessons").glob(f"lesson{number}_*"))))
        self.in_python = (self.folder / f"lesson{number}.py").exists()
        suffix = exercise_suffix(self.folder)
        self.program = Program(self.folder / f"lesson{number}.cu")
        self.page = without_formulas((self.folder / "README.md").read_text())
        self.hints = (self.folder / "hints.md").read_text() if (self.folder / "hints.md").exists() else ""
        self.master = ROOT / "solutions" / self.folder.name / f"solution.{suffix}"

    def parts(self):
        return read_page(self.page, self.program, self.number)

    def exercise(self):
        """The original exercise, regardless of changes to exercise.cu in this checkout."""
        if not self.master.exists():  # a student's copy of the workbook contains the original
            return (ROOT / "tools" / "given" / f"{self.folder.name}{self.master.suffix}").read_text()
        return exercise_of(self.master)

    def solution(self):
        """The master without the generator's markers, as `make exercise03 solution` shows it."""
        lines, mark = [], "#" if self.master.suffix == ".py" else "//"
        for line in self.master.read_text().split("\n"):
            if re.match(rf" *{mark}(\||< *$)", line):
                continue
            lines.append(re.sub(rf"^( *){mark}> ", rf"\1{mark} ", line))
        return "\n".join(lines)


def lesson_numbers():
    """The lessons that have a page and a program, and those with only a page and an exercise, such as 03b."""
    folders = sorted(folder for folder in (ROOT / "lessons").glob("lesson*_*") if re.match(r"lesson\d\d[a-z]?_", folder.name))
    numbers = [(number_of(folder), folder) for folder in folders]
    return [n for n, folder in numbers if (folder / "README.md").exists() and has_cells(n, folder)]


def has_cells(number, folder):
    if any((folder / f"lesson{number}.{suffix}").exists() for suffix in ("cu", "py")):
        return True
    return (number[-1].isalpha() and (folder / "exercise.cu").exists())


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "cell"


class Notebook:
    """Cells with individual names, so that a change to one does not change the ids of the others."""

    def __init__(self, lesson, solved):
        self.lesson, self.solved = lesson, solved
        self.cells, self.used, self.section = [], {}, "start"

    def add(self, kind, name, text, metadata=None):
        self.used[name] = self.used.get(name, 0) + 1
        cell_id = name if self.used[name] == 1 else f"{name}-{self.used[name]}"
        lines = text.strip("\n").split("\n")
        source = [line + "\n" for line in lines[:-1]] + lines[-1:]
        cell = {"cell_type": kind, "id": cell_id, "metadata": metadata or {}, "source": source}
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        self.cells.append(cell)

    def add_text(self, text):
        """Figures and tables to be filled in are separate cells: an opened cell shows a table, not the bytes of a picture."""
        heading = re.match(r"## +(.*)", text)
        if heading:
            self.add_hints_after_exercise()
            self.section = slug(heading.group(1))
            self.run_at = None
        plain = []
        for block in blocks_of(text):
            add = self.cell_of_its_own(block)
            if not add:
                plain.append(block)
                continue
            self.add_plain(plain)
            plain = []
            add(block)
        self.add_plain(plain)

    def cell_of_its_own(self, block):
        own = ((is_figure, self.add_figure), (is_prediction, self.add_prediction), (is_folded_prediction, self.add_folded_prediction))
        return next((add for fits, add in own if fits(block)), None)

    def add_plain(self, blocks):
        if blocks:
            self.add("markdown", self.section, self.with_links("\n\n".join(blocks)))

    def picture(self, match):
        """The picture itself, not its address, so that the notebook is self-contained. Colab does not support attachments of cells."""
        svg = minified((self.lesson.folder / "figures" / match.group(2)).read_text())
        return f"{match.group(1)}(data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"

    def add_figure(self, block):
        name = FIGURE.fullmatch(block).group(2)
        self.add("markdown", f"figure-{slug(name.rsplit('.', 1)[0])}", FIGURE.sub(self.picture, block))

    def add_prediction(self, table):
        """First the questions, then the cell that produces the results, then the answers, folded."""
        question, answers = split_prediction(self.with_links(table))
        self.add("markdown", "predict", question)
        if self.first_run:
            code, self.first_run = self.first_run, None
            self.add_code(code)
        self.add("markdown", "answers", f"<details><summary>The answers</summary>\n\n{answers}\n\n</details>")

    def add_folded_prediction(self, block):
        """The same if the page folds its answers: the questions precede the run that the page places before the answers."""

        def answers_alone(match):
            if not is_prediction(match.group()):
                return match.group()
            question, answers = split_prediction(match.group())
            self.add("markdown", "predict", self.with_links(question))
            if self.run_at is not None:
                self.cells.insert(self.run_at, self.cells.pop())
                self.run_at += 1
            return answers

        block = TABLE.sub(answers_alone, FIGURE.sub(self.picture, block))
        self.add("markdown", "answers", self.with_links(block))
        self.run_at = None

    def with_links(self, text):
        """Links of the page are relative to the lesson's folder; the notebook is in notebooks/."""
        pieces = re.split(r"(^```.*?^```$|`[^`\n]*`)", text, flags=re.DOTALL | re.MULTILINE)
        return "".join(re.sub(r"\]\(([^)\s]+)\)", self.link, p) if n % 2 == 0 else p for n, p in enumerate(pieces))

    def link(self, match):
        target = match.group(1)
        if re.match(r"[a-z]+:|#", target):
            return match.group()
        other = re.fullmatch(r"\.\./(lesson(\d\d[a-z]?)_\w+)/README\.md", target)
        if other and other.group(2) in lesson_numbers():
            return f"]({other.group(1)}.ipynb)"
        return f"]({posixpath.normpath(f'../lessons/{self.lesson.folder.name}/{target}')})"

    def add_introduction(self, first):
        """The title, an explanation of notebooks, the setup; the rest of the page follows."""
        title, minutes, rest = first.split("\n\n", 2)
        program = f"lesson{self.lesson.number}.{'py' if self.lesson.in_python else 'cu'}"
        folder = f"../lessons/{self.lesson.folder.name}"
        introduction = INTRODUCTION if self.lesson.program.lines else INTRODUCTION_WITHOUT_PROGRAM
        if self.lesson.in_python:
            introduction = INTRODUCTION_PYTHON
        words = introduction.format(folder=folder, program=program)
        self.add("markdown", "title", "\n\n".join(filter(None, [title, badge(self.lesson.folder.name), self.with_links(minutes), words])))
        self.add("code", "setup", SETUP.format(number=self.lesson.number, repository=repository()[0]))
        self.add_text(rest)

    def add_code(self, code):
        if code == Code():
            self.run_at = len(self.cells)
        if self.lesson.in_python:
            self.add("code", f"run-{slug(code.arguments or 'all')}", SHELL.format(make=make_words(code, self.lesson.number)))
            return
        first = " ".join(filter(None, ["%%nvcc --run", code.options, code.arguments and f"-- {code.arguments}"]))
        name = code.shown[0] if code.shown else "program"
        source = f"{first}\n{self.architectures()}{self.source_of(code)}"
        self.add("code", f"{name}-{slug(code.options)}" if code.options else name, source)

    def architectures(self):
        """The program's line `// arch:`, if it cannot be compiled for the minimum: cells include only other lines of the program."""
        asked = [line for line in self.lesson.program.lines if line.startswith("// arch: ") and "sm_75" not in line]
        return "".join(f"{line}\n" for line in asked[:1])

    def source_of(self, code):
        """The shown items, with the rest of the program included before, between and after them."""
        number, program = self.lesson.number, self.lesson.program
        if not code.shown:
            return f'#include "lesson{number}.cu"'
        lines = []
        for piece in program.pieces(code.shown):
            if isinstance(piece, Item):
                lines += [piece.text, ""]
            else:
                name, start, end = piece
                lines += [f'#include "lesson{number}/{name}" // {program.gap_holds(start, end)}', ""]
        return "\n".join(lines)

    def add_exercise(self):
        text = self.lesson.solution() if self.solved else self.lesson.exercise()
        self.add("code", f"exercise{self.lesson.number}", f"%%nvcc --grade {self.lesson.number}\n{text}")
        self.hints_due = True

    hints_due = False
    run_at = None  # the position in this section of the cell that runs the whole program

    def add_hints_after_exercise(self):
        if not self.hints_due:
            return
        self.hints_due = False
        tiers = re.split(r"^## +", self.lesson.hints, flags=re.MULTILINE)[1:]
        folded = []
        for tier in tiers:
            heading, _, body = tier.partition("\n")
            folded.append(f"<details><summary>Hint {heading.strip()}</summary>\n\n{body.strip()}\n</details>")
        if folded:
            self.add("markdown", "hints", "\n\n".join(folded))

    first_run = None

    def keep_first_run(self, parts):
        """The page begins with a run of all versions, for a terminal. In the notebook the run follows the reader's prediction."""
        asked = any(is_prediction(block) for part in parts if isinstance(part, Text) for block in blocks_of(part.text))
        if asked and len(parts) > 1 and parts[1] == Code():
            self.first_run = parts.pop(1)

    def build(self):
        parts = self.lesson.parts()
        self.keep_first_run(parts)
        self.add_introduction(parts[0].text)
        for part in parts[1:]:
            if isinstance(part, Text):
                self.add_text(part.text)
            elif isinstance(part, Code):
                self.add_code(part)
            elif isinstance(part, Exercise):
                self.add_exercise()
        self.add_hints_after_exercise()
        return self

    def json(self):
        """The text in the format of Jupyter, so that saving an unmodified notebook does not change the file."""
        kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        content = {"cells": self.cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def notebook_text(number, solved):
    try:
        return Notebook(Lesson(number), solved).build().json()
    except (KeyError, PageError) as error:
        raise PageError(f"lesson {number}: {error.args[0]}") from None
