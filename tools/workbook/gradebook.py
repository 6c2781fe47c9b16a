"""The files that a grading makes from OUT/points.csv and the roster:

    OUT/gradebook.csv               a row for each student: exercises, total, remarks
    OUT/moodle.csv, OUT/canvas.csv  the same in the formats that these two import
    OUT/STUDENT/feedback.txt        for the student: points, and the graders' messages
"""
from pathlib import Path
from typing import NamedTuple, Optional

from workbook.grade_one import HEAD, POINTS, read_points, row_of
from workbook.roster import Person, Roster
from workbook.visible import visible_name


def amount(text: str) -> float:
    """A number of points; a teacher may have changed one by hand."""
    try:
        return float(text)
    except ValueError:
        return 0


def shown(number: float) -> str:
    """7 or 7.5."""
    return f"{number:.0f}" if number == int(number) else f"{number:g}"


def points_in(out: Path) -> list[list[str]]:
    """The rows of points.csv, none of them too short."""
    return [row + [""] * (len(HEAD) - len(row)) for row in read_points(out / "points.csv")]


class Row:
    """One student; `absent`: of the roster, and without a folder."""

    def __init__(self, student: str, person: Optional[Person], absent: bool = False) -> None:
        self.student, self.person, self.absent = student, person, absent
        self.graded_now = absent
        self.points: dict[str, float] = {}
        self.remarks: list[str] = []

    @property
    def name(self) -> str:
        """The name in the roster."""
        return self.person.name if self.person else ""

    @property
    def login(self) -> str:
        """The account, or the folder's name."""
        return self.person.login if self.person and self.person.login else self.student

    @property
    def identity(self) -> list[str]:
        """Number and address."""
        return [self.person.number, self.person.mail] if self.person else ["", ""]


class Sums(NamedTuple):
    """A summary of this grading: points, the possible maximum, and the number of students below it."""

    earned: float
    possible: float
    below: int


class Gradebook:
    """All rows of OUT/points.csv by student, and the people on the roster without a row."""

    def __init__(self, out: Path, roster: Roster, students: list[str], numbers: list[str]) -> None:
        self.out, self.roster, self.asked = out, roster, numbers
        self.of: dict[str, float] = {number: POINTS for number in numbers}
        self.rows: dict[str, Row] = {}
        self.taken: dict[Person, str] = {}
        for student, number, verdict, points, most, *_ in points_in(out):
            row = self.row(student)
            row.points[number] = amount(points)
            self.of[number] = amount(most)
            if verdict == "not_submitted":
                row.remarks.append(f"{number} not_submitted")
        for student in students:
            self.row(student).graded_now = True
        self.take_remarks()
        self.absent = [self.absent_row(person) for person in roster.people if person not in self.taken]
        self.exercises = sorted(self.of)
        for row in self.all_rows():
            for number in self.exercises:
                if row.absent or (row.graded_now and number in self.asked):
                    row.points.setdefault(number, 0)

    def row(self, student: str) -> Row:
        """The student's row, a new one if there is none yet."""
        if student not in self.rows:
            row = self.rows[student] = Row(student, self.roster.person_of(student))
            if row.person in self.taken:
                row.remarks.append(f"belongs to the same person as {self.taken[row.person]}")
            if row.person:
                self.taken[row.person] = student
            elif self.roster.people:
                row.remarks.append("not in the roster")
        return self.rows[student]

    def absent_row(self, person: Person) -> Row:
        """The row of a person without a folder: 0 points in every exercise graded here so far."""
        row = Row(person.login or person.mail or person.name, person, absent=True)
        row.remarks.append("not_submitted")
        return row

    def take_remarks(self) -> None:
        """The remarks of the gradings in points.csv."""
        for path in sorted(self.out.glob("*/exercise*/remarks.txt")):
            student, number = path.parent.parent.name, path.parent.name[len("exercise") :]
            if student in self.rows:
                self.rows[student].remarks += [f"{number} {line}" for line in path.read_text("utf-8", "surrogateescape").splitlines()]

    def all_rows(self) -> list[Row]:
        """Students with a folder first."""
        return [*self.rows.values(), *self.absent]

    def cells(self, row: Row) -> list[str]:
        """The points by exercise; empty for one that was not graded."""
        return [shown(row.points[number]) if number in row.points else "" for number in self.exercises]

    def sums(self) -> Sums:
        """The summary of this grading."""
        now = [row for row in self.all_rows() if row.graded_now]
        earned = sum(row.points[number] for row in now for number in self.asked)
        below = sum(any(row.points[number] < self.of[number] for number in self.asked) for row in now)
        return Sums(earned, len(now) * sum(self.of[number] for number in self.asked), below)

    def write(self, name: str, rows: list[list[str]]) -> None:
        """OUT/NAME as CSV."""
        (self.out / name).write_text("".join(map(row_of, rows)), "utf-8", "surrogateescape")

    def write_gradebook(self) -> None:
        """The workbook's own format."""
        rows = [["student", "name", "id", "email", *(f"exercise {number}" for number in self.exercises), "total", "of", "remarks"]]
        possible = shown(sum(self.of.values()))
        for row in self.all_rows():
            rows.append([row.student, row.name, *row.identity, *self.cells(row), shown(sum(row.points.values())), possible, "; ".join(row.remarks)])
        self.write("gradebook.csv", rows)

    def write_moodle(self) -> None:
        """Moodle lets the teacher select the column that identifies the student: the address, the number or the account."""
        rows = [["Username", "ID number", "Email address", *(f"Exercise {number}" for number in self.exercises), "Exercises together"]]
        rows += [[row.login, *row.identity, *self.cells(row), shown(sum(row.points.values()))] for row in self.all_rows()]
        self.write("moodle.csv", rows)

    def write_canvas(self) -> None:
        """Canvas requires these five columns and a second row with the possible points."""
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(f"Exercise {number}" for number in self.exercises)]]
        rows.append(["    Points Possible", "", "", "", "", *(shown(self.of[number]) for number in self.exercises)])
        for row in self.all_rows():
            canvas, sis, section = (row.person.canvas, row.person.sis, row.person.section) if row.person else ("", "", "")
            rows.append([row.name or row.student, canvas, sis, row.login, section, *self.cells(row)])
        self.write("canvas.csv", rows)


