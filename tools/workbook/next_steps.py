"""next_steps lesson03: what to do after a lesson is built."""
from workbook.lessons import lesson_folder
from workbook.messages import colour, say


def main(arguments: list[str]) -> int:
    """Prints it on stderr."""
    lesson = arguments[0]
    number = lesson[len("lesson") :]
    folder = lesson_folder(number)
    say(f"built {colour(1, f'build/lessons/{lesson}')}. Next:")
    say(f"  read {folder}/README.md")
    say(f"  make {lesson} run           run every version and verify it against the CPU")
    say(f"  make {lesson} profile       profile it, line by line")
    for suffix in ("cu", "py", "cpp"):
        exercise = folder / f"exercise.{suffix}"
        if exercise.exists():
            say(f"  make exercise{number}             grade your work in {exercise}")
    return 0
