"""first_step.py 03 PRINTED: prints whether the first step of exercise 03 is graded as its head states, as in

    First step: TODO 1 and 2, about ten minutes: the check "saxpy, whole blocks" passes.

The first step is the exercise with these TODOs solved and all others as given. It must compile and pass that check, which the exercise as given must
not pass. PRINTED: the file with what the grading of the exercise as given has printed, by graders.test.sh. (results.json lists no checks where the
verdict is compile_error.)
"""
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from workbook.make_exercise import Converter  # noqa: E402

HEAD = re.compile(r'First step: TODO ([\d, and]+), about ten minutes: the check "(.*?)" passes\.')
SHOWN = 30  # lines of a grading


class Step(NamedTuple):
    """The numbers of the TODOs, and the name of the check."""

    todos: set[int]
    check: str


class Partly(Converter):
    """Makes the exercise with some of its TODOs solved."""

    def __init__(self, master: Path, solved: set[int]) -> None:
        super().__init__(master)
        self.solved = solved

    def convert_line(self, text: str) -> str:
        """In a solved gap the solution's lines are kept, and the given ones left out."""
        inside = self.first_line
        made = super().convert_line(text)
        marked = self.marker.fullmatch(text.strip())
        if not inside or self.count not in self.solved:
            return made
        if not marked:
            return f"{text}\n"
        return "" if marked[1] == "|" else made


def declared(master: str) -> Optional[Step]:
    """The step that the head, which ends before the first TODO, states; its line may be broken."""
    head = re.split(r"TODO 1:", master)[0]
    found = HEAD.search(re.sub(r"\s+(?:\*|#|//)?\s*", " ", head))
    return Step({int(number) for number in re.findall(r"\d+", found[1])}, found[2]) if found else None


def passes(check: str, printed: str) -> bool:
    """Whether a grading that has printed this lists the check as passed; a note in parentheses may follow its name."""
    return re.search(rf"^  ok +{re.escape(check)}(?: \(.*)?$", printed, re.MULTILINE) is not None


def main() -> None:
    """A line for the exercise."""
    number, given = sys.argv[1], Path(sys.argv[2])
    os.chdir(ROOT)
    master = next(Path("solutions").glob(f"lesson{number}_*/solution.*"))
    text = master.read_text("utf-8")
    step, name = declared(text), f"lesson{number} exercise has a first step that is graded"
    if not step:
        print(f"not ok {name}: its head does not state it ({HEAD.pattern})")
        return
    file = given.parent / f"first_step{master.suffix}"
    file.write_text(Partly(master, step.todos).convert(text), "utf-8")
    printed = subprocess.run(["tools/grading/run", number, str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    if passes(step.check, given.read_text("utf-8")):
        print(f'not ok {name}: "{step.check}" passes as given')
    elif passes(step.check, printed):
        print(f"ok {name}")
    else:
        print(f'not ok {name}: "{step.check}" does not pass with it')
        print("\n".join(f"    | {line}" for line in printed.splitlines()[:SHOWN]))


if __name__ == "__main__":
    main()
