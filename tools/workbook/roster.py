"""The roster of a class: a CSV file as Moodle, Canvas, GitHub Classroom or a spreadsheet exports it, with a first row of names."""
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from workbook.messages import Failure

# The possible names of a column, reduced to letters and digits; the first one found in the roster is used.
FIRST_NAME = ("firstname", "givenname")
LAST_NAME = ("lastname", "surname", "familyname")
NAME = ("name", "fullname", "studentname", "displayname")
NUMBER = ("idnumber", "sisuserid", "studentid", "matriculation", "number", "id")
MAIL = ("email", "emailaddress", "mail")
LOGIN = ("folder", "username", "login", "user", "sisloginid", "githubusername", "identifier")
GITHUB = ("githubusername", "github")


def plain(text: str) -> str:
    """Email address, e_mail and EMAIL-ADDRESS are one name."""
    return re.sub("[^a-z0-9]", "", text.lower())


@dataclass(frozen=True, eq=False)  # two rows are two people
class Person:
    """A row of the roster, and the fields that identify a person; a missing field is empty."""

    cells: tuple[str, ...]
    name: str
    number: str
    mail: str
    login: str
    github: str
    canvas: str
    sis: str
    section: str

    def is_called(self, folder: str) -> bool:
        """Whether the folder name matches: a cell of the row, the full name, or the part of the address before the @."""
        names = [*self.cells, self.name, self.mail.partition("@")[0] if "@" in self.mail else ""]
        return folder in (name.lower() for name in names if name)


class Columns:
    """The columns of a roster; `head` is its first row."""

    def __init__(self, head: list[str]) -> None:
        self.at: dict[str, int] = {}
        for position, name in enumerate(head):
            self.at.setdefault(plain(name), position)
        self.full_name: tuple[str, ...] = NAME
        if not any(name in self.at for name in (*NAME, *FIRST_NAME)):
            self.full_name = ("student",)

    def cell(self, row: list[str], names: tuple[str, ...]) -> str:
        """The row's cell in the first of these columns that exists."""
        for name in names:
            if name in self.at:
                return row[self.at[name]] if self.at[name] < len(row) else ""
        return ""

    def person(self, row: list[str]) -> Person:
        """The person of that row."""
        name = self.cell(row, self.full_name)
        if not any(column in self.at for column in self.full_name) and any(column in self.at for column in FIRST_NAME):
            name = self.cell(row, FIRST_NAME)
            if any(column in self.at for column in LAST_NAME):
                name += " " + self.cell(row, LAST_NAME)
        parts = [self.cell(row, names) for names in (NUMBER, MAIL, LOGIN, GITHUB, ("id",), ("sisuserid",), ("section",))]
        return Person(tuple(row), name, *parts)


class Roster:
    """All participants; empty without a file."""

    def __init__(self, path: Optional[Path]) -> None:
        self.people: list[Person] = []
        if path:
            self.read(path)

    def read(self, path: Path) -> None:
        """Reads the people from a file. Failure: it is not a table."""
        text = path.read_text("utf-8-sig", "surrogateescape").replace("\0", "")
        first = text.split("\n", 1)[0]
        separator = ";" if "," not in first and ";" in first else ","
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        except csv.Error as error:
            raise Failure(f"ROSTER={path} is not a CSV table: {error}.") from None
        columns = Columns(rows[0]) if rows else None
        for row in rows[1:]:
            if columns and any(cell.strip(" ,;\r") for cell in row) and not re.match(" *Points Possible", row[0]):
                self.people.append(columns.person(row))

    def person_of(self, folder: str) -> Optional[Person]:
        """The owner of a folder. Moodle names folders Ada Lovelace_1234_assignsubmission_file_, and a repository's name ends with the account
        (task-ada)."""
        low = re.sub("_[0-9]+_assignsubmission.*", "", folder.lower())
        called = [person for person in self.people if low and person.is_called(low)]
        owns = [person for person in self.people if person.github and low.endswith("-" + person.github.lower()) and len(low) > len(person.github) + 1]
        return next(iter(called + owns), None)
