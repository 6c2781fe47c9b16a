"""The folder in which a notebook's cells become files, and how a file's lines relate to the cell's.

A cell is written so that line 5 of the file is line 5 of the cell as the notebook numbers it, `%%nvcc` being a line
too. So nvcc, the emulator, a profile and a debugger all speak of the lines that the student sees.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .errors import OptionError
from .kept import Kept
from .options import SOURCES

PREFIX = "nvcc_magic-"
CELL = "cell.cu"
MAGIC_LINE = "// %%nvcc"  # stands in the file where the cell has its first line
MAGIC = re.compile(r"\s*%%(nvcc|cuda)\b")


class Session:
    """One per notebook kernel; the folder goes when it ends."""

    def __init__(self) -> None:
        _remove_stale()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.raw_cell = ""
        self.cell_name = CELL  # the current cell's file
        self.known_folders: list[Path] = []
        self.tools: dict[str, Path] = {}  # what was compiled once for all cells
        self.kept = Kept(self.folder)

    def remember(self, info: Any) -> None:
        """IPython calls this before each cell; a magic alone does not get to see how many lines stand above it."""
        self.raw_cell = info.raw_cell or ""

    def lines_above(self) -> int:
        """How many lines of the cell come before the body that the magic is given: `%%nvcc`, and others above it."""
        for at, line in enumerate(self.raw_cell.split("\n")):
            if MAGIC.match(line):
                return at + 1
            if line.strip() and not line.lstrip().startswith("%%"):  # %%time and %%capture may stand above
                break
        return 0  # called by a program, not typed into a cell

    def named(self, file: Path, suffix: str) -> Path:
        """A saved cell in another language than CUDA C. Its first line is a comment there, too."""
        path = file.with_suffix(f".{suffix}")
        text = file.read_text(encoding="utf-8")
        mark = "#" if suffix == "py" else "//"
        path.write_text(text.replace(MAGIC_LINE, MAGIC_LINE.replace("//", mark), 1), encoding="utf-8")
        return path

    def save(self, name: str, body: str) -> Path:
        """Writes a cell's body with its lines where the cell has them."""
        above = self.lines_above()
        head = "\n" * (above - 1) + MAGIC_LINE + "\n" if above else ""
        self.cell_name = name or CELL
        path = self.folder / self.cell_name
        path.write_text(head + body + ("" if body.endswith("\n") else "\n"), encoding="utf-8")
        return path

    def saved(self, name: str) -> Path:
        """A cell saved earlier. Raises OptionError."""
        path = self.folder / name
        if not path.is_file():
            known = sorted(p.name for p in self.folder.iterdir() if p.suffix in SOURCES and p.name != CELL)
            have = "saved so far: " + ", ".join(known) if known else "no cell was saved so far"
            raise OptionError(f"--with {name}: run the cell that says --name {name} first ({have}).")
        return path

    def shown(self, text: str) -> str:
        """A text in which this session's files bear their names alone, and others are named from a known folder."""
        for folder in (self.folder, *self.known_folders):
            text = text.replace(f"{folder}/", "")
        return text


def _remove_stale() -> None:
    """Folders of this user's notebooks that were killed and could not remove theirs."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        owner = folder.name[len(PREFIX) :].split("-")[0]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}") and os.access(folder, os.W_OK):
            shutil.rmtree(folder, ignore_errors=True)
