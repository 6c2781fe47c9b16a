"""The glossary: its words are explained by a lesson, and marked where they are first used."""
import re
from typing import NamedTuple

from texts import CODE, pages, read

MARKED = re.compile(r"\*+[^*]+\*+|\[[^]]*\]\(")
DOCUMENTATION = re.compile(r"\[[^]]+\]\(https://[^)\s]+\)")
NO_TEXT = [r"<!--[^>]*-->", r"`[^`]*`", r"!\[[^]]*\]\([^)]*\)", r"<[^>]*>"]


class Word(NamedTuple):
    """A heading, the names in it (the field's term, and in brackets those that pages also use), and the page that explains it."""

    word: str
    names: list[str]
    page: str
    links: int = 1


def words() -> list[Word]:
    """Each heading of the glossary with the first lesson that its text leads to, if any."""
    found = []
    for part in read("GLOSSARY.md").split("\n## ")[1:]:
        leading = re.findall(r"^.*?\((lessons/[a-z0-9_]*/README\.md)", part, re.MULTILINE)
        heading = part.partition("\n")[0]
        names = [name for name in re.split(r" \(|, |\)", heading) if name]
        found.append(Word(heading, names, leading[0] if leading else "", len(leading)))
    return found


def entries() -> list[tuple[str, str]]:
    """Each heading with the text below it."""
    parts = (part.partition("\n") for part in read("GLOSSARY.md").split("\n## ")[1:])
    return [(heading, text.strip()) for heading, _, text in parts]


def running_text(page: str) -> str:
    """A page from its idea on, in lower case: no code, no figures, no comments, no headings."""
    text = read(page).partition("\n## The idea")[2].partition("\n")[2]
    text = re.sub(r"^#.*", "", CODE.sub("", text), flags=re.MULTILINE).replace("\n", " ")
    for pattern in NO_TEXT:
        text = re.sub(pattern, " ", text)
    return " " + re.sub(r"\]\([^)]*\)", "](", text).lower()


def unexplained() -> list[str]:
    """Words whose text links to no lesson, or to several."""
    return [f"GLOSSARY.md: {word.word}" for word in words() if word.links != 1] + (["GLOSSARY.md: it has 40 words and more"] if len(words()) < 40 else [])


def undocumented() -> list[str]:
    """Entries that are not one paragraph, or do not end with the lesson and after it the documentation that defines the term."""
    found = []
    for heading, text in entries():
        if "\n\n" in text:
            found.append(f"GLOSSARY.md: {heading} (one paragraph)")
        after_lesson = text.partition("/README.md)")[2]
        if not DOCUMENTATION.search(after_lesson) or not after_lesson.endswith(")."):
            found.append(f"GLOSSARY.md: {heading} (a link to the documentation, after the lesson's)")
    return found


def undefined() -> list[str]:
    """Terms of field_terms.txt that a page uses and no entry defines. A page that links to an entry that is missing is a broken link."""
    defined = {name.lower() for word in words() for name in word.names}
    terms = [line for line in read("tests/texts/field_terms.txt").split("\n") if line and not line.startswith("#")]
    running = {page: running_text(page) for page in pages()}
    found = []
    for term in terms:
        pattern = re.compile(f"[^a-z_-]{re.escape(term.lower())}(?:s|es)?[^a-z_-]")
        users = [page for page, text in running.items() if pattern.search(text)]
        if users and term.lower() not in defined:
            found.append(f"{users[0]}: {term} (define it in GLOSSARY.md)")
    return found


def same_name_twice() -> list[str]:
    """Names that head two entries, or are in the brackets of one and head another."""
    names = [name.lower() for word in words() for name in word.names]
    return [f"GLOSSARY.md: {name}" for name in sorted(set(names)) if names.count(name) > 1]


def out_of_order() -> list[str]:
    """Words out of order."""
    listed = [(word.word.upper(), word.word) for word in words()]
    return [f"GLOSSARY.md: {after[1]}, after {before[1]}" for before, after in zip(listed, listed[1:]) if after < before]


def unmarked() -> list[str]:
    """Where a word first occurs, it is set in italics or bold, or is a link to the glossary: in the lesson that explains it, and in the first that uses it."""
    found = []
    running = {page: running_text(page) for page in pages()}
    marks = {page: MARKED.sub(lambda span: "~" * len(span[0]), text) for page, text in running.items()}
    for word, names, explained in ((word.word, word.names, word.page) for word in words() if word.page):
        any_name = "|".join(re.escape(name.lower()) for name in names)
        pattern = re.compile(f"[^a-z_-](?:{any_name})(?:s|es)?[^a-z_-]")
        uses = {page: use for page, use in ((page, pattern.search(text)) for page, text in running.items()) if use}
        before = [page for page in uses if page <= explained]
        if explained not in uses:
            found.append(f"{explained}: {word} is not there")
        for page in {*before[:1], explained} & set(uses):
            at = uses[page].start()
            if marks[page][at + 1] != "~":
                found.append(f"{page}: {word} (...{running[page][max(at - 40, 0) : at + 60]}...)")
    return found
