"""python3 tests/texts: checks that the texts are consistent; a line for each check, as counted by tests/run. See tests/texts.test.sh."""
import os
import re
from collections.abc import Callable
from pathlib import Path

import glossary
import layout
from texts import CODE, ROOT, anchors, links, numbers, pages, paragraph, read, texts
from workbook.lessons import lesson_folders, number_of
from workbook.minutes import wrong_minutes
from workbook.needs import all_needs

SHOWN = 40  # findings of one check
LESSONS = re.compile(r"[Ll]essons? +\d\d(?:(?:, and|,| and| or| to) \d\d)*")
SOURCES = ("common", "emulator", "tools", "tests", "lessons", "solutions", "notebooks", "bench")
LISTED = tuple((page, page, "") for page in ("tools/grading", "tools/jail", "tools/notebooks", "tools/workbook"))
LISTED += (("tools/workbook", "tools/workbook/grading", "grading/"),)  # page, folder, prefix of its names
ROWS = {"## A day": (2, 4), "## A week": (3.25, 4.5), "## A term": (0, 5)}  # hours of a row of MAP.md: as long as the words above its table promise
LISTED_SUFFIXES = (".c", ".h", ".cpp", ".py")
SOURCE_SUFFIXES = (".c", ".h", ".cu", ".cpp", ".sh", ".py")


def broken_links() -> list[str]:
    """Links to files or headings that do not exist."""
    found = []
    headings = {text: anchors(read(text)) for text in texts()}
    for text in headings:
        for link in links(read(text)):
            name, hash_mark, heading = link.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(text), name)) if name else text
            if not os.path.exists(file):
                found.append(f"{text}: {link}")
            elif hash_mark and heading not in (headings[file] if file in headings else anchors(read(file)) if os.path.isfile(file) else ()):
                found.append(f"{text}: {link} (no such heading)")
    return found


def not_called_planned() -> list[str]:
    """Lessons that do not exist and are not called planned: checked by paragraph, and in a list by point."""
    found, known = [], set(numbers())
    programs = [path for top, suffix in (("lessons", "cu"), ("lessons", "h"), ("solutions", "cu")) for path in sorted(Path(top).glob(f"*/*.{suffix}"))]
    for text in [*texts(), *map(str, programs)]:
        units = re.split(r"\n{2,}", re.sub(r"^(?=- |\d\. )", "\n", read(text), flags=re.MULTILINE))
        for unit in units:
            for named in LESSONS.findall(re.sub(r"[*\n]+", " ", unit)) if "planned" not in unit.lower() else ():
                missing = [number for number in re.findall(r"\d+", named) if number not in known]
                found += [f"{text}: {named} (there is no lesson {number} yet: planned?)" for number in missing]
    return found


def wrong_next() -> list[str]:
    """Pages whose "Read next" does not name the next lesson; the next lesson also follows a further exercise, 03b."""
    found = []
    for page in pages():
        number = number_of(Path(page).parent)
        following = [other for other in numbers() if other > number][:1]
        after = re.search(r"^## Read next.*", read(page), re.DOTALL | re.MULTILINE)
        for other in following:
            if not after or not re.search(rf"\]\(\.\./lesson{other}_[a-z0-9_]*/README\.md\)", after[0]):
                found.append(f"{page}: lesson {other} is next")
    return found


def wrong_paths() -> list[str]:
    """A path lists the prerequisites of each lesson before it, and the lesson of each exercise; it takes as long as it promises; the last one has all."""
    found, lessons = [], {lesson.number: lesson for lesson in all_needs()}
    read_in, done_in = [], []
    for part in read("MAP.md").split("\n## ")[1:]:
        path, seen, done = "## " + part.partition("\n")[0], set[str](), set[str]()
        for row in re.findall(r"^\| .*lessons/lesson.*", part, re.MULTILINE):
            cells = row.split("|")
            for number, name in re.findall(r"lessons/lesson(\d\d[a-z]?)_([a-z0-9_]*)", cells[2]):
                if number not in lessons or lessons[number].name != name:
                    found.append(f"{path}: lesson {number} has another name")
                needs = lessons[number].needs if number in lessons else []
                found += [f"{path}: lesson {number} needs lesson {need}" for need in needs if need not in seen]
                seen.add(number)
            exercises = re.findall(r"lessons/lesson(\d\d[a-z]?)_", cells[3])
            found += [f"{path}: exercise {number} is done before its lesson is read" for number in exercises if number not in seen]
            done |= set(exercises)
            shortest, longest = ROWS.get(path, (0, 24))
            if not 60 * shortest <= int(cells[4]) <= 60 * longest:
                found.append(f"{path}: {cells[1].strip()} takes {cells[4].strip()} minutes, not {shortest} to {longest} hours")
        if re.search("^In all ", part, re.MULTILINE):
            read_in.append(seen)
            done_in.append(done)
    if len(read_in) != 3 or not read_in[-1] == done_in[-1] == set(lessons):
        found.append(f"{len(read_in)} paths; of {len(lessons)} lessons the last has {[len(some[-1]) for some in (read_in, done_in) if some]}")
    return found + (["a page does not say what it needs"] if len(lessons) != len(numbers()) else [])


def around_cells() -> list[str]:
    """Sentences that continue around a command on a separate line: it becomes a cell of the notebook, with its output below."""
    found = []
    for page in pages():
        cells = re.finditer(r"^```[^\n]*\nmake [^\n]*\n```[^\n]*\n(?:(?:[ \t]*|<!--[^\n]*)\n)*([a-z][^\n]*)", read(page), re.MULTILINE)
        opens = {match.start() for match in CODE.finditer(read(page))}
        found += [f"{page}: {cell[1]}" for cell in cells if cell.start() in opens]
    return found


