r"""The items of a lesson to record: measured/record.list, one per line, in shell words, with comments after #.

    run lesson10 SEED=1                        a program with variables of the environment: the section "lesson10 SEED=1"
    run calls --version 3 timeout=60           with arguments; ended after 60 s instead of 120
    build loads4 lesson10.cu "LOADS = 8" "LOADS = 4"          another program: NAME SOURCE, then what is replaced by what (\n: a new line)
    build once measured/once.cu ptx=80 code=90a -DFAST        compute capabilities of its PTX and machine code; options of nvcc
    ncu lesson10 SIZE=1024 kernels=^sum each=1 METRIC...      ncu's counts of the first launch of each kernel that fits
    ncu lesson09 kernels=^hist each=25 section="25" METRIC...  of the 25th launch of each
    ncu once kernels=norm launches=4 METRIC...                of the first four launches that fit; a further launch is "kernel #2"
    sanitize lesson10 SIZE=1025                what compute-sanitizer's tools find (tools="memcheck initcheck": these alone); with arguments, too
    sanitize lesson14 SIZE=260 kernels=_kernel launches=89         in the first 89 launches of kernels with that in their names
    keep tuning sweep                          sections that begin with these words are made by other means; a new record keeps them
    step measured/nccl.sh                      the lesson's own script: it appends rows to $RECORD with tools/authoring/record_row.sh

A program without a build line is lessonNN.cu (or .py), or the file of that name in measured/. section="..." renames the section. A line that
begins with a blank continues the one before it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from workbook.messages import Failure

KINDS = ("build", "run", "ncu", "sanitize", "step", "keep")
OPTIONS = {
    "build": {"ptx", "code"},
    "run": {"section", "timeout"},
    "ncu": {"section", "timeout", "kernels", "launches", "each"},
    "sanitize": {"section", "timeout", "tools", "kernels", "launches"},
    "step": {"section", "timeout"},
    "keep": set(),
}


@dataclass
class Item:
    """A line of the list: its kind, its words, variables of the environment (capitals) and options (small letters)."""

    line: int
    kind: str
    words: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The name of the program, or the path of the step."""
        return self.words[0]

    @property
    def section(self) -> str:
        """The section of the rows."""
        words = self.words[:1] if self.kind == "ncu" else self.words
        settings = [f"{name}={value}" for name, value in self.variables.items()]
        first = {"ncu": ["ncu"], "sanitize": ["compute-sanitizer"]}.get(self.kind, [])
        return self.options.get("section", " ".join([*first, *words, *settings]))

    @property
    def timeout(self) -> float:
        """Seconds."""
        return float(self.options.get("timeout", "120"))


def parse(text: str, name: str) -> list[Item]:
    """The items of a list; `name` is for messages. Failure: a line is not an item."""
    items: list[Item] = []
    lines = re.sub(r"\n[ \t]+(?=\S)", lambda gap: " " + "\0", text).split("\n")
    number = 1
    for line in lines:
        words = shlex.split(re.sub(r"\0", "", line), comments=True)
        if words:
            items.append(parse_item(words, number, name))
        number += 1 + line.count("\0")
    return items


def parse_item(words: list[str], line: int, name: str) -> Item:
    """An item from the words of its line."""
    kind = words[0]
    if kind not in KINDS or len(words) < 2:
        raise Failure(f"{name}:{line}: `{' '.join(words)}` is not one of: {', '.join(KINDS)}, with words behind it")
    item = Item(line, kind, [])
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if equals and re.fullmatch(r"[A-Z][A-Z0-9_]*", key) and kind != "build":
            item.variables[key] = value
        elif equals and key in OPTIONS[kind]:
            item.options[key] = value
        else:
            item.words.append(word)
    if not item.words:
        raise Failure(f"{name}:{line}: which program? `{' '.join(words)}` names none")
    return item


def load(folder: Path) -> list[Item]:
    """The items to record of the lesson in a folder. Failure: it has no list."""
    path = folder / "measured" / "record.list"
    if not path.is_file():
        raise Failure(f"{folder} does not say what is recorded: there is no {path}")
    return parse(path.read_text("utf-8"), str(path))


def is_kept(items: list[Item], section: str) -> bool:
    """Whether a record keeps this section, which the list does not measure."""
    return any(section.startswith(word) for item in items if item.kind == "keep" for word in item.words)


def unlisted(items: list[Item], sections: Iterable[str]) -> list[str]:
    """The sections of a record that no line of the list measures or keeps. For a step without a section, the measured sections are unknown."""
    if any(item.kind == "step" and "section" not in item.options for item in items):
        return []
    listed = ["machine", *(item.section for item in items if item.kind != "build")]
    return [one for one in dict.fromkeys(sections) if not is_kept(items, one) and not any(one == name or one.startswith(name + " ") for name in listed)]


@dataclass
class Build:
    """A program to be built: its source, replacements in the source, compute capabilities, options of nvcc."""

    name: str
    source: Path
    replacements: list[tuple[str, str]] = field(default_factory=list)
    ptx: str = "75"
    code: str = ""
    options: list[str] = field(default_factory=list)

    @property
    def in_python(self) -> bool:
        """Whether Python runs it without a build."""
        return self.source.suffix == ".py"

    def text(self) -> str:
        """The source with its replacements. Failure: it has no such text."""
        text = self.source.read_text("utf-8")
        for old, new in self.replacements:
            if old not in text:
                raise Failure(f"{self.source} has no `{old}`, which {self.name} was to replace")
            text = text.replace(old, new)
        return text


def builds_of(folder: Path, items: list[Item]) -> dict[str, Build]:
    """The programs that the items name. Failure: one has no source."""
    builds: dict[str, Build] = {}
    for item in items:
        if item.kind == "build":
            builds[item.program] = parse_build(folder, item)
    for item in items:
        if item.kind in ("run", "ncu", "sanitize") and item.program not in builds:
            builds[item.program] = Build(item.program, source_of(folder, item))
    return builds


def source_of(folder: Path, item: Item) -> Path:
    """The source of a program without a build line."""
    paths = [place / f"{item.program}{suffix}" for place in (folder, folder / "measured") for suffix in (".cu", ".py", ".cpp")]
    for path in paths:
        if path.is_file():
            return path
    raise Failure(f"{folder}/measured/record.list:{item.line}: there is no {' nor '.join(map(str, paths[:4]))}, and no line `build {item.program} ...`")


def parse_build(folder: Path, item: Item) -> Build:
    """A build line. Failure: it has no source, or a text without a replacement."""
    options = [word for word in item.words[1:] if word.startswith("-")]
    words = [word for word in item.words[1:] if not word.startswith("-")]
    if not words or len(words) % 2 == 0:
        raise Failure(f"{folder}/measured/record.list:{item.line}: build NAME SOURCE, then pairs: a text and what replaces it")
    texts = [word.replace("\\n", "\n") for word in words[1:]]
    pairs = list(zip(texts[::2], texts[1::2]))
    return Build(item.program, folder / words[0], pairs, item.options.get("ptx", "75"), item.options.get("code", ""), options)
