"""exercise 03 grade|hint|solution|reset|watch: what `make exercise03 ...` does."""
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Optional

from workbook import hints, progress, results
from workbook.exercises import exercise_as_given, exercise_file, exercise_folder, exercise_master, require_file
from workbook.files import require_writable
from workbook.messages import Failure, colour, say


class Exercise:
    """One exercise. `state`: a folder for data about it, including the results for other programs, results.json and results.xml."""

    def __init__(self, number: str) -> None:
        self.number, self.folder = number, exercise_folder(number)
        self.file, self.master = exercise_file(number), exercise_master(number)
        self.state = Path(f"build/exercises/lesson{number}")

    def is_as_given(self) -> bool:
        """Whether the student's file is untouched."""
        return self.file.is_file() and self.file.read_bytes() == exercise_as_given(self.number).encode("utf-8", "surrogateescape")

    # --- grade ---

    def grade(self) -> int:
        """The grader's status. All of its output is on stdout."""
        require_file(self.number)
        require_writable(self.state)
        found = self.state / "results.json"
        if found.exists():
            found.unlink()
        status = self.run_grading()
        graded = results.load(found)
        if graded:
            progress.record(self.number, graded["verdict"])
        if status == 0:
            self.say_passed()
            return 0
        if self.is_as_given():
            say(f"Open {self.file}, do the TODOs, then: make exercise{self.number}")
        say(f"Stuck? make hint{self.number}")
        return status

    def run_grading(self) -> int:
        """As tools/grading/run, but in this process: Python need not start twice. Meanwhile stderr is redirected to stdout."""
        from workbook.grading import front

        sys.stdout.flush()
        os.environ["RESULTS"] = str(self.state)
        before = os.dup(2)
        os.dup2(1, 2)
        try:
            return front.main([self.number, str(self.file)], os.getcwd())
        except SystemExit as end:  # a required command has failed; a signal also ends this one
            if not isinstance(end.code, int) or end.code > 128:
                raise
            return end.code
        finally:
            os.dup2(before, 2)

    def say_passed(self) -> None:
        """Reports the pass, and the next exercise."""
        compare = f" Compare: make exercise{self.number} solution" if self.master.is_file() else ""
        say(colour(32, f"exercise {self.number} passes.") + compare)
        following = progress.next_exercise()
        if following != self.number:
            say(f"Next: make exercise{following}")

    # --- hint ---

    def hint(self) -> int:
        """N=2 shows that tier; without N each call shows the next one. TODO=4 shows only the part about that TODO, and has separate tiers."""
        file, asked, todo = self.folder / "hints.md", os.environ.get("N", ""), os.environ.get("TODO", "")
        if not file.is_file():
            raise Failure(f"exercise {self.number} has no hints.")
        tiers = hints.tiers(file.read_text("utf-8"))
        seen = self.state / ("hint" + (f".todo{todo}" if todo else ""))
        tier = self.tier(asked, seen, len(tiers))
        self.check_todo(todo)
        shown: Optional[list[str]] = hints.about_todo(tiers[tier - 1], int(todo)) if todo else tiers[tier - 1]
        print("\n".join(shown or [tiers[tier - 1][0], ""]), flush=True)
        if shown is None:
            say(f"(this hint does not cover TODO {todo})")
        try:
            self.state.mkdir(parents=True, exist_ok=True)
            seen.write_text(f"{tier}\n")
        except OSError:
            pass  # if nothing can be written, N= still shows the others
        if tier != len(tiers):
            say(f"(hint {tier} of {len(tiers)}; the next one: make hint{self.number}{f' TODO={todo}' if todo else ''})")
        return 0

    def tier(self, asked: str, seen: Path, count: int) -> int:
        """The tier to show. Failure: there is no such tier."""
        if not asked:
            before = seen.read_text().strip() if seen.is_file() else "0"
            asked = str(min(int(before) + 1, count)) if before.isdecimal() else before
        if not (asked.isascii() and asked.isdecimal()) or not 1 <= int(asked) <= count:
            raise Failure(f"N={asked}: the hints are numbered from 1 to {count}.")
        return int(asked)

    def check_todo(self, todo: str) -> None:
        """Failure: there is no such TODO."""
        if not todo:
            return
        count = len(re.findall(r"^.*(?://|#) TODO [0-9]", exercise_as_given(self.number), re.MULTILINE))
        if not re.fullmatch("[1-9][0-9]*", todo, re.ASCII) or int(todo) > count:
            raise Failure(f"TODO={todo}: exercise {self.number} has TODO 1 to {count}.")

    # --- solution, reset ---

    def solution(self) -> int:
        """Prints it without the generator's markers; the student's file is not overwritten."""
        if not self.master.is_file():
            raise Failure("this copy of the workbook has no solutions: ask your teacher.")
        if not progress.has_passed(self.number) and os.environ.get("FORCE") != "1":
            raise Failure(
                "the solution is shown once yours passes: comparing the two is worth more then.",
                f"make hint{self.number}                       helps without giving it away",
                f"make exercise{self.number} solution FORCE=1  shows it all the same",
            )
        mark = "#" if self.file.suffix == ".py" else "//"
        for line in self.master.read_text("utf-8").splitlines():
            line = re.sub(rf"^( *){mark}> ", rf"\1{mark} ", line)
            if not re.match(rf" *{mark}(\||< *$)", line):
                print(line)
        sys.stdout.flush()
        say(f"(this is {self.master}; yours in {self.file} is untouched)")
        return 0

    def reset(self) -> int:
        """Saves the student's work before replacing it."""
        require_writable(self.state)
        given = exercise_as_given(self.number).encode("utf-8", "surrogateescape")
        if self.is_as_given():
            say(f"{self.file} is unchanged: nothing to reset.")
            return 0
        kept = self.keep_backup() if self.file.is_file() else ""
        self.file.write_bytes(given)
        for seen in self.state.glob("hint*"):
            seen.unlink()
        if progress.progress_file().exists():
            progress.replace(self.number, None)
        say(f"{self.file} is reset to its original version.{kept}")
        return 0

    def keep_backup(self) -> str:
        """Uses the first free number. Returns a sentence about it."""
        number = 1
        while (backup := self.file.with_name(f"exercise.backup{number}{self.file.suffix}")).exists():
            number += 1
        try:
            shutil.copyfile(self.file, backup)
        except OSError as error:
            backup.unlink(missing_ok=True)
            raise Failure(f"{backup} cannot be written, so {self.file} stays as it is.") from error
        return f" Yours is kept in {backup}"


def main(arguments: list[str]) -> int:
    """exercise 03 ACTION"""
    number, action = arguments if len(arguments) == 2 else ("", "")
    if action == "watch":
        from workbook import watch

        return watch.main([number])
    actions = {"grade": Exercise.grade, "hint": Exercise.hint, "solution": Exercise.solution, "reset": Exercise.reset}
    if action not in actions:
        raise Failure(f"exercise: unknown action {action}")
    return actions[action](Exercise(number))
