"""generator.py FOLDER: what must hold of each lesson's notebook, whatever its page says. FOLDER holds the committed ones."""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "notebooks"))
from lesson_notebook import Lesson, Notebook, lesson_numbers, notebook_text  # noqa: E402
from lesson_page import Code, PageError, read_page  # noqa: E402


def check(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


def lines_of(text):
    return [line for line in text.split("\n") if line.strip()]


def put_together(lesson, code, folder):
    """A cell's source with the includes of its gaps resolved: the compiler's view of it."""
    lesson.program.write_gaps(code.shown, folder)
    lines = []
    for line in Notebook(lesson, False).source_of(code).split("\n"):
        gap = re.match(rf'#include "lesson{lesson.number}/(\S+)"', line)
        lines += (folder / gap.group(1)).read_text().split("\n")[1:] if gap else [line]
    return "\n".join(lines)


def check_cells_are_the_program(lesson):
    wrong = []
    for code in (part for part in lesson.parts() if isinstance(part, Code) and part.shown):
        with tempfile.TemporaryDirectory() as folder:
            if lines_of(put_together(lesson, code, Path(folder))) != lines_of("\n".join(lesson.program.lines)):
                wrong.append(" ".join(code.shown))
    check(f"lesson {lesson.number}: each cell and its includes are the program", not wrong, f"not so: {wrong}")


def check_page_is_complete(lesson, cells):
    """Every line of the page is there, but for markers, links, and the commands that have become cells."""
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    page = re.sub(r"<!-- notebook:.*?-->", "", lesson.page, flags=re.DOTALL)
    page = re.sub(r"^```\nmake .*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    known = set(lines_of(re.sub(r"\]\([^)]*\)", "]", text)))
    lost = [line for line in lines_of(re.sub(r"\]\([^)]*\)", "]", page)) if line not in known]
    check(f"lesson {lesson.number}: the notebook has the whole page", not lost, f"lost: {lost[:3]}")


def check_links(lesson, cells):
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:|#", t)]
    missing = [t for t in targets if not (lesson.folder.parents[1] / "notebooks" / t.split("#")[0]).exists()]
    check(f"lesson {lesson.number}: the notebook's links lead somewhere", targets and not missing, f"{missing or 'it has none'}")


def check_form(number, cells):
    ids = [cell["id"] for cell in cells]
    good = all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", i) for i in ids) and len(set(ids)) == len(ids)
    check(f"lesson {number}: cells have ids of their own", good, f"{ids}")
    kept = [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]
    check(f"lesson {number}: no outputs are kept", not kept, f"in {kept}")


def check_committed(lesson, folder):
    name = f"lesson {lesson.number}: the committed notebook is the one that its sources make"
    path = folder / f"{lesson.folder.name}.ipynb"
    again = f"make it again: python3 tools/notebooks/make.py {folder.name} {lesson.number}"
    if not path.exists():
        check(name, False, f"{path.name} is not there; {again}")
        return []
    check(name, path.read_text() == notebook_text(lesson.number, False), f"{path.name} differs; {again}")
    return json.loads(path.read_text())["cells"]


def check_refusal(name, page, expected):
    lesson = Lesson(lesson_numbers()[0])
    try:
        code = [part for part in read_page(page, lesson.program, lesson.number) if isinstance(part, Code)][0]
        lesson.program.pieces(code.shown)
    except (KeyError, PageError) as error:
        check(name, expected in str(error), f"it says: {error}")
        return
    check(name, False, "it is taken")


def main(folder):
    for number in lesson_numbers():
        lesson = Lesson(number)
        cells = check_committed(lesson, folder)
        check_cells_are_the_program(lesson)
        if cells:
            check_form(number, cells)
            check_page_is_complete(lesson, cells)
            check_links(lesson, cells)
    first = lesson_numbers()[0]
    check_refusal("a marker with a name that the program lacks", "<!-- notebook: no_such_kernel -->", "no_such_kernel")
    check_refusal("a marker with a command for a terminal", f"<!-- notebook: make lesson{first} test -->", "cannot do this")


main(Path(sys.argv[1]))
