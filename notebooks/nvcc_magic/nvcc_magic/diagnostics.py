"""What the compilers and linkers under nvcc say, taken apart: one Diagnostic for each error or warning.

cell.cu(5): error: expected an expression                       nvcc's own front end
      p[i] = n +;
                ^
cell.cu:5:15: error: expected primary-expression                the host's compiler
    5 |     p[i] = n +;
      |               ^
ptxas error   : Entry function '_Z1kv' uses too much shared data
nvlink error   : Undefined reference to '_Z3foov' in 'cell.o'
nvcc fatal   : Unknown option '-foo'
cell.cu:(.text+0x1b): undefined reference to `foo()'            the linker
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

SEVERITIES = {"fatal error": "error", "catastrophic error": "error", "error": "error", "fatal": "error",
              "warning": "warning", "note": "note", "remark": "note"}  # fmt: skip
_KIND = r"(?P<kind>fatal error|catastrophic error|error|fatal|warning|note|remark)"

_FRONT_END = re.compile(rf"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): {_KIND}\s*(?P<code>#\d+(?:-D)?)?: (?P<message>.*)")
_END = re.compile(rf"At end of source: {_KIND}\s*(?P<code>#\d+(?:-D)?)?: (?P<message>.*)")
_HOST = re.compile(rf"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? {_KIND}: (?P<message>.*)")
_TOOL = re.compile(
    rf"(?P<tool>ptxas|nvlink|nvcc|fatbinary|cicc|cudafe\+\+)\s*(?P<where>[^:]*?)\s*[;:]?\s*{_KIND}\s*: (?P<message>.*)",
    re.IGNORECASE,
)
_TOOL_LINE = re.compile(rf"(?P<tool>ptxas) .*, line \d+; {_KIND}\s*: (?P<message>.*)")
_UNDEFINED = re.compile(r".*(?P<message>undefined reference to .*|multiple definition of .*)")
_LINKER = re.compile(r"(?:\S*/)?(?:ld|collect2)(?:\.\w+)?: (?:error: )?(?P<message>.*)")
# Lines around messages that say nothing of their own.
_CLOSING = re.compile(
    r"\d+ errors? (?:and \d+ warnings? )?detected in the compilation of|Remark: The warnings can be suppressed|"
    r"compilation terminated\.|collect2: error: ld returned|(?:\S*/)?ld: .*: in function |\S*\.o: in function |"
    r"In file included from |\s+from \S+:\d+|\S+: In (?:function|member function|instantiation) "
)
_CARET = re.compile(r"\s*\^[~\s^]*$")
_MARGIN = re.compile(r"\s*(?P<line>\d*) \| ?(?P<text>.*)$")


@dataclass
class Diagnostic:
    """One message. `column` counts from 1 and is 0 where it is not known; so is `line`."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    code: str = ""  # the number of a warning: #177-D
    tool: str = ""
    source: str = ""  # the line that the compiler showed, where it did
    details: list[str] = field(default_factory=list)  # what else it said about it


def parse(output: str) -> list[Diagnostic]:
    """All messages in the order of the output. Lines that belong to no message are left out; see `rest`."""
    return _Parser().read(output)[0]


def rest(output: str) -> str:
    """What belongs to no message: a program's words, nvcc --dryrun, and what this file does not know."""
    return "\n".join(_Parser().read(output)[1])


