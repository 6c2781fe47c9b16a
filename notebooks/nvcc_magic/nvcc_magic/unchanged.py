"""A cell that says just what a program of the workbook says. A lesson's notebook shows the program piece by piece: a cell has one piece and
includes the rest. As long as nobody has changed a piece, all these cells are one program, and nvcc need not be asked for each.
"""

from __future__ import annotations

import re
from pathlib import Path

from .kept import PLAIN
from .options import Options
from .source import without_comments

INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*"([^"]+)"')
PIECE = re.compile(r'#line \d+ "([^"]+)"\n')  # how a piece of a program begins
LISTS_CODE = ("ptx", "sass")
SHOWS_LINES = ("profile", "view")  # --sanitize shows none where it finds nothing; otherwise the cell itself runs after all


def can_stand_in(options: Options, cell: Path) -> bool:
    """Whether the cell is only to run: whatever shows lines is to show the cell's, unless it only includes the program."""
    asked = [name for name in (*LISTS_CODE, *SHOWS_LINES) if getattr(options, name) is not None]
    if any(name in LISTS_CODE or _has_own_code(cell) for name in asked):
        return False
    return not (options.parts or options.output or options.exercise) and all(PLAIN.fullmatch(word) for word in options.nvcc)


def _has_own_code(cell: Path) -> bool:
    return not all(INCLUDE.match(line) for line in _code_of(cell.read_text(encoding="utf-8")))


def program_of(cell: Path, folders: list[Path]) -> Path | None:
    """The program whose code, comments aside, is the cell's with what it includes of that program; None if there is none."""
    programs, code = set(), []
    for line in cell.read_text(encoding="utf-8").split("\n"):
        program, text = _piece(line, folders)
        if program:
            programs.add(program)
        code.append(text)
    if len(programs) != 1:
        return None
    program = programs.pop()
    if not program.is_file():
        return None
    return program if _same("\n".join(code), program.read_text(encoding="utf-8")) else None


def _piece(line: str, folders: list[Path]) -> tuple[Path | None, str]:
    """What a line of the cell stands for: itself, or where it includes a piece of a program, or all of it, that one and the piece."""
    named = INCLUDE.match(line)
    header = next((folder / named[1] for folder in folders if (folder / named[1]).is_file()), None) if named else None
    if not header:
        return None, line
    text = header.read_text(encoding="utf-8")
    if header.suffix == ".cu":
        return header.resolve(), text
    piece = PIECE.match(text)
    return (Path(piece[1]).resolve(), text[piece.end() :]) if piece else (None, line)


def _same(one: str, other: str) -> bool:
    return _code_of(one) == _code_of(other)


def _code_of(text: str) -> list[str]:
    return [line.strip() for line in without_comments(text).split("\n") if line.strip()]
