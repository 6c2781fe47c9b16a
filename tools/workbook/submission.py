"""A student's submission for one exercise: the file, found in a folder in which the student chose all names.

No name passes through a shell, and no link is followed: it could lead to another user's file.
"""
import filecmp
import fnmatch
import os
import subprocess
import sys
from pathlib import Path
from typing import Optional

from workbook.exercises import exercise_as_given, exercise_suffix
from workbook.visible import visible_name

DEPTH = 5  # folders below the submission's


def files_below(source: str) -> list[str]:
    """The files and links in the folder, not too deep, the shortest path first."""
    found = []
    for folder, below, names in os.walk(source) if not os.path.islink(source) else ():
        relative = os.path.relpath(folder, source)
        depth = 0 if relative == "." else relative.count(os.sep) + 1
        names += [name for name in below if os.path.islink(os.path.join(folder, name))]
        below[:] = [name for name in below if name != "build" and depth + 1 < DEPTH]
        found += [os.path.join(folder, name) for name in names]
    return sorted(found, key=lambda path: (len(path), os.fsencode(path)))


class Submission:
    """One exercise of one student; `source` is the folder with the files, or the file itself, `folder` the one for results."""

    def __init__(self, source: str, number: str, folder: Path) -> None:
        self.source, self.number, self.folder = source, number, folder
        self.suffix = exercise_suffix(number)
        self.remarks: list[str] = []
        self.in_folder = os.path.isdir(source)
        self.found = files_below(source) if self.in_folder else []
        self.given = exercise_as_given(number).encode("utf-8", "surrogateescape") if self.in_folder else b""

    def name_of(self, path: str) -> str:
        """The path within the submission, which the student knows."""
        return visible_name(os.path.relpath(path, self.source))

    def shown(self, path: str) -> str:
        """The name of the graded file in messages."""
        return self.name_of(path) if self.in_folder and path.startswith(os.path.join(self.source, "")) else f"exercise.{self.suffix}"

    def candidates(self) -> list[str]:
        """lesson03_relu/exercise.cu or exercise03.cu, files and links."""
        ours = tuple(os.path.join(self.source, folder, "") for folder in ("solutions", os.path.join("tools", "given")))
        pattern = f"*/lesson{self.number}_*/exercise.{self.suffix}"
        named = f"exercise{self.number}.{self.suffix}"
        found = [path for path in self.found if os.path.basename(path) == named or fnmatch.fnmatchcase(path, pattern)]
        return [path for path in found if not path.startswith(ours)]

    def find(self) -> Optional[str]:
        """The file to grade, or None if nothing was handed in. The lesson's notebook counts when there is no file, or when the file is unchanged."""
        if not self.in_folder:
            return self.source
        candidates = self.candidates()
        files = [path for path in candidates if os.path.isfile(path) and not os.path.islink(path)]
        others = [path for path in files[1:] if not filecmp.cmp(path, files[0], shallow=False)]
        if others:
            self.remarks.append(f"several files: {self.name_of(files[0])} was graded, not {', '.join(map(self.name_of, others))}")
        for link in [path for path in candidates if os.path.islink(path)][:1]:
            self.remarks.append(f"{self.name_of(link)} is a symbolic link and was ignored: hand in the file itself")
        if files and Path(files[0]).read_bytes() != self.given:
            return files[0]
        return self.solved_cell() or (files[0] if files else None)

    def solved_cell(self) -> Optional[str]:
        """The exercise from the first notebook in which it was changed; else from the first that contains it. A copy, in `folder`."""
        cells = []
        for path in self.found:
            named = fnmatch.fnmatchcase(os.path.basename(path), f"lesson{self.number}_*.ipynb") and "/.ipynb_checkpoints/" not in path
            if not named or os.path.islink(path) or not os.path.isfile(path):
                continue
            command = [sys.executable, "tools/notebooks/exercise_of.py", path, self.number]
            asked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if asked.returncode:
                self.remarks.append(f"{self.name_of(path)} has no cell with exercise {self.number}")
                continue
            cells.append(asked.stdout)
            if asked.stdout.partition(b"\n")[2] != self.given:
                break
        if not cells:
            return None
        copy = self.folder / f"exercise.{self.suffix}"
        copy.write_bytes(cells[-1] if cells[-1].partition(b"\n")[2] != self.given else cells[0])
        return str(copy)
