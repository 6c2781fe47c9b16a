"""A record, the measurements on one card, as data: measured/<card>.csv with the rows section,row,column,value,unit,card,date."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Union

COLUMNS = ["section", "row", "column", "value", "unit", "card", "date"]
Value = Union[float, str]


class Row(NamedTuple):
    """One measurement. `value` is the text as written; `date` is ISO 8601, UTC."""

    section: str
    row: str
    column: str
    value: str
    unit: str
    card: str
    date: str


class RecordError(Exception):
    """The requested item is not in the record; the message lists those that are."""


def number_or_text(text: str) -> Value:
    """A number if the text is one."""
    try:
        return float(text)
    except ValueError:
        return text


def known(what: str, name: str, names: Iterable[str]) -> str:
    """The end of a message: there is no such name, but these."""
    listed = ", ".join(repr(other) for other in names)
    return f"no {what} {name!r}; there are: {listed}" if listed else f"no {what} {name!r}"


class Record:
    """The measurements on one card. Sections, rows and columns keep the order of the file."""

    def __init__(self, path: Path, lines: list[Row]) -> None:
        self.path, self.lines = path, lines
        self._cells: dict[str, dict[str, dict[str, list[Row]]]] = {}
        for line in lines:
            self._cells.setdefault(line.section, {}).setdefault(line.row, {}).setdefault(line.column, []).append(line)

    @property
    def card(self) -> str:
        """The card's name as reported by CUDA: NVIDIA H200."""
        return self.lines[0].card if self.lines else ""

    @property
    def date(self) -> str:
        """The day of the first row."""
        return self.lines[0].date if self.lines else ""

    @property
    def note(self) -> str:
        """The card and the day, in the form used by charts."""
        return f"{self.card}, {self.date}"

    def column(self, section: str, column: str) -> dict[str, Value]:
        """The values of a column by row, of the rows that have it. RecordError: there is no such section."""
        return {row: self.value(section, row, column) for row, columns in self._section(section).items() if column in columns}

    def numbers(self, section: str, column: str) -> dict[str, float]:
        """The numbers of a column by row; a row whose cell is text is left out. RecordError: there is no such section."""
        return {row: value for row, value in self.column(section, column).items() if isinstance(value, float)}

    def sections(self) -> list[str]:
        """The names of all sections."""
        return list(self._cells)

    def rows(self, section: str) -> list[str]:
        """The names of a section's rows. RecordError: there is no such section."""
        return list(self._section(section))

    def columns(self, section: str, row: str) -> list[str]:
        """The names of a row's columns. RecordError: there is no such row."""
        return list(self._row(section, row))

    def values(self, section: str, row: str, column: str) -> list[Value]:
        """All values of a cell, in the order of the file: several if it was measured several times. RecordError: there is none."""
        return [number_or_text(line.value) for line in self._lines(section, row, column)]

    def value(self, section: str, row: str, column: str) -> Value:
        """The value of a cell, a number if it is one. RecordError: there is none, or several."""
        found = self.values(section, row, column)
        if len(found) > 1:
            raise RecordError(f"{self.path} has {len(found)} values of {column!r} in row {row!r} of section {section!r}: use values()")
        return found[0]

    def unit(self, section: str, row: str, column: str) -> str:
        """The unit of a cell, "" for a plain number. RecordError: there is no such cell."""
        return self._lines(section, row, column)[0].unit

    def date_of(self, section: str) -> str:
        """The day on which a section was measured. RecordError: there is no such section."""
        return next(line.date for columns in self._section(section).values() for lines in columns.values() for line in lines)

    def _section(self, section: str) -> dict[str, dict[str, list[Row]]]:
        if section not in self._cells:
            raise RecordError(f"{self.path} has {known('section', section, self._cells)}")
        return self._cells[section]

    def _row(self, section: str, row: str) -> dict[str, list[Row]]:
        rows = self._section(section)
        if row not in rows:
            raise RecordError(f"{self.path}, section {section!r}, has {known('row', row, rows)}")
        return rows[row]

    def _lines(self, section: str, row: str, column: str) -> list[Row]:
        columns = self._row(section, row)
        if column not in columns:
            raise RecordError(f"{self.path}, section {section!r}, row {row!r}, has {known('column', column, columns)}")
        return columns[column]


def load(path: str | Path) -> Record:
    """Reads measured/<card>.csv. RecordError: it is not a record."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        if next(lines, []) != COLUMNS:
            raise RecordError(f"{path} is no record: its first line is not {','.join(COLUMNS)}")
        rows = list(lines)
    for number, cells in enumerate(rows, 2):
        if len(cells) != len(COLUMNS):
            raise RecordError(f"{path}:{number}: {len(cells)} cells, not {len(COLUMNS)}")
    return Record(Path(path), [Row(*cells) for cells in rows])


def write(path: Path, lines: Iterable[Row]) -> None:
    """Writes a record."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(lines)


def merged(old: list[Row], new: list[Row]) -> list[Row]:
    """The old rows, with each remeasured section replaced in place; new sections are last."""
    measured = {line.section for line in new}
    by_section: dict[str, list[Row]] = {}
    for line in new:
        by_section.setdefault(line.section, []).append(line)
    result: list[Row] = []
    for line in old:
        if line.section in measured:
            result += by_section.pop(line.section, [])
        else:
            result.append(line)
    return result + [line for lines in by_section.values() for line in lines]


# Prefixes and suffixes of a card's name that are dropped from the file name.
_VENDOR = re.compile(r"NVIDIA|Tesla|Quadro|GeForce|Graphics Device", re.IGNORECASE)


def file_name(card: str) -> str:
    """The record's file of a card: NVIDIA H200 -> h200.csv, NVIDIA H100 80GB HBM3 -> h100.csv, NVIDIA GeForce RTX 4090 -> rtx4090.csv."""
    words = re.sub(r"[^A-Za-z0-9]+", " ", _VENDOR.sub(" ", card)).split()
    named: list[str] = []
    for word in words:
        named.append(word)
        if any(letter.isdigit() for letter in word):
            break
    return f"{''.join(named).lower() or 'card'}.csv"


def records_of(folder: Path) -> list[Record]:
    """The records in a lesson's measured/ folder: the one of its page first. That is the H200's if there is one. Rows that any machine yields, a file
    whose rows name no card, are part of each."""
    paths = sorted((folder / "measured").glob("*.csv"), key=lambda path: (path.name != "h200.csv", path.name))
    found = [load(path) for path in paths]
    shared = [line for record in found if not record.card for line in record.lines]
    return [Record(record.path, record.lines + shared) for record in found if record.card]


def beside(script: str) -> Record:
    """The first record of the lesson whose figures/draw.py is `script`. RecordError: it has none."""
    found = records_of(Path(script).resolve().parents[1])
    if not found:
        raise RecordError(f"{script}: the lesson has no record yet")
    return found[0]
