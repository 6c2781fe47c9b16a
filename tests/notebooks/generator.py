"""generator.py FOLDER: what must hold of each lesson's notebook, whatever its page says. FOLDER holds the committed ones."""

import base64
import json
import re
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "notebooks"))
from lesson_notebook import Lesson, Notebook, lesson_numbers, notebook_text  # noqa: E402
from lesson_page import Code, PageError, read_page  # noqa: E402
from markdown_blocks import blocks_of  # noqa: E402
from workbook.pages import FENCE  # noqa: E402


def check(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


def lines_of(text):
    return [line for line in text.split("\n") if line.strip()]


def put_together(lesson, code, folder):
    """A cell's source with the includes of its gaps resolved: the compiler's view of it."""
    lines, source = [], Notebook(lesson, False).source_of(code)
    lesson.program.write_gaps(source, folder)
    for line in source.split("\n"):
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


def check_pieces_end_their_conditions(lesson):
    """A header must: an #if that begins in one piece and ends in another would be an error of the compiler's."""
    open_ones = set()
    for code in (part for part in lesson.parts() if isinstance(part, Code) and part.shown):
        for piece in lesson.program.pieces(code.shown):
            text = "\n".join(lesson.program.lines[piece[1] : piece[2]]) if isinstance(piece, tuple) else piece.text
            begun, ended = (len(re.findall(rf"^[ \t]*#[ \t]*{word}", text, re.MULTILINE)) for word in ("if", "endif"))
            if begun != ended:
                open_ones.add(piece[0] if isinstance(piece, tuple) else piece.names[0])
    check(f"lesson {lesson.number}: each piece ends the conditions that it begins", not open_ones, f"not so: {sorted(open_ones)}")


def check_page_is_complete(lesson, cells):
    """Every line of the page is there, but for markers, links, the commands that have become cells, and kernels that the cells show."""
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    shown = re.compile(r"<!-- code: [^\n]*-->\n```\w*\n(.*?)```\n", re.DOTALL)
    page = shown.sub(lambda block: "" if block.group(1) in code + "\n" else block.group(), lesson.page)
    page = re.sub(r"<!-- (?:notebook|code|diff):.*?-->", "", page, flags=re.DOTALL)
    page = re.sub(r"^```\nmake .*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    page = "\n".join(line for line in page.split("\n") if not line.startswith("|"))
    known = set(lines_of(re.sub(r"\]\([^)]*\)", "]", text)))
    lost = [line for line in lines_of(re.sub(r"\]\([^)]*\)", "]", page)) if line not in known]
    check(f"lesson {lesson.number}: the notebook has the whole page", not lost, f"lost: {lost[:3]}")


def tables_of(text):
    """Tables as lists of rows without spaces; the line below the heading is left out."""
    tables = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    return [[re.sub(r" *\| *", "|", row.strip()) for row in table.split("\n") if row and not re.match(r"[|: -]+$", row)] for table in tables]


def check_tables(lesson, cells):
    """No table is missing. One that asks for a prediction is split: first the questions, then, folded and after the run, the answers."""
    own = tables_of(re.sub(r"\]\([^)]*\)", "]", lesson.page))
    texts = ["".join(cell["source"]) if cell["cell_type"] == "markdown" else "" for cell in cells]
    found = {name: tables_of(re.sub(r"\]\([^)]*\)", "]", text)) for name, text in zip((cell["id"] for cell in cells), texts)}
    every = [table for tables in found.values() for table in tables]
    lost = [table[0] for table in own if "predict" not in table[0] and table not in every]
    asked = [table for table in own if "predict" in table[0]]
    questions = [name for name in found if re.fullmatch(r"predict(-\d+)?", name)]
    check(f"lesson {lesson.number}: the notebook has all tables", not lost and len(asked) == len(questions), f"lost: {lost}")
    ids = list(found)
    run = ids.index("program") if "program" in ids else -1
    if lesson.program.lines:
        good = {"predict", "answers"} <= set(ids) and ids.index("predict") < run < ids.index("answers")
        check(f"lesson {lesson.number}: the first run comes after the prediction", good, f"{ids[:8]}")
    else:
        good = {"predict", "answers"} <= set(ids) and ids.index("predict") < ids.index("answers") and run < 0
        check(f"lesson {lesson.number}: the answers come after the prediction", good, f"{ids[:8]}")
    wrong = []
    for table, name in zip(asked, questions):
        folded = [text for text in texts[ids.index(name) :] if text.startswith("<details>") and "|" in text][:1]
        asked_first = re.sub(r"\|(predict[^|]*\|)+$", "", found[name][0][0])
        if "counted" in asked_first or "predict" in asked_first or not folded or "predict:" in folded[0]:
            wrong.append(name)
        numbers = {cell for row in table[1:] for cell in row.split("|")}
        if not numbers <= {cell for name in found if re.match("predict|answers", name) for t in found[name] for row in t for cell in row.split("|")}:
            wrong.append(f"{name}: numbers")
    check(f"lesson {lesson.number}: what is asked and what is answered stand apart", not wrong, f"{wrong}")


def check_figures(lesson, cells):
    """The pictures are in the notebook itself, each in a separate cell, and are the page's."""
    names = re.findall(r"\]\(figures/([^)]*)\.svg\)", lesson.page)
    texts = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"}
    data = re.findall(r"!\[[^]]*\]\(data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)\)", "\n".join(texts.values()))
    decoded = [base64.b64decode(text).decode() for text in data]
    roots = [ElementTree.fromstring(svg).tag for svg in decoded]
    good = len(names) == len(roots) and all(tag.endswith("}svg") for tag in roots)
    check(f"lesson {lesson.number}: its figures are in the notebook", good, f"{len(roots)} of {len(names)}")
    left = [name for name, text in texts.items() if re.search(r"\]\([^)]*figures/", text)]
    check(f"lesson {lesson.number}: no figure is looked for beside it", not left, f"in {left}")
    words = [lesson.folder / "figures" / f"{name}.svg" for name in names]
    same = [re.sub(r"\s+", "", "".join(ElementTree.fromstring(svg).itertext())) for svg in decoded]
    wanted = [re.sub(r"\s+", "", "".join(t for e in ElementTree.parse(path).iter() if not re.search("title|desc", e.tag)
                                        for t in [e.text or "", *(child.tail or "" for child in e)])) for path in words]  # fmt: skip
    check(f"lesson {lesson.number}: and have all their words", [sorted(t) for t in same] == [sorted(t) for t in wanted], "some are lost")


def check_sentences(lesson, cells):
    cut = [cell["id"] for cell, before in zip(cells[1:], cells) if before["cell_type"] == "code" and re.match(r"[a-z]", cell["source"][0])]
    cut = [name for name in cut if name in {cell["id"] for cell in cells if cell["cell_type"] == "markdown"}]
    check(f"lesson {lesson.number}: no cell stands in the middle of a sentence", not cut, f"before {cut}")


def check_links(lesson, cells):
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    text = FENCE.sub("", text)  # a lambda of C++ looks like a link
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


# A line of dots ends a block.
BLOCKS = """\
# Title
..
A paragraph
of two lines.
..
~~~
a fence

of two
~~~
..
<details><summary>Folded</summary>

| a | b |
|---|---|

```
</details> in a fence
```

</details>
..
<!-- notebook: none -->
```
make lesson01 run
```
..
- a list

  of one block"""


# The cell that follows shows all of the kernel; of a diff or of another function it does not.
EXCERPTS = """\
## Versions

**{kernel}** is explained.

<!-- code: {file} {kernel} -->
```cuda
the kernel
```

<!-- code: {file} other -->
```cuda
a helper
```

<!-- diff: {file} other {kernel} -->
```diff
+a change
```
"""


def check_excerpts():
    lesson = Lesson(lesson_numbers()[0])
    kernel = next(item.names[0] for item in lesson.program.items if item.is_kernel)
    parts = read_page(EXCERPTS.format(file=lesson.program.path.name, kernel=kernel), lesson.program, lesson.number)
    text = parts[0].text
    check("a kernel that the next cell shows is not there twice", "the kernel" not in text, text)
    check("helpers and diffs stay", "a helper" in text and "+a change" in text, text)
    check("their markers do not", "<!--" not in text, text)


def check_blocks():
    found = blocks_of(BLOCKS.replace("\n..\n", "\n\n\n"))
    check("a page is cut into its blocks", found == BLOCKS.split("\n..\n"), f"{found}")


def main(folder):
    check_blocks()
    check_excerpts()
    for number in lesson_numbers():
        lesson = Lesson(number)
        cells = check_committed(lesson, folder)
        check_cells_are_the_program(lesson)
        check_pieces_end_their_conditions(lesson)
        if cells:
            check_form(number, cells)
            check_page_is_complete(lesson, cells)
            check_tables(lesson, cells)
            check_figures(lesson, cells)
            check_sentences(lesson, cells)
            check_links(lesson, cells)
    first = lesson_numbers()[0]
    check_refusal("a marker with a name that the program lacks", "<!-- notebook: no_such_kernel -->", "no_such_kernel")
    check_refusal("a marker with a command for a terminal", f"<!-- notebook: make lesson{first} test -->", "cannot do this")


main(Path(sys.argv[1]))
