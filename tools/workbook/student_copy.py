"""student_copy: `make student-copy OUT=folder` writes a copy of the workbook for students to that folder: without solutions, right or wrong, and
without history.

tools/teaching/for_students.txt lists its files. It contains the original exercises, regardless of changes to them in this workbook.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from workbook.exercises import exercise_as_given, exercise_file, exercise_folder, exercise_master, exercise_numbers, exercise_suffix
from workbook.judges import is_checkout
from workbook.messages import Failure, say

LIST = Path("tools/teaching/for_students.txt")
BUILT = {"build", ".venv", ".toolchain", "work"}
FOR_TEACHERS = re.compile(r"\[(TEACHING\.md|CONTRIBUTING\.md|CHANGELOG\.md)\]\([^)]*\)")
BADGE = re.compile(r"^\[!\[.*\n", re.MULTILINE)  # for the tests, which students do not have


def all_files() -> list[str]:
    """The files that git tracks or would track; outside of a checkout, all except build products."""
    if is_checkout():
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], stdout=subprocess.PIPE, check=True)
        return os.fsdecode(listed.stdout).rstrip("\0").split("\0")
    found = []
    for folder, below, names in os.walk("."):
        below[:] = [name for name in below if name != "__pycache__" and (folder != "." or name not in BUILT)]
        names += [name for name in below if os.path.islink(os.path.join(folder, name))]
        found += [os.path.relpath(os.path.join(folder, name)) for name in names]
    return found


def pattern_of(line: str) -> str:
    """A line of the list as a regular expression: a path, in which * matches part of a name, and everything below it."""
    return "[^/]*".join(map(re.escape, line.split("*"))) + "(/|$)"


def chosen_files() -> list[str]:
    """The files that the list includes, and does not exclude again."""
    lines = [line for line in LIST.read_text("utf-8").split("\n") if line and not line.startswith("#")]
    wanted = re.compile("|".join(pattern_of(line) for line in lines if not line.startswith("-")))
    refused = re.compile("|".join(pattern_of(line[1:]) for line in lines if line.startswith("-")))
    return [name for name in all_files() if wanted.match(name) and not refused.match(name)]


def place() -> Path:
    """The folder that OUT names. Failure: it is not empty, or this is a student's copy."""
    asked = os.environ.get("OUT", "")
    if not asked:
        raise Failure("where to? make student-copy OUT=folder")
    out = Path(os.path.abspath(asked))
    if os.path.lexists(out) and not (out.is_dir() and not any(out.iterdir())):
        raise Failure(f"OUT={asked} is not empty: name another folder, or remove that one.")
    if not exercise_master("01").is_file():
        raise Failure("there are no solutions here, so this is a student's copy already: copy it with cp -R.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise Failure(f"OUT={asked} cannot be created.") from None
    return out


def copy_files(out: Path) -> None:
    """Copies; links remain links."""
    for name in chosen_files():
        if os.path.isfile(name):  # it may have been removed here while git still tracks it
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, out / name, follow_symlinks=False)


def give_exercises(out: Path) -> None:
    """Each original exercise, with a second copy in tools/given, for make reset."""
    (out / "tools/given").mkdir(parents=True, exist_ok=True)
    for number in exercise_numbers():
        given = exercise_as_given(number)
        for name in (Path("tools/given") / f"{exercise_folder(number).name}.{exercise_suffix(number)}", exercise_file(number)):
            (out / name).write_text(given, "utf-8", "surrogateescape")


def main(arguments: list[str]) -> int:
    """OUT names the folder."""
    out = place()
    copy_files(out)
    give_exercises(out)
    page = Path("README.md").read_text("utf-8")
    (out / "README.md").write_text(FOR_TEACHERS.sub(r"\1", BADGE.sub("", page)), "utf-8")  # links to files that students do not have
    count = sum(path.is_file() and not path.is_symlink() for path in out.rglob("*"))
    say(f"a copy for students is in {os.environ['OUT']}: {count} files, without solutions")
    return 0
