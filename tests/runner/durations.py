"""The duration of each run of a suite: lines of `seconds, seconds of processor time, name`, the longest first.

build/tests/durations is this machine's record. In a fresh clone tests/durations.txt is the record.
"""
import re
from pathlib import Path
from typing import NamedTuple

HERE = Path("build/tests/durations")
COMMITTED = Path("tests/durations.txt")
LINE = re.compile(r"^(\d+) (\d+) (.+)$", re.MULTILINE)
UNKNOWN = 60  # seconds: a suite that has never run may take long


class Duration(NamedTuple):
    """Seconds of wall-clock time, and of processor time."""

    wall: int
    cpu: int

    @property
    def cost(self) -> int:
        """The sort key of a job: waiting takes time, and so does computing with several processes."""
        return max(self.wall, self.cpu)


def read() -> dict[str, Duration]:
    """The record: a duration for each name. Other lines are skipped."""
    path = HERE if HERE.exists() else COMMITTED
    lines = LINE.findall(path.read_text("utf-8")) if path.exists() else []
    return {name: Duration(int(wall), int(cpu)) for wall, cpu, name in lines}


def keep(new: dict[str, Duration]) -> None:
    """Writes the record, with these replacing older ones."""
    record = {**read(), **new}
    lines: list[str] = [f"{one.wall} {one.cpu} {name}" for name, one in sorted(record.items(), key=lambda item: (-item[1].cost, item[0]))]
    HERE.parent.mkdir(parents=True, exist_ok=True)
    HERE.write_text("\n".join(lines) + "\n", "utf-8")
