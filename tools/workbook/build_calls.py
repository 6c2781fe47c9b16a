"""build_calls 03: builds the files that exercise 03 is linked with for calls outside of a grading, and prints three files: the object with main()
(tools/grading/call_exercise.cpp), the calls that it makes, and the grader, which may name an architecture."""
import sys
from pathlib import Path

from workbook import build_judge, configuration
from workbook.exercises import exercise_file, exercise_folder, exercise_suffix, require_called
from workbook.messages import Failure


def build(number: str) -> list[Path]:
    """The three files. Failure: a cell of CUDA C cannot hold the exercise, or it launches no kernel."""
    if exercise_suffix(number) != "cu":
        raise Failure(
            f"exercise {number} is called from Python, and this is for exercises in CUDA C. make exercise{number} grades it;",
            f"make exercise{number} run, sanitize, profile and view call what is in {exercise_file(number)}.",
        )
    require_called(number)
    build_judge.build(number, configuration.load(), calls=True)
    return [Path(build_judge.BIN, "call_exercise.o"), Path(build_judge.BIN, f"{number}.jobs"), exercise_folder(number) / "grader.cpp"]


def main(arguments: list[str]) -> int:
    """build_calls 03"""
    if len(arguments) != 1:
        print("usage: build_calls 03", file=sys.stderr)
        return 2
    for path in build(arguments[0]):
        print(path)
    return 0
