"""The emulator's text report, taken apart: for each kernel what stands out and the sections, then the pictures.

relu(float *, int)
==================
  grid (4, 1, 1), block (256, 1, 1)

  What stands out
  ---------------
    1. line 7: ...
       -> ...

  Memory Workload Analysis
  ------------------------
    ...
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

STANDS_OUT = "What stands out"


@dataclass
class Rule:
    """Something that stands out. `line` is 0 where it concerns the whole kernel."""

    what: str
    remedy: str = ""
    line: int = 0
    file: str = ""  # empty where several files of the kernel have such a line
    source: str = ""


@dataclass
class Kernel:
    name: str
    launch: str = ""
    rules: list[Rule] = field(default_factory=list)
    remark: str = ""  # that no rule has anything to say, or that there are more
    sections: list[tuple[str, str]] = field(default_factory=list)  # title, text


@dataclass
class Picture:
    svg: str
    text: str

    @property
    def title(self) -> str:
        return self.text.split("\n", 1)[0]


def in_notebook(text: str) -> str:
    """The report's advice names the terminal's commands; these are a notebook's."""
    text = re.sub(r"make \.\.\. view LINE=(\d+)", r"%%nvcc --view \1", text)
    text = re.sub(r"make \.\.\. (view|profile|sanitize)", r"%%nvcc --\1", text)
    return re.sub(r"make (?:lesson\d+[a-z]? )?(view|profile|sanitize)\b", r"%%nvcc --\1", text)


def parse(text: str) -> tuple[list[Kernel], str]:
    """The kernels of a profile, and the remark at its end."""
    lines = text.splitlines()
    starts = [at for at in range(len(lines) - 1) if lines[at].strip() and re.fullmatch(r"={3,}", lines[at + 1])]
    kernels, remark = [], ""
    for at, end in zip(starts, [*starts[1:], len(lines)]):
        body = lines[at + 2 : end]
        if end == len(lines):
            last = max((i for i, line in enumerate(body) if line.startswith("  ")), default=-1)
            body, remark = body[: last + 1], "\n".join(body[last + 1 :]).strip()
        kernels.append(_kernel(lines[at].strip(), body))
    return kernels, remark


def _kernel(name: str, body: list[str]) -> Kernel:
    kernel = Kernel(name)
    starts = [at for at in range(len(body) - 1) if body[at].strip() and re.fullmatch(r"  -{3,}", body[at + 1])]
    kernel.launch = " ".join(line.strip() for line in body[: starts[0] if starts else len(body)]).strip()
    for at, end in zip(starts, [*starts[1:], len(body)]):
        title, text = body[at].strip(), body[at + 2 : end]
        if title == STANDS_OUT:
            kernel.rules, kernel.remark = _rules(text)
        else:
            kernel.sections.append((title, _dedent(text)))
    places = _places(dict(kernel.sections).get("Source Counters", ""))
    for rule in kernel.rules:
        known = [(file, source) for file, line, source in places if line == rule.line]
        if len({file for file, _ in known}) == 1:  # several rows: a line that was called from several places
            rule.file, rule.source = known[0]
    return kernel


def _places(counters: str) -> list[tuple[str, int, str]]:
    """File, line and source (its beginning) of each row of the section Source Counters."""
    places, file, column = [], "", 0
    lines = counters.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if re.match(r"\s+instructions of 32", below):
            file = line.strip()
        elif "(units: " in line:
            column = line.index("(units: ")
        row = re.match(r"\s*(\d+)\s+[\d,]+\s+\d+\.\d", line)
        if row and file:
            places.append((file, int(row[1]), line[column:].strip()))
    return places


def _rules(lines: list[str]) -> tuple[list[Rule], str]:
    rules: list[list[str]] = []
    other = []
    for line in lines:
        begun = re.match(r"\s*\d+\. (.*)", line)
        if begun:
            rules.append([begun[1]])
        elif re.match(r" *and \d+ more", line):
            other.append(line.strip())
        elif rules and line.strip():
            rules[-1].append(line.strip())
        elif line.strip():
            other.append(line.strip())
    return [_rule(" ".join(words)) for words in rules], " ".join(other)


def _rule(words: str) -> Rule:
    what, _, remedy = words.partition(" -> ")
    place = re.match(r"line (\d+): ", what)
    return Rule(what[place.end() :] if place else what, remedy, int(place[1]) if place else 0)


def _dedent(lines: list[str]) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines).strip("\n")


def split_pictures(text: str, folder: Path) -> tuple[str, list[Picture]]:
    """The profile and the pictures, which come before it: each as the name of its file, then the same as text."""
    lines = text.splitlines()
    profile = next((at for at in range(len(lines) - 1) if re.fullmatch(r"={3,}", lines[at + 1])), len(lines))
    starts = [at for at in range(profile) if lines[at].startswith(str(folder)) and lines[at].endswith(".svg")]
    pictures = [
        Picture(Path(lines[at]).read_text(encoding="utf-8"), "\n".join(lines[at + 1 : end]).strip("\n"))
        for at, end in zip(starts, [*starts[1:], profile])
    ]
    return "\n".join(lines[: starts[0] if starts else profile] + lines[profile:]), pictures


def split_remark(text: str) -> tuple[str, str]:
    """The text, and what it says where there is no picture to draw."""
    lines = text.splitlines()
    remarks = [line for line in lines if line.startswith("No kernel accesses memory")]
    return "\n".join(line for line in lines if line not in remarks), " ".join(remarks)
