"""make.py [--solved] FOLDER [NUMBER...]: writes the lessons' notebooks into FOLDER and prints their paths."""

import sys
from pathlib import Path

from lesson_notebook import Lesson, lesson_numbers, notebook_text
from lesson_page import PageError
from lesson_program import write_if_changed


def main(arguments):
    solved = "--solved" in arguments
    folder, *numbers = [word for word in arguments if word != "--solved"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number in numbers or lesson_numbers():
        lesson = Lesson(number)
        if solved and not lesson.master.exists():
            sys.exit(f"{lesson.master} is not there: without solutions/ there is no solved notebook.")
        path = Path(folder) / f"{lesson.folder.name}.ipynb"
        write_if_changed(path, notebook_text(number, solved))
        print(path)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except PageError as error:
        sys.exit(f"{error}")
