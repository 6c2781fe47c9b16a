"""What figures read from a record that is a text for people, measured/h200.txt."""
import re
from pathlib import Path
from typing import NamedTuple

from workbook.messages import Failure


class Recorded(NamedTuple):
    """A record: its card, its day, and the lines of each section by the section's heading."""

    card: str
    date: str
    sections: dict[str, list[str]]

    @property
    def note(self) -> str:
        """The card and the day, as charts name them."""
        return f"{self.card}, {self.date}"

    def lines(self, section: str) -> list[str]:
        """The lines of all sections whose heading has these words. Failure: there is none."""
        found = [line for heading, lines in self.sections.items() if section in heading for line in lines]
        if not found:
            raise Failure(f"the record has no section {section}")
        return found

    def rates(self, section: str, heading: str = "") -> dict[str, float]:
        """The rates (GB/s, TFLOP/s) in the first table below a line that matches `heading`, by version: what follows
        the range of its times, or its time where it has no range. Failure: there is no such table."""
        lines = iter(self.lines(section))
        found = any(re.search(heading, line) for line in lines) and any(line.startswith("version ") for line in lines)
        if not found:
            raise Failure(f"section {section} of the record has no table below {heading}")
        rates: dict[str, float] = {}
        for line in lines:
            row = re.match(r"(\S+(?: \S+)*) +[\d.]+(?: +[\d.]+ \.\. +[\d.]+)? +([\d.]+)", line)
            if not row:
                break
            rates[row[1]] = float(row[2])
        return rates


def read(figures: str, name: str = "h200.txt") -> Recorded:
    """The record measured/NAME of the lesson whose draw.py is `figures`."""
    sections: dict[str, list[str]] = {}
    heading = ""
    for line in (Path(figures).parents[1] / "measured" / name).read_text("utf-8").splitlines():
        if line.startswith("--- "):
            heading = line[4:]
        else:
            sections.setdefault(heading, []).append(line)
    machine = sections.get("machine", [])
    date = next((line for line in machine if re.match("20[0-9][0-9]-", line)), "").partition(" ")[0]
    card = next((line for line in machine if line.startswith("NVIDIA")), "").partition(",")[0]
    return Recorded(card, date, sections)

