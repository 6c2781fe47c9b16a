"""The exercises and the paths of their files, even if a student has lost exercise.cu.

exercises 03: prints the file of exercise 03, if it exists and has kernels that a tool can watch.
"""
import sys
from pathlib import Path

from workbook.lessons import lesson_folders, number_of
from workbook.make_exercise import exercise_of
from workbook.messages import Failure


def has_exercise(folder: Path) -> bool:
    """Whether a lesson's folder has an exercise: its file, hints or solution exists."""
    files = [folder / name for name in ("exercise.cu", "exercise.py", "exercise.cpp", "hints.md")]
    return any(file.is_file() for file in [*files, Path("solutions") / folder.name / "solution.cu"])


def exercise_numbers() -> list[str]:
    """01, 02, 03, 03b, ..."""
    return [number_of(folder) for folder in lesson_folders() if has_exercise(folder)]


def exercise_folder(number: str) -> Path:
    """lessons/lesson03_relu. Failure: there is no such exercise."""
    for folder in lesson_folders():
        if number_of(folder) == number and has_exercise(folder):
            return folder
    raise Failure(f"there is no exercise {number}. There are: {' '.join(exercise_numbers())}")


def exercise_suffix(number: str) -> str:
    """The exercise's language as a file suffix: cu; for a grader in Python py, unless that contains `# exercise: exercise.cpp`."""
    grader = exercise_folder(number) / "grader.py"
    if not grader.is_file():
        return "cu"
    return "cpp" if "# exercise: exercise.cpp" in grader.read_text("utf-8").split("\n") else "py"


def exercise_file(number: str) -> Path:
    """The student's file."""
    return exercise_folder(number) / f"exercise.{exercise_suffix(number)}"


def require_file(number: str) -> Path:
    """The student's file. Failure: it is missing."""
    file = exercise_file(number)
    if not file.is_file():
        raise Failure(f"{file} does not exist. make exercise{number} reset restores the original.")
    return file


def require_called(number: str) -> None:
    """Failure: the exercise launches no kernel that a tool could watch."""
    folder = exercise_folder(number)
    grader, calls = folder / "grader.cpp", folder / "calls.py"
    if grader.is_file():
        if "FUNCTION(" not in grader.read_text("utf-8"):
            raise Failure(f"exercise {number} has no kernel of yours: its file is not compiled. make exercise{number} grades it.")
    elif calls.is_file() and "\nFORKS = True" in "\n" + calls.read_text("utf-8"):
        raise Failure(f"exercise {number} launches no kernel: its compiler is the grader's. make exercise{number} grades it.")


def exercise_master(number: str) -> Path:
    """The complete solution with the gaps marked. A student's copy of the workbook does not have it."""
    return Path("solutions") / exercise_folder(number).name / f"solution.{exercise_suffix(number)}"


def exercise_as_given(number: str) -> str:
    """The exercise as handed out: from its master, or from the original kept in a student's copy. Failure: neither exists."""
    master = exercise_master(number)
    kept = Path("tools/given") / f"{exercise_folder(number).name}.{exercise_suffix(number)}"
    if master.is_file():
        return exercise_of(master)
    if kept.is_file():
        return kept.read_text("utf-8")
    raise Failure(f"neither {master} nor {kept} exists, so exercise {number} cannot be restored.")


def main(arguments: list[str]) -> int:
    """exercises 03"""
    if len(arguments) != 1:
        print("usage: exercises 03", file=sys.stderr)
        return 2
    require_called(arguments[0])
    print(require_file(arguments[0]))
    return 0