# --- text for the student: no data about the machine, and no names of other students ---


def said_in(folder: Path) -> bytes:
    """The graders' messages about one exercise."""
    for name in ("feedback.txt", "output.txt"):
        if (folder / name).is_file():
            return (folder / name).read_bytes()
    return b"nothing was handed in\n"


def write_feedback(out: Path, student: str) -> None:
    """OUT/STUDENT/feedback.txt."""
    rows = [row for row in points_in(out) if row[0] == student]
    lines = [f"exercise {row[1]}: {row[3]} of {row[4]} points, {row[2]} ({row[5]} of {row[6]} checks passed)\n" for row in rows]
    earned, possible = (int(sum(amount(row[column]) for row in rows)) for column in (3, 4))
    lines.append(f"together: {earned} of {possible} points\n")
    parts = ["".join(lines).encode("utf-8", "surrogateescape")]
    for folder in sorted(path for path in (out / student).glob("exercise*") if path.is_dir()):
        parts.append(f"\n--- exercise {folder.name[len('exercise') :]} ---\n".encode())
        if (folder / "remarks.txt").is_file():
            parts.append(b"remark: " + (folder / "remarks.txt").read_bytes())
        parts.append(said_in(folder))
    (out / student / "feedback.txt").write_bytes(b"".join(parts))


def write_absent(out: Path, student: str) -> None:
    """The same for a student without a folder, unless the roster's name is not a valid folder name."""
    if not student or student.startswith(".") or "/" in student or visible_name(student) != student or (out / student / "feedback.txt").exists():
        return
    (out / student).mkdir(parents=True, exist_ok=True)
    (out / student / "feedback.txt").write_text("nothing was handed in: 0 points\n", "utf-8")


def write_all(out: Path, roster: Roster, students: list[str], numbers: list[str]) -> Sums:
    """Writes all of the files; returns the summary of the students graded now."""
    for student in students:
        write_feedback(out, student)
    book = Gradebook(out, roster, students, numbers)
    book.write_gradebook()
    book.write_moodle()
    book.write_canvas()
    for row in book.absent:
        write_absent(out, row.student)
    return book.sums()
