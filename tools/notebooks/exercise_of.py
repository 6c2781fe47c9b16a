"""exercise_of.py NOTEBOOK 03: prints the exercise that a notebook holds, the last cell that begins with %%nvcc --grade 03, or, without one,
with %%nvcc --exercise 03. Lines keep their numbers in the cell. With no such cell it prints nothing and ends with status 1."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def exercise_suffix(folder):
    """The exercise's language; equivalent to the function of this name in tools/workbook/exercises.py."""
    grader = folder / "grader.py"
    if not grader.exists():
        return "cu"
    return "cpp" if "# exercise: exercise.cpp" in grader.read_text().split("\n") else "py"


def exercise_of(notebook, number):
    """The cell that grades the exercise, or else one that uses it, for example to profile it, which counts as well."""
    return exercise_after("--grade", notebook, number) or exercise_after("--exercise", notebook, number)


def exercise_after(option, notebook, number):
    first = re.compile(rf"\s*%%(nvcc|cuda)\b[^\n]*{option}[ =]+0*{number.lstrip('0')}\b[^\n]*")
    for cell in reversed(notebook.get("cells", [])):
        source = "".join(cell.get("source", []))
        if cell.get("cell_type") == "code" and first.match(source):
            folder = next(ROOT.glob(f"lessons/lesson{number}_*"), ROOT)
            comment = "#" if exercise_suffix(folder) == "py" else "//"
            return first.sub(lambda line: "\n" * line.group().count("\n") + f"{comment} %%nvcc", source, count=1) + "\n"
    return None


def main(path, number):
    try:
        with open(path, encoding="utf-8") as file:
            found = exercise_of(json.load(file), number)
    except (ValueError, AttributeError, TypeError) as error:
        sys.exit(f"{path} is not a notebook: {error}")
    if found is None:
        sys.exit(f"{path} has no cell that begins with %%nvcc --grade {number}")
    sys.stdout.write(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
