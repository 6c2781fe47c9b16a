"""The texts, and the parts of Markdown that the checks examine."""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from workbook.lessons import has_program, lesson_folders, number_of  # noqa: E402 (the line above finds it)

CODE = re.compile(r"^```.*?(?:^```[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
SKIPPED = ("build", "third_party")


def read(path: str) -> str:
    """A file's text, whatever its bytes are."""
    return Path(path).read_text("utf-8", "surrogateescape")


def texts() -> list[str]:
    """Every page in Markdown, except build products and the skeletons of `make new`."""
    found = []
    for folder, below, names in os.walk("."):
        top = folder == "."
        below[:] = [name for name in below if not (top and (name in SKIPPED or name.startswith(".")))]
        if folder == os.path.join(".", "tools", "authoring"):
            below[:] = [name for name in below if not name.startswith("skeleton")]
        found += [os.path.relpath(os.path.join(folder, name)) for name in names if name.endswith(".md")]
    return sorted(found)


def pages() -> list[str]:
    """Every lesson's page, in order."""
    return [f"{folder}/README.md" for folder in lesson_folders()]


def numbers() -> list[str]:
    """The lessons that have a program: 11 and 11b, and not 03b."""
    return [number_of(folder) for folder in lesson_folders() if has_program(folder)]


def anchors(text: str) -> set[str]:
    """Headings as GitHub makes anchors of them, and anchors that a page sets itself: `<a id="...">`."""
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    own = re.findall(r'<a id="([^"]*)">', CODE.sub("", text))
    return {re.sub(r"[^a-z0-9_-]", "", heading.lower().replace(" ", "-")) for heading in plain} | set(own)


def links(text: str) -> list[str]:
    """The links of a text to files; text in code does not count, and ../../actions/ is a GitHub page about the repository."""
    text = re.sub("`[^`\n]*`", "", CODE.sub("", text)).replace("\n", " ")
    return sorted({link for link in re.findall(r"\]\(([^)]*)\)", text) if not re.match(r"[a-z]*:|\.\./\.\./actions/", link)})


def paragraph(text: str, begin: str) -> str:
    """The text from the line with that beginning to the next empty one; nothing if there is none."""
    found = re.search(rf"^{re.escape(begin)}.*\n(?:.+\n)*", text, re.MULTILINE)
    return found[0] if found else ""
