"""Programs that were compiled before in this session: a cell that is run again as it was need not wait for nvcc.

What a program is made of is known before it is compiled: the command, the environment, the cell, and all files of the user's and the
workbook's that it includes, with their contents. The toolkit's and the system's headers stay the same while a notebook is open.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

MOST = 40  # programs of a session
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(.*)", re.MULTILINE)
NAMED = re.compile(r'(["<])([^">\n]+)[">]')
ASKED_FOR = re.compile(r"""__has_include[ \t]*\([ \t]*(<[^>\n]+>|"[^"\n]+")[ \t]*\)""")  # a header that may not be there
UNFORESEEN = re.compile(r"__has_include|__DATE__|__TIME|incbin|#[ \t]*embed")
SEARCHED = ("CPATH", "CPLUS_INCLUDE_PATH")  # behind the folders of -I the compilers look for headers there
# The options with which nvcc reads no file that is not included, and writes none but the program.
PLAIN = re.compile(
    r"-D.*|-U.*|-O[0-9a-z]?|-std=.*|-G|-g|-lineinfo|-arch=.*|-gencode=.*|-rdc=.*|-w|-Werror=?.*|-maxrregcount=.*|--?use_fast_math"
)


def included(source: Path, folders: list[Path]) -> list[Path] | None:
    """The files in these folders that a source includes or asks for, themselves and through others; None where that cannot be known."""
    found, todo = [source], [source]
    while todo:
        file = todo.pop()
        text = file.read_text(encoding="utf-8", errors="replace").replace("\\\n", "")
        if UNFORESEEN.search(ASKED_FOR.sub("", text)):
            return None
        for words in INCLUDE.findall(text) + ASKED_FOR.findall(text):
            name = NAMED.match(words)
            if not name:
                return None
            places = [file.parent, *folders] if name[1] == '"' else folders
            header = next((place / name[2] for place in places if (place / name[2]).is_file()), None)
            if header and header not in found:
                found.append(header)
                todo.append(header)
    return found


def key_of(command: list[str], environment: dict[str, str], files: list[Path]) -> str:
    """Another one for whatever may make another program."""
    parts = [str(len(command)), *command, *(f"{name}={value}" for name, value in sorted(environment.items()))]
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogateescape"))
    for file in files:
        content = file.read_bytes()
        digest.update(f"\0{file}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()


class Kept:
    """The programs, each with what is known of its compilation. They lie in the session's folder and go with it."""

    def __init__(self, folder: Path):
        self.folder = folder / "kept"
        self.said: dict[str, Any] = {}

    def key(self, user_words: list[str], command: list[str], environment: dict[str, str], sources: list[Path],
            folders: list[Path]) -> str:  # fmt: skip
        """Nothing where nvcc has to be asked each time."""
        if len(sources) != 1 or not all(PLAIN.fullmatch(word) for word in user_words):
            return ""
        files = included(sources[0], folders)
        return key_of(command, environment, files) if files else ""

    def take(self, key: str, target: Path) -> Any:
        """Puts the program where nvcc would have; what is known of it, or None if there is no such program."""
        if key not in self.said:
            return None
        try:
            _copy(self.folder / key, target)
        except OSError:
            del self.said[key]
            return None
        return self.said[key]

    def keep(self, key: str, target: Path, said: object) -> None:
        """Without space on the disk it is not kept."""
        if not key:
            return
        try:
            self.folder.mkdir(exist_ok=True)
            while len(self.said) >= MOST:
                oldest = next(iter(self.said))
                del self.said[oldest]
                (self.folder / oldest).unlink(missing_ok=True)
            _copy(target, self.folder / key)
            self.said[key] = said
        except OSError:
            pass


def _copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)  # it may still run
    shutil.copy(source, target)