def open_folds() -> list[str]:
    """Folded text begins and ends in separate lines, or neither GitHub nor a notebook folds it."""
    found = []
    for text in texts():
        code, folds = False, 0
        for position, line in enumerate(read(text).split("\n"), 1):
            code ^= line.startswith("```")
            if code:
                continue
            if line.startswith("<details>"):
                found += [f"{text}:{position}: a fold in a fold"] * (folds > 0)
                folds += 1
            if "</details>" in line:
                if folds != 1 or not (line == "</details>" or line.startswith("<details>")):
                    found.append(f"{text}:{position}: {line}")
                folds -= 1
        found += [f"{text}: a fold is not closed"] * (folds != 0)
    return found


def wrong_syllabus() -> list[str]:
    """35 lessons, each of them existing or planned, and none of them both or twice. There may be more, and parts such as 11b."""
    page = read("README.md")
    rows = re.findall(r"^\| \[(\d\d[a-z]?) ", page, re.MULTILINE)
    named = rows + re.findall(r"(?:^| )(\d\d) [a-z]", paragraph(page, "Planned"), re.MULTILINE)
    found = [f"lesson {number} is not named" for number in (f"{number:02d}" for number in range(1, 36)) if number not in named]
    found += sorted({f"lesson {number} is named twice" for number in named if named.count(number) > 1})
    return found + ([f"the rows are {' '.join(rows)}"] if rows != [number_of(folder) for folder in lesson_folders()] else [])


def left_to_write() -> list[str]:
    """FILL IN, in files that make new has created."""
    found = []
    files = [Path("README.md"), Path("TEACHING.md")]
    files += [path for top in ("lessons", "solutions", "tests/lessons/change_it") for path in sorted(Path(top).rglob("*")) if path.is_file()]
    for path in files:
        if b"FILL IN" in path.read_bytes():
            lines = enumerate(read(str(path)).split("\n"), 1)
            found += [f"{path}:{position}:{line}" for position, line in lines if "FILL IN" in line]
    return found


def sources() -> list[str]:
    """The other files, besides the texts, to which replaced_words.txt applies."""
    found = []
    for top in SOURCES:
        for folder, below, names in os.walk(top):
            below[:] = [name for name in below if name != "build"]
            found += [os.path.join(folder, name) for name in names if name.endswith(SOURCE_SUFFIXES)]
    return sorted(path for path in found if not os.path.islink(path))


def unlisted_files() -> list[str]:
    """Sources that the README of their folder does not name: it lists where each decision is made. A module is named without its suffix."""
    found = []
    for page, folder, below in LISTED:
        names = set(re.findall("`([^`\n]+)`", read(f"{page}/README.md")))
        for path in sorted(Path(folder).iterdir()):
            name = below + (path.stem if page == "tools/workbook" else path.name)
            header = path.suffix == ".h" and any(path.with_suffix(suffix).exists() for suffix in (".c", ".cpp"))
            if path.suffix in LISTED_SUFFIXES and not path.name.startswith("__") and not header and name not in names:
                found.append(f"{page}/README.md: {path}")
    return found


def replaced_words() -> list[str]:
    """Words that the field's terms have replaced, with those terms."""
    listed = [line.split("\t") for line in read("tests/texts/replaced_words.txt").split("\n") if line and not line.startswith("#")]
    any_word = re.compile("|".join(f"(?:{word})" for word, _ in listed), re.MULTILINE)
    found = []
    for path in [text for text in texts() if text != "CONTRIBUTING.md"] + sources() + ["Makefile", "emulator/Makefile"]:
        text = read(path)
        for position, line in enumerate(text.split("\n"), 1) if any_word.search(text) else ():
            found += [f"{path}:{position}:{line} (say: {instead})" for word, instead in listed if re.search(word, line)]
    return found


CHECKS: list[tuple[str, Callable[[], list[str]]]] = [
    ("every link leads somewhere", broken_links),
    ("lessons that do not exist are called planned", not_called_planned),
    ("'Read next' leads to the next lesson that exists", wrong_next),
    ("lessons take the minutes of the formula wherever they are stated, and rest (python3 tools/workbook minutes --write)", wrong_minutes),
    ("the paths of the map have what their lessons need", wrong_paths),
    ("no sentence goes around a cell", around_cells),
    ("every fold is opened and closed", open_folds),
    ("the syllabus has 35 lessons, those that exist and those that are planned", wrong_syllabus),
    ("what make new has left to be written is written", left_to_write),
    ("each word of the glossary names the lesson that explains it", glossary.unexplained),
    ("each word of the glossary is a paragraph that ends with the lesson and the documentation", glossary.undocumented),
    ("no two words of the glossary have the same name", glossary.same_name_twice),
    ("the field's terms that pages use are in the glossary", glossary.undefined),
    ("the glossary is in order", glossary.out_of_order),
    ("the glossary's words are marked where they are first used", glossary.unmarked),
    ("the code of each version is on its page", layout.versions_without_code),
    ("a table of more than eight rows or six columns is folded", layout.large_tables),
    ("at most two numbers of a table are bold", layout.many_marks),
    ("a folder's README names each of its files", unlisted_files),
    ("no word of replaced_words.txt is used", replaced_words),
]


def main() -> None:
    """Runs all checks in the workbook's root."""
    os.chdir(ROOT)
    for name, check in CHECKS:
        found = check()
        print(f"not ok {name}: {len(found)} found:" if found else f"ok {name}")
        for line in found[:SHOWN]:
            print(f"    | {line}".encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


main()
