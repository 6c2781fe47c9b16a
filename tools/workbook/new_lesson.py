"""new_lesson 11_scan: makes a lesson that builds, runs and passes its tests, to be filled in (make new LESSON=11_scan). new_lesson 36_name.py: one in Python.

It copies tools/authoring/skeleton/ (or skeleton_python/) with another number and name: the student's files, the teacher's files, and the test of the
page's answers. The page is then added to the lists of lessons: the syllabus, TEACHING.md, the page before it.
"""
import re
import shutil
from pathlib import Path

from workbook.format import lay_out
from workbook.generate import generate
from workbook.lessons import lesson_folders, number_of
from workbook.messages import Failure, say, warn
from workbook.minutes import write_minutes
from workbook.pages import UNMEASURED


class NewLesson:
    """The argument, 11_scan or 36_name.py. Failure: it is not a name for a lesson, or a lesson has that number."""

    def __init__(self, asked: str) -> None:
        self.in_python = asked.endswith(".py")
        self.skeleton = Path("tools/authoring/skeleton_python" if self.in_python else "tools/authoring/skeleton")
        asked = asked[:-3] if self.in_python else asked
        self.number, _, self.name = asked.partition("_")
        self.folder = f"lesson{asked}"
        self.page = Path("lessons", self.folder, "README.md")
        if not asked:
            raise Failure("which lesson? make new LESSON=11_scan")
        if not re.match(r"[0-9][0-9]_[a-z]", asked):
            raise Failure(f"LESSON={asked}: two digits, a line and a name, as in LESSON=11_scan, or LESSON=36_name.py for one in Python")
        if not re.fullmatch("[a-z0-9_]+", self.name):
            raise Failure(f"LESSON={asked}: a name has small letters, digits and lines, as functions are named after it.")
        if not self.skeleton.is_dir():
            raise Failure(f"this copy of the workbook is for students: it has no {self.skeleton}.")
        for top in ("lessons", "solutions"):
            for there in sorted(Path(top).glob(f"lesson{self.number}_*")):
                raise Failure(f"there is a lesson {self.number}: {there}.")

    def named(self, text: str) -> str:
        """The skeleton's words for this lesson: lesson00_skeleton, lesson00.cu, skeleton_kernel1, Lesson 00, LESSON=00, workbook fill 00, "00"."""
        text = text.replace("lesson00_skeleton", self.folder).replace("skeleton", self.name)
        text = re.sub(r"([a-z])00\b", rf"\g<1>{self.number}", text)
        text = re.sub(r"([Ll]esson |[Ee]xercise |LESSON=|workbook \w+ )00\b", rf"\g<1>{self.number}", text)
        return text.replace('"00"', f'"{self.number}"')

    def copy_skeleton(self) -> None:
        """Its files under their new names, with their modes."""
        for file in sorted(self.skeleton.rglob("*")):
            if file.is_file():
                new = Path(self.named(str(file.relative_to(self.skeleton))))
                new.parent.mkdir(parents=True, exist_ok=True)
                new.write_text(self.named(file.read_text("utf-8")), "utf-8")
                shutil.copymode(file, new)


def change(path: Path, text: str) -> None:
    """Writes a page that exists."""
    path.write_text(text, "utf-8")


def add_row(path: Path, number: str, row: str) -> None:
    """A row in the page's first table of lessons, after the last one with a smaller number, 23b among those before 24."""
    lines = path.read_text("utf-8").split("\n")
    rows = [position for position, line in enumerate(lines) if re.match(r"\| \[[0-9][0-9][a-z]? ", line)]
    end = next((position for position in range(rows[0], len(lines)) if not lines[position].startswith("|")), len(lines)) if rows else 0
    before = [position for position in rows if position < end and int(lines[position][3:5]) < int(number)]
    if before:
        lines.insert(before[-1] + 1, row)
        change(path, "\n".join(lines))


def add_next(path: Path, folder: str) -> None:
    """The first point under a page's "Read next": it leads to that lesson."""
    number = number_of(Path(folder))
    point = f"- [Lesson {number}](../{folder}/README.md), FILL IN: what comes next.\n"
    change(path, re.sub(r"^(## Read next.*\n.*\n)", lambda found: found[0] + point, path.read_text("utf-8"), flags=re.MULTILINE))


