"""PTX and SASS beside the source lines that they were made from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?")
_FUNCTION = re.compile(r"(?:\.visible |\.weak |\.extern )*\.(entry|func)\b(?:\s*\([^)]*\))?\s*([\w$]+)")
_SASS_FUNCTION = re.compile(r"\.text\.(\S+):")
_SASS_LINE = re.compile(r'\s*//## File "([^"]*)", line (\d+)')
_SASS_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?;)")


@dataclass
class Run:
    """Neighbouring instructions of one source line."""

    file: str
    line: int
    instructions: list[str] = field(default_factory=list)


@dataclass
class Function:
    name: str
    kernel: bool
    runs: list[Run] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Instructions, labels aside."""
        return sum(not text.endswith(":") for run in self.runs for text in run.instructions)

    def add(self, file: str, line: int, instruction: str) -> None:
        if instruction.endswith(":"):
            self.labels.append(instruction)  # stands with what comes behind it
            return
        if not self.runs or (self.runs[-1].file, self.runs[-1].line) != (file, line):
            self.runs.append(Run(file, line))
        self.runs[-1].instructions += [*self.labels, instruction]
        self.labels.clear()


def parse_ptx(text: str) -> list[Function]:
    """The functions of a PTX file; names as in the file."""
    files = dict(_FILE.findall(text))
    functions: list[Function] = []
    depth, place, begin = 0, ("", 0), ""  # `begin`: of an instruction that goes on in the next line
    for line in text.splitlines():
        bare = line.split("//")[0].strip()
        begun = _FUNCTION.match(line)
        loc = _LOC.match(line)
        if not depth and begun:
            functions.append(Function(begun[2], begun[1] == "entry"))
            place = ("", 0)
        elif depth and loc:
            place = (files.get(loc[1], ""), int(loc[2]))
        elif depth and bare.strip("{}") and (begin or not bare.startswith(".")):
            begin += re.sub(r"\s+", " ", bare if begin else bare.lstrip("{ "))  # asm() may bring braces of its own
            if begin.endswith((";", ":", "}")):
                functions[-1].add(*place, begin)
                begin = ""
        depth += bare.count("{") - bare.count("}")
    return [function for function in functions if function.runs]


def parse_sass(text: str) -> list[Function]:
    """The functions that `nvdisasm -c -g` or `-gi` lists."""
    functions: list[Function] = []
    place = ("", 0)
    for line in text.splitlines():
        begun = _SASS_FUNCTION.match(line.strip())
        if begun:
            functions.append(Function(begun[1], True))
            place = ("", 0)
            continue
        at = _SASS_LINE.match(line)
        if at:
            place = (at[1], int(at[2]))
            continue
        instruction = _SASS_INSTRUCTION.match(line)
        label = re.match(r"(\.L_x_\d+):", line.strip())
        if functions and instruction:
            functions[-1].add(*place, re.sub(r"\s+", " ", instruction[1]))
        elif functions and label:
            functions[-1].add(*place, label[0])
    for function in functions:  # what fills the last line of the instruction cache is no news
        while function.runs and function.runs[-1].instructions[-1] == "NOP;":
            function.runs[-1].instructions.pop()
            if not function.runs[-1].instructions:
                function.runs.pop()
    return [function for function in functions if function.runs]
