"""A page's numbers, each made by the formula in the comment before it. GitHub hides comments; notebooks do not contain them.

    A thread lives <!--= life(1):.2f -->0.53 µs on an <!--= card -->NVIDIA H200<!--/-->.
        The number after the comment is the formula's result; text ends at <!--/-->.
    <!--=03 copy("relu_kernel1"):.0f -->63 %
        The same, over the record of lesson 03 and with the definitions of its page.
    <!--=@h100 copy("relu_kernel1"):.0f -->81 %
        Only over measured/h100.csv, if the page has records of several cards.
    <!--=bindings machine -->g++ 12.2.0<!--/-->
        The same, over the record of bench/bindings and with the definitions of this page.
    <!--:
    main = "lesson03 SEED=1"
    copy(v) = value(main, v, "% of copy")
    -->
        Definitions, for the whole page. A line that begins with a blank continues the definition before it.
    <!--= table v in rows(main)
    version | {v}
    * ms ({card}, {date}) | {value(main, v, "ms"):.4f}
    -->
        A line for each column of the table below: its head, and the content of its cells. A column with a star is repeated for each card.
    ! scan_kernel2 | % of copy
        Another line there: in the row that begins with scan_kernel2 the number of that column is bold, since the next paragraph is about it.
        (Of a head such as "ms (NVIDIA H200, 2026-11-21)" the words before the bracket suffice.)
    <!--= code v in rows(main)
    {v:<16} {value(main, v, "ms"):12.4f}
    -->
        The lines of the block of code below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workbook.formulas import Definition, Evaluator, FormulaError, bind, filled, names_of, parse_definition, parse_expression, shown
from workbook.lessons import lesson_folder
from workbook.messages import Failure
from workbook.records import Record, RecordError, records_of

UNMEASURED = "not measured yet"  # a page's placeholder for a formula over a record that does not exist yet
BINDINGS = Path("bench/bindings")  # for several lessons: it has a record, but no page
COMMENT = re.compile(r"<!--([:=])(\w*(?:@\w+)?)(\s.*?)-->", re.DOTALL)
NUMBER = re.compile(r"\d{4}-\d\d-\d\d|[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
WORDS = re.compile(r"([^<]*)<!--/-->")
BLOCK = re.compile(r"\s*(table|code)\b([^\n]*)\n(.*)", re.DOTALL)
LOOP = re.compile(r"\s*(.+?)\s+in\s+(.+)")
TABLE = re.compile(r"\n(?:\|[^\n]*(?:\n|$))+")
CODE = re.compile(r"\n```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
STARTS_BLOCK = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*")


class NotRecorded(FormulaError):
    """A formula over a record that does not exist yet."""


class Difference(NamedTuple):
    """A place where a page differs from a formula's result, or where a formula has none."""

    line: int
    formula: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.formula}: expected {self.expected}, found {self.found}" if self.expected else f"{self.formula}: {self.found}"


class Column(NamedTuple):
    """A column of a table: templates of its head and of its cells."""

    head: str
    cell: str
    each_card: bool


class Mark(NamedTuple):
    """A cell that is bold: the first cell, or cells, of its row, and the head of its column."""

    row: list[str]
    column: str


class Source(NamedTuple):
    """The source of the numbers: an evaluator and the record for each card, the page's own card first."""

    evaluators: list[Evaluator]
    records: list[Record]


def line_of(text: str, place: int) -> int:
    """The number of the line that contains the place."""
    return text.count("\n", 0, place) + 1


def definitions_in(text: str) -> dict[str, Definition]:
    """The definitions of a page. FormulaError: one is not a definition, or a name is defined twice."""
    found: dict[str, Definition] = {}
    for comment in COMMENT.finditer(text):
        if comment[1] == ":":
            for line in re.sub(r"\n[ \t]+", " ", comment[3]).strip().split("\n"):
                definition = parse_definition(line)
                if definition.name in found:
                    raise FormulaError(f"there are two definitions of {definition.name}")
                found[definition.name] = definition
    return found