class _Parser:
    """One pass over the lines; `current` is the message that continuation lines belong to."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.unknown: list[str] = []
        self.current: Diagnostic | None = None

    def read(self, output: str) -> tuple[list[Diagnostic], list[str]]:
        for line in output.splitlines():
            begun = _begin(line)
            if begun:
                self._take(begun)
            elif _CLOSING.match(line):
                self.current = None
            elif not line.strip():
                self.current = None
            elif self.current:
                _continue(self.current, line)
            else:
                self.unknown.append(line)
        return _once(self.found), self.unknown

    def _take(self, begun: Diagnostic) -> None:
        if begun.severity == "note" and self.found:
            place = f"{begun.file}({begun.line}): " if begun.line else ""
            self.found[-1].details.append(f"note: {place}{begun.message}")
            self.current = Diagnostic("note", "")  # its source lines are dropped
        elif begun.tool == "linker" and begun.message.startswith(("ld returned", "error: ld returned")):
            self.current = None
        else:
            self.found.append(begun)
            self.current = begun


def _once(found: list[Diagnostic]) -> list[Diagnostic]:
    """nvcc compiles a source twice, for the host and for the device, and says the same twice."""
    kept: list[Diagnostic] = []
    for message in found:
        if message not in kept:
            kept.append(message)
    return kept


def _begin(line: str) -> Diagnostic | None:
    """The message that this line begins, if it does."""
    for pattern in (_FRONT_END, _HOST):
        found = pattern.match(line)
        if found:
            parts = found.groupdict()
            return Diagnostic(SEVERITIES[parts["kind"]], parts["message"].strip(), parts["file"], int(parts["line"]),
                              int(parts.get("column") or 0), parts.get("code") or "",
                              "host" if pattern is _HOST else "nvcc")  # fmt: skip
    found = _END.match(line)
    if found:
        return Diagnostic(
            SEVERITIES[found["kind"]], found["message"].strip(), tool="at the end", code=found["code"] or ""
        )
    for pattern in (_TOOL_LINE, _TOOL):
        found = pattern.match(line)
        if found:
            return Diagnostic(SEVERITIES[found["kind"].lower()], found["message"].strip(), tool=found["tool"])
    found = _UNDEFINED.match(line) if "reference to" in line or "definition of" in line else None
    if found and not line.startswith(" "):
        return Diagnostic("error", found["message"].strip(), tool="linker")
    found = _LINKER.match(line)
    if found and not _CLOSING.match(line):
        return Diagnostic("error", found["message"].strip(), tool="linker")
    return None


def _continue(current: Diagnostic, line: str) -> None:
    """A line below a message: the source line, the caret, or more words."""
    if _CARET.match(line) and current.details and not current.source:
        current.source = current.details.pop()
        current.column = current.column or line.index("^") + 1
        return
    margin = _MARGIN.match(line)
    if margin:
        if not current.source:
            current.source = margin["text"]
        return
    current.details.append(line)


# --- the caret in the student's own line ---

# nvcc's front end shows what is left after its preprocessor: qualifiers in another spelling, tabs as spaces.
_SPELLINGS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (re.compile(r"__attribute__\(\((global|device|host|shared|constant|managed|grid_constant)\)\)"), lambda found: f"__{found[1]}__"),
    (re.compile(r"\\U([0-9a-f]{8})"), lambda found: chr(int(found[1], 16))),
]


def caret(diagnostic: Diagnostic, line: str) -> int:
    """The index in `line`, as the student wrote it, of what the message is about; -1 where that cannot be told."""
    if not diagnostic.column:
        return -1
    if diagnostic.tool == "host":
        at = len(line.encode()[: diagnostic.column - 1].decode(errors="ignore"))
        return at if at <= len(line) else -1
    before, after = diagnostic.source[: diagnostic.column - 1], diagnostic.source[diagnostic.column - 1 :]
    for pattern, spelling in _SPELLINGS:
        before = pattern.sub(spelling, before)
    at = _index_behind("".join(before.split()), line)
    if at >= 0:
        return at
    # A macro stands before it. The word at the caret tells the place if the line has it once.
    word = re.match(r"\w+", after)
    places = [found.start() for found in re.finditer(rf"\b{word[0]}\b", line)] if word else []
    return places[0] if len(places) == 1 else -1


def _index_behind(before: str, line: str) -> int:
    """Where the text goes on in `line` behind the characters of `before`, spaces aside."""
    matched = 0
    for at, character in enumerate(line):
        if character.isspace():
            continue
        if matched == len(before):
            return at
        if character != before[matched]:
            return -1
        matched += 1
    return len(line.rstrip()) if matched == len(before) else -1


def only(diagnostics: list[Diagnostic], severity: str) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity == severity]
