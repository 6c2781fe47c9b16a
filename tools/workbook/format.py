"""format            formats every C and CUDA file according to .clang-format
format --check    lists those that differ
format FILE...    formats these

The layout depends on the version of clang-format; version 14 is required.
"""
import os
import re
import subprocess
from pathlib import Path

from workbook.messages import Failure

FOLDERS = ("bench", "common", "emulator", "lessons", "notebooks", "solutions", "tests", "tools")
SUFFIXES = (".c", ".h", ".cu", ".cuh", ".cpp")
AT_ONCE = 500  # files per process


def formatter() -> str:
    """clang-format 14. Failure: there is none."""
    for candidate in ("clang-format-14", "clang-format"):
        try:
            version = subprocess.run([candidate, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        except OSError:
            continue
        if b"version 14." in version:
            return candidate
    raise Failure("clang-format 14 is not installed.", "sudo apt-get install clang-format-14")


def sources() -> list[str]:
    """All of them in order."""
    found = []
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            found += [os.path.join(folder, name) for name in names if name.endswith(SUFFIXES) and not name.startswith("exercise.backup")]
    return sorted(path for path in found if not os.path.islink(path))


def lay_out(files: list[str]) -> None:
    """Changes the files. Failure: clang-format fails."""
    command = [formatter(), "-i"]
    for first in range(0, len(files), AT_ONCE):
        if subprocess.run(command + files[first : first + AT_ONCE]).returncode:
            raise Failure("clang-format fails: see above.")


def differing() -> list[str]:
    """The files whose layout differs."""
    command = [formatter(), "--dry-run", "-Werror"]
    found: set[str] = set()
    files = sources()
    for first in range(0, len(files), AT_ONCE):
        said = subprocess.run(command + files[first : first + AT_ONCE], stderr=subprocess.PIPE).stderr.decode("utf-8", "replace")
        found.update(re.findall(r"^([^: ]*):\d+:\d+: error:", said, re.MULTILINE))
    return sorted(found)


def main(arguments: list[str]) -> int:
    """Status 1 of --check: some differ."""
    if arguments == ["--check"]:
        found = differing()
        print("".join(f"{path}\n" for path in found), end="")
        return 1 if found else 0
    lay_out([str(Path(name)) for name in arguments] or sources())
    return 0
