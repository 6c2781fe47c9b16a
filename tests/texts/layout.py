"""What a page shows, and how much at once: the code of each version, the size of its tables, and the numbers that stand out."""
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from texts import CODE, pages, read

WITHOUT_CODE = Path("tests/texts/without_code.txt")
VERSION = re.compile(r"^\*\*([a-z_]\w*\d)\*\*", re.MULTILINE)  # a paragraph that begins with a kernel of the program
ENDS = re.compile(r"^## ", re.MULTILINE)
SHOWN = re.compile(r"^<!-- (?:code|diff): (.*?) -->", re.DOTALL | re.MULTILINE)
ROWS, COLUMNS, MARKS = 8, 6, 2  # of a table that is not folded; numbers in bold


class Table(NamedTuple):
    """A table: the line in which it begins, its rows as cells, the head first, and whether it is folded."""

    line: int
    rows: list[list[str]]
    folded: bool


def versions_without_code() -> list[str]:
    """Versions whose code a page does not show: between their paragraph and the next version's, or in a later section with a block of that kernel."""
    allowed = dict(line.split("\t", 1) for line in WITHOUT_CODE.read_text().split("\n") if line and not line.startswith("#"))
    found, needed = [], set()
    for page in pages():
        text = read(page)
        shown = {name for marker in SHOWN.findall(text) for name in re.findall(r"\w+", re.sub(r'="[^"]*"', "", marker))}
        starts = [match for match in VERSION.finditer(text) if not inside(text, match.start())]
        for start, following in zip(starts, [*starts[1:], None]):
            until = following.start() if following else len(text)
            section = ENDS.search(text, start.end(), until)
            if start[1] not in shown and "```" not in text[start.end() : section.start() if section else until]:
                needed.add(start[1])
                found += [f"{page}: {start[1]}"] * (start[1] not in allowed)
    return found + [f"{WITHOUT_CODE}: {name} has its code" for name in sorted(allowed.keys() - needed)]


def inside(text: str, place: int) -> bool:
    """Whether the place is in a block of code."""
    return any(block.start() < place < block.end() for block in CODE.finditer(text))


def tables(text: str) -> Iterator[Table]:
    """The tables of a page."""
    code, folds, lines = False, 0, [*text.split("\n"), ""]
    rows: list[str] = []
    for position, line in enumerate(lines, 1):
        code ^= line.startswith("```")
        if line.startswith("|") and not code:
            rows.append(line)
            continue
        if rows:
            yield Table(position - len(rows), [cells(row) for row in rows if not re.fullmatch(r"[|: -]+", row)], folds > 0)
            rows = []
        folds += (line.startswith("<details") - ("</details>" in line)) * (not code)


def cells(row: str) -> list[str]:
    """The cells of a row as GitHub shows them."""
    shown = re.sub(r"<!--.*?-->", "", row).strip()
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", shown)[1:-1]]


def large_tables() -> list[str]:
    """Tables of more than eight rows or six columns that are not folded."""
    found = []
    for page in pages():
        for table in tables(read(page)):
            rows, columns = len(table.rows) - 1, len(table.rows[0])
            if not table.folded and (rows > ROWS or columns > COLUMNS):
                found.append(f"{page}:{table.line}: {rows} rows and {columns} columns, not folded")
    return found


def many_marks() -> list[str]:
    """Tables with more than two numbers in bold: then none of them stands out."""
    found = []
    for page in pages():
        for table in tables(read(page)):
            marked = [cell for row in table.rows[1:] for cell in row[1:] if re.fullmatch(r"\*\*[^*]*\*\*", cell)]
            if len(marked) > MARKS:
                found.append(f"{page}:{table.line}: {len(marked)} numbers are bold: {', '.join(marked)}")
    return found