def without_plan(page: str, number: str) -> str:
    """README.md without that lesson in the list of planned ones."""
    page = re.sub(rf"^Planned, [^·\n]*: {number} [a-z0-9_]*\.\n(.+\n)*\n?", "", page, flags=re.MULTILINE)

    def in_paragraph(found: re.Match[str]) -> str:
        lines = []
        for line in found[0].split("\n"):
            line = re.sub(rf"(^| ){number} [a-z0-9_]* ·( |$)", r"\1", line, count=1)
            line = re.sub(rf" · {number} [a-z0-9_]*([;.])", r"\1", line, count=1)
            lines.append(line.rstrip(" "))
        return "\n".join(lines)

    return re.sub(r"^Planned, .*\n(.+\n)*", in_paragraph, page, flags=re.MULTILINE)


def register(lesson: NewLesson) -> None:
    """Adds the lesson to the lists of lessons; make_the_rest writes its minutes."""
    start = f"| [{lesson.number} {lesson.name}]({lesson.page}) | 0 + 0 | FILL IN: "
    phrase = f"<!--={lesson.number} headline -->{UNMEASURED}<!--/-->"
    add_row(Path("README.md"), lesson.number, start + f"about | {phrase} | FILL IN: exercise |")
    add_row(Path("TEACHING.md"), lesson.number, start + "in class | FILL IN: at home |")
    change(Path("README.md"), without_plan(Path("README.md").read_text("utf-8"), lesson.number))
    folders = [folder for folder in lesson_folders() if number_of(folder).isdecimal()]
    position = [folder.name for folder in folders].index(lesson.folder)
    for after in folders[position + 1 : position + 2]:
        add_next(lesson.page, after.name)
    for before in folders[max(position - 1, 0) : position]:
        further = sorted(Path("lessons").glob(f"lesson{number_of(before)}[a-z]_*"))
        for page in (folder / "README.md" for folder in [before, *further]):
            if page.is_file():
                add_next(page, lesson.folder)


def make_the_rest(lesson: NewLesson) -> None:
    """Regenerates the files that are made from the new files and others."""
    files = [path for top in ("lessons", "solutions") for path in Path(top, lesson.folder).rglob("*") if re.search(r"\.c[up]", path.name)]
    try:
        lay_out([str(path) for path in files])
    except Failure:
        warn("clang-format 14 is not installed, so the new files may not be laid out as make format does.")
    write_minutes()
    generate(lesson.number)


def calling_it_planned(lesson: NewLesson) -> list[str]:
    """Lines of other texts, as grep prints them, that call the lesson planned."""
    files = [path for top in ("lessons", "solutions") for path in sorted(Path(top).rglob("*")) if path.suffix in (".md", ".cu") and path.is_file()]
    found = []
    for path in [*files, Path("GLOSSARY.md"), Path("TEACHING.md")]:
        for position, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
            if re.search(rf"[Ll]esson {lesson.number}\b", line) and "planned" in line and path.parts[:2] != ("lessons", lesson.folder):
                found.append(f"{path}:{position}:{line}")
    return found


def say_what_is_next(lesson: NewLesson) -> None:
    """Prints the author's next steps."""
    number = lesson.number
    jobs = "Its program is y = 2 * x, its exercise y = 3 * x"
    if lesson.in_python:
        jobs = "Its library is y = 2 * x, its exercise a binding of y = factor * x"
    say(f"lesson {number} is created, with a working skeleton: make lesson{number} run, make exercise{number}, make lesson{number} test")
    say(f"{jobs}: replace them. The other gaps are marked FILL IN:")
    say("  grep -rn 'FILL IN' lessons solutions README.md TEACHING.md")
    say("CONTRIBUTING.md lists the parts of a lesson, and the order in which to write them.")
    calling = calling_it_planned(lesson)
    if calling:
        say("\n".join(["These still call it planned:", *calling]))


def main(arguments: list[str]) -> int:
    """One argument, LESSON."""
    lesson = NewLesson(arguments[0] if arguments else "")
    lesson.copy_skeleton()
    register(lesson)
    make_the_rest(lesson)
    say_what_is_next(lesson)
    return 0
