"""generate 11: regenerates the files that are made from other files of lesson 11, after changes to those: its exercise from the solution (yours is
overwritten), and the notebooks from pages, programs and exercises."""
import subprocess
import sys

from workbook.exercises import exercise_file, exercise_master
from workbook.make_exercise import MasterError, exercise_of
from workbook.messages import Failure


def generate(number: str) -> None:
    """Writes the exercise and the notebooks. Failure: the solution's gaps are not marked as they must be."""
    try:
        exercise = exercise_of(exercise_master(number))
    except MasterError as error:
        raise Failure(str(error)) from None
    exercise_file(number).write_text(exercise, "utf-8")
    made = subprocess.run([sys.executable, "tools/notebooks/make.py", "notebooks"], stdout=subprocess.DEVNULL)
    if made.returncode:
        raise Failure("the notebooks cannot be made: see above.")


def main(arguments: list[str]) -> int:
    """One argument, the lesson's number."""
    if len(arguments) != 1:
        raise Failure("usage: python3 tools/workbook generate 11")
    generate(arguments[0])
    return 0
