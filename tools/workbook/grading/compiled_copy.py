"""The copy of a submission that is compiled: the file that a student has handed in, and the student's headers that it includes.

The student's headers: files that `#include "name"` names in the folder of the file or below it, and those that these include in turn; plain
files, not reached through a link, 64 at most, 1 MB together. Of this workbook's folders only a lesson's counts, except its grader; for a
solution, the headers of its lesson's solutions, so that wrong ones can share the correct parts.
"""
import os
import re
import stat
from pathlib import Path

MOST_BYTES, MOST_FILES = 1_000_000, 64
BLANK = rb"[ \t\v\f\r]*"
# No absolute name, and none with characters that a shell or make would interpret.
NAME = rb'"([A-Za-z0-9_.+-][A-Za-z0-9_./+-]*)"'
INCLUDE = re.compile(rb"^" + BLANK + rb"#" + BLANK + rb"include(?:_next)?" + BLANK + NAME)
HAS_INCLUDE = re.compile(rb"__has_include" + BLANK + rb"\(" + BLANK + NAME)


class Refused(Exception):
    """Why a file is not copied."""


def take(source: str, copy: Path) -> int:
    """Copies a plain file that is not too large, and returns its size in bytes. If a pipe has replaced it meanwhile, the copy does not block."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise Refused("it cannot be read.") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused("it is not a regular file.")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Refused("it has more than 1 MB.")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(content)
    return len(content)


def included(content: bytes) -> list[str]:
    """The names in #include "..." and __has_include("...")."""
    names = set()
    for line in content.split(b"\n"):
        found = INCLUDE.match(line)
        names.update([found[1]] if found else [])
        names.update(match[1] for match in HAS_INCLUDE.finditer(line))
    return sorted(name.decode("ascii") for name in names)


class CompiledCopy:
    """`source`: the file's real path. `copy`: the path of its copy. `remarks`: about included headers that were not copied."""

    def __init__(self, file: str, folder: Path, name: str) -> None:
        """Raises Refused when the file itself is not copied."""
        self.root = os.getcwd()
        self.source = os.path.realpath(file)
        self.folder, prefix = os.path.dirname(self.source), ""
        if re.match(re.escape(self.root) + r"/solutions/.*/.*/", self.source):  # .../wrong/x.cu: its folder is kept, for "../wrong/right.h"
            self.folder, below = os.path.split(self.folder)
            prefix = below + "/"
        self.target = folder
        self.copy = folder / prefix / name
        self.remarks: list[str] = []
        take(self.source, self.copy)
        self.copied = [prefix + name]
        self.bytes = 0
        for number, current in enumerate(self.copied, 1):  # the loop appends to it
            self.take_headers(current, number)

    def is_own(self, path: str) -> bool:
        """Whether that file of the submission is the student's own. Links are not followed."""
        if not os.path.isfile(path) or os.path.realpath(path) != path or not path.startswith(self.folder + "/"):
            return False
        if not path.startswith(self.root + "/"):
            return True
        inside = path[len(self.root) + 1 :]
        area, _, rest = inside.partition("/")
        if area == "solutions":
            return self.source.startswith(f"{self.root}/solutions/") and path.endswith(".h")
        if area == "lessons":
            return "/" in rest and not re.search(r"/(grader\..*|calls\.py)$", "/" + rest)
        if area == "build":
            return self.source.startswith(f"{self.root}/build/")
        return area == "work"

    def take_headers(self, current: str, number: int) -> None:
        """Copies the headers that the copied file `current` includes."""
        for wanted in included((self.target / current).read_bytes()):
            path = os.path.normpath(os.path.join(self.folder, os.path.dirname(current), wanted))
            if not self.is_own(path):
                continue
            relative = os.path.relpath(path, self.folder)
            if relative in self.copied:
                continue
            if number > MOST_FILES:
                return
            try:
                self.bytes += take(path, self.target / relative)
            except Refused as refused:
                self.remarks += [str(refused), f"{relative}: not copied."]
                continue
            if self.bytes > MOST_BYTES:
                (self.target / relative).unlink()
                self.remarks.append("the headers of this submission have more than 1 MB together.")
                return
            self.copied.append(relative)