def without_formulas(text: str) -> str:
    """The page as rendered by GitHub."""
    text = re.sub(r"^<!--:\s.*?-->\n\n?", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^<!--=[\w@]*\s+(?:table|code)\b.*?-->\n", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"<!--=[\w@]*\s.*?-->|<!--/-->", "", text, flags=re.DOTALL)


def has_formulas(text: str) -> bool:
    """Whether a page has generated numbers."""
    return bool(COMMENT.search(text))


class Page:
    """A page with its formulas. `fill` regenerates all numbers."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text("utf-8")
        self.differences: list[Difference] = []
        self.definitions = definitions_in(self.text)
        self._sources: dict[str, Source] = {}

    def source(self, name: str) -> Source:
        """The records of a lesson ("03"), with "" of the page's own lesson, or of only one card ("03@h100", "@h100"). FormulaError: it has none."""
        if name not in self._sources:
            lesson, at, card = name.partition("@")
            try:
                folder = BINDINGS if lesson == "bindings" else lesson_folder(lesson) if lesson else self.path.parent
            except Failure as failure:
                raise FormulaError(str(failure)) from None
            records, definitions = records_of(folder), self.definitions
            if lesson and folder != BINDINGS:
                definitions = {**definitions, **definitions_in((folder / "README.md").read_text("utf-8"))}
            if at and records:
                records = [record for record in records if record.path.stem == card]
                if not records:
                    raise FormulaError(f"there is no {folder}/measured/{card}.csv")
            if not records:
                raise NotRecorded(f"{folder}/measured has no record yet")
            self._sources[name] = Source([Evaluator(names_of(record), definitions) for record in records], records)
        return self._sources[name]

    def fill(self) -> str:
        """The page with all numbers taken from its formulas. Afterwards `differences` contains the changes."""
        fences = [fence.span() for fence in FENCE.finditer(self.text)]
        text, place = "", 0
        for comment in COMMENT.finditer(self.text):
            if comment[1] == ":" or comment.start() < place:
                continue
            text += self.text[place : comment.end()]
            place = comment.end()
            try:
                self._check_place(comment, fences)
                made, place = self._made(comment)
                text += made
            except (FormulaError, RecordError) as error:
                if not (isinstance(error, NotRecorded) and self.text.startswith(UNMEASURED, comment.end())):
                    self._differ(comment, "", str(error))
        return text + self.text[place:]

    def _made(self, comment: re.Match[str]) -> tuple[str, int]:
        """The correct content after a comment, and the end of its current content in the page."""
        source, block = self.source(comment[2]), BLOCK.match(comment[3])
        if block:
            made, found = self._block(comment, source, block)
        else:
            made, found = self._inline(comment, source)
        return made, comment.end() + len(found)

    def _inline(self, comment: re.Match[str], source: Source) -> tuple[str, str]:
        made = shown(source.evaluators[0], comment[3])
        words = WORDS.match(self.text, comment.end())
        number = NUMBER.match(self.text, comment.end())
        if words:
            self._compare(comment, made, words[1])
            return f"{made}<!--/-->", words[0]
        if not NUMBER.fullmatch(made):
            raise FormulaError(f"it gives words, {made}: they end at <!--/-->, which is missing")
        self._compare(comment, made, number[0] if number else "no number")
        return made, number[0] if number else ""

    def _block(self, comment: re.Match[str], source: Source, block: re.Match[str]) -> tuple[str, str]:
        kind, loop, templates = block[1], block[2], block[3].rstrip("\n").split("\n")
        now = (TABLE if kind == "table" else CODE).match(self.text, comment.end())
        if not now:
            raise FormulaError(f"no {'table' if kind == 'table' else 'block of code'} begins in the line below")
        if kind == "table":
            old = now[0].strip("\n").split("\n")
            marks = [parse_mark(line) for line in templates if line.startswith("!")]
            columns = [parse_column(line) for line in templates if not line.startswith("!")]
            made = table(source, loop, columns, marks, old[1] if len(old) > 1 else "")
            text, found = "\n" + "\n".join(made) + "\n", now[0]
        else:
            evaluate = source.evaluators[0]
            made = [filled(evaluate, line, names) for names in loops(evaluate, loop) for line in templates]
            text, old = "\n".join(made) + "\n", now[1].rstrip("\n").split("\n")
            text, found = now[0].replace(now[1], text, 1), now[0]
        for line in range(max(len(old), len(made))):
            expected, there = (lines[line] if line < len(lines) else "no such line" for lines in (made, old))
            self._compare(comment, expected, there)
        return text, found

    def _check_place(self, comment: re.Match[str], fences: list[tuple[int, int]]) -> None:
        """FormulaError: a reader would see the comment, or the unrendered text after it."""
        before = self.text[self.text.rfind("\n", 0, comment.start()) + 1 : comment.start()]
        if any(start <= comment.start() < end for start, end in fences):
            raise FormulaError("in a block of code a reader sees the comment: use <!--= code above it")
        if BLOCK.match(comment[3]):
            if before:
                raise FormulaError("the comment of a table begins a line")
        elif STARTS_BLOCK.fullmatch(before):
            raise FormulaError("a line cannot begin with a formula: Markdown ends the paragraph there. Break the line elsewhere")
        elif "--" in comment[3] or before.startswith("|") and "|" in comment[0]:
            raise FormulaError("GitHub would show it: there can be no -- in it, and in a table no |")

    def _compare(self, comment: re.Match[str], expected: str, found: str) -> None:
        if expected != found:
            self._differ(comment, expected, found)

    def _differ(self, comment: re.Match[str], expected: str, found: str) -> None:
        block = BLOCK.match(comment[3])
        formula = " ".join((f"{block[1]}{block[2]}" if block else comment[3]).split())
        self.differences.append(Difference(line_of(self.text, comment.start()), formula, expected, found))


def loops(evaluate: Evaluator, loop: str) -> Iterator[dict[str, object]]:
    """The names for each round of `v in rows(main)`; one round without names for nothing."""
    if not loop.strip():
        yield {}
        return
    parts = LOOP.fullmatch(loop)
    if not parts:
        raise FormulaError(f"`{loop.strip()}` is no loop: v in rows(...)")
    for item in evaluate(parts[2]):
        yield bind(parse_expression(parts[1]), item)


def parse_column(line: str) -> Column:
    """`* head | {cell}`. FormulaError: the line has no cell."""
    head, bar, cell = line.partition("|")
    if not bar:
        raise FormulaError(f"`{line}` is no column: head | {{cell}}")
    star = head.startswith("*")
    return Column(head[star:].strip(), cell.strip(), star)


def parse_mark(line: str) -> Mark:
    """`! row | column`; where several rows begin alike, with their next cells: `! planes | a pixel | ms`. FormulaError: row or column is missing."""
    *row, column = (word.strip() for word in line[1:].split("|"))
    if not row or not row[0] or not column:
        raise FormulaError(f"`{line}` marks no cell: ! row | column")
    return Mark(row, column)


def table(source: Source, loop: str, columns: list[Column], marks: list[Mark], ruler: str) -> list[str]:
    """The lines of a table; `ruler` is the second one, kept if it fits."""
    plan = planned(columns, len(source.records))
    heads = [head_of(source, column, card) for column, card in plan]
    rows = [[cell_of(source, column, card, names) for column, card in plan] for names in loops(source.evaluators[0], loop)]
    for mark in marks:
        embolden(heads, rows, mark)
    if ruler.count("|") != len(plan) + 1:
        ruler = "|" + "---|" * len(plan)
    return [cells_line(heads), ruler, *map(cells_line, rows)]


def embolden(heads: list[str], rows: list[list[str]], mark: Mark) -> None:
    """Makes the marked cell bold. FormulaError: no row or no column is called so."""
    row = next((cells for cells in rows if cells[: len(mark.row)] == mark.row), None)
    column = next((at for at, head in enumerate(heads) if head == mark.column or head.startswith(f"{mark.column} (")), None)
    if row is None or column is None:
        raise FormulaError(f"no cell to mark: row `{' | '.join(mark.row)}`, column `{mark.column}`")
    row[column] = f"**{row[column]}**"


def planned(columns: list[Column], cards: int) -> list[tuple[Column, int]]:
    """The columns from left to right, with the card of each: adjacent columns with a star are repeated as a group, once for each card."""
    plan: list[tuple[Column, int]] = []
    starred: list[Column] = []
    for column in [*columns, None]:
        if column and column.each_card:
            starred.append(column)
            continue
        plan += [(other, card) for card in range(cards) for other in starred]
        starred = []
        if column:
            plan.append((column, 0))
    return plan


def head_of(source: Source, column: Column, card: int) -> str:
    """A column's head; for a card other than the page's own it names the card."""
    head = filled(source.evaluators[card], column.head)
    same = card > 0 and head == filled(source.evaluators[0], column.head)
    return f"{head}, {source.records[card].path.stem.upper()}" if same else head


def cell_of(source: Source, column: Column, card: int, names: dict[str, object]) -> str:
    """A cell. A value not measured on a card other than the page's own is a dash."""
    try:
        return filled(source.evaluators[card], column.cell, names)
    except RecordError:
        if card == 0:
            raise
        return "-"


def cells_line(cells: list[str]) -> str:
    """A line of a table in Markdown; an empty cell is one blank."""
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


