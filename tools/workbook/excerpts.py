"""Code on a page, copied from the lesson's program by a comment above the block. `fill` writes the block, and the fence if there is none.

    <!-- code: lesson10.cu sum_kernel1 -->
        A function of that file: without the comment above it and without its indentation. Also an enum, a struct, a constant or a macro; in Python a
        function, a class, a method (Layer.forward) or a variable, without the docstring. `*` is the whole file.
    <!-- diff: lesson10.cu sum_kernel1 sum_kernel2 -->
        What changes from the first to the second: the line with the name, then each change with a line before and after it (context=2: two lines).
        A function that is only renamed does not count as a change, nor do helpers and launchers numbered like the version.
    <!-- diff: lesson10.cu sum_kernel5 warp_sum+sum_kernel6 -->
        Several functions, one after the other.
    <!-- diff: ../lesson15_gemm_tiled/lesson15.cu sgemm_kernel3 lesson16.cu sgemm_kernel2 -->
        A file applies to the names after it. The path is relative to the page's folder.
    <!-- code: lesson10.cu thread_sum from="if (first" to="} else" line="return" -->
        Some of the lines only, with `...` for those left out: from the first line with that text to the next one with the other text; one line;
        as many ranges as needed, in the order of the program. `from` alone extends to the end, `to` alone starts at the beginning. In a diff
they select lines of the diff, with their signs: line="+    sum".
"""

from __future__ import annotations

import ast
import difflib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workbook.formulas import FormulaError
from workbook.items import read_items
from workbook.pages import FENCE

MARKER = re.compile(r"^<!-- (code|diff): (.*?) -->", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"\n```[^\n]*\n(?:.*?\n)??```[ \t]*$", re.DOTALL | re.MULTILINE)
LONGEST = 20  # lines of a block
LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".h": "cuda", ".cpp": "c++", ".py": "python", ".sh": "sh", ".txt": "cmake", ".toml": "toml", ".ptx": "ptx"}


class Piece(NamedTuple):
    """The meaning of a name: its file and its lines."""

    path: Path
    names: list[str]
    lines: list[str]


class Range(NamedTuple):
    """The text of the first and of the last line; None: from the beginning, to the end."""

    first: str | None
    last: str | None


class Row(NamedTuple):
    """A line of a diff, with its sign; code has the sign ''."""

    sign: str
    text: str


class Excerpt(NamedTuple):
    """A marker as written: kind, files with names, ranges, lines of context."""

    kind: str
    pieces: list[Piece]
    ranges: list[Range]
    context: int


class Block(NamedTuple):
    """A marker's place in a page: start and end of the block after it, its current and its correct content."""

    marker: str
    start: int
    end: int
    found: str
    made: str


def parse(kind: str, words: str, folder: Path) -> Excerpt:
    """FormulaError: there is no such file or name, or the words do not follow the notation."""
    path: Path | None = None
    pieces: list[Piece] = []
    ranges: list[Range] = []
    context = 1
    try:
        split = shlex.split(words)
    except ValueError as error:
        raise FormulaError(f"{error}") from None
    for word in split:
        option = re.match(r"(from|to|line|context)=(.*)", word, re.DOTALL)
        if option and option[1] == "context" and option[2].isdecimal():
            context = int(option[2])
        elif option:
            add_range(ranges, option[1], option[2])
        elif word != "*" and "." in word and (folder / word).suffix and (folder / word).is_file():
            path = folder / word
        elif path is None:
            raise FormulaError(f"there is no file {folder / word}")
        else:
            pieces.append(piece_of(path, word.split("+")))
    expected = 1 if kind == "code" else 2
    if len(pieces) != expected:
        raise FormulaError(f"{kind} takes a file and {'a name' if expected == 1 else 'two names'}, not {len(pieces)} (several functions: a+b)")
    return Excerpt(kind, pieces, ranges, context)


def add_range(ranges: list[Range], option: str, text: str) -> None:
    """`to` ends the range that the `from` before it has begun."""
    if option == "to" and ranges and ranges[-1].first is not None and ranges[-1].last is None:
        ranges[-1] = Range(ranges[-1].first, text)
    elif option == "to":
        ranges.append(Range(None, text))
    else:
        ranges.append(Range(text, text if option == "line" else None))


def piece_of(path: Path, names: list[str]) -> Piece:
    """The lines of these names, one after the other with an empty line between. FormulaError: one is not defined there."""
    lines: list[str] = []
    for name in names:
        found = path.read_text("utf-8").rstrip("\n").split("\n") if name == "*" else python_lines(path, name) if path.suffix == ".py" else c_lines(path, name)
        if not found:
            raise FormulaError(f"{path} defines no {name}")
        lines += [""] * bool(lines) + dedented(found)
    return Piece(path, names, lines)


def c_lines(path: Path, name: str) -> list[str]:
    """A definition without the comment above it; nothing if there is none."""
    text = path.read_text("utf-8")
    for item in read_items(path):
        if name in item.names:
            return text.split("\n")[item.code : item.end]
    macro = re.search(rf"^[ \t]*#[ \t]*define {re.escape(name)}\b(?:.*\\\n)*.*", text, re.MULTILINE)
    return macro[0].split("\n") if macro else []


def python_lines(path: Path, name: str) -> list[str]:
    """A definition without its docstring; nothing if there is none."""
    text = path.read_text("utf-8")
    node = python_node(ast.parse(text), name)
    if node is None or node.end_lineno is None:
        return []
    lines = text.split("\n")
    first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])
    kept = list(range(first - 1, node.end_lineno))
    docstring = node.body[0] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None else None
    if docstring is not None and docstring.end_lineno is not None:
        kept = [line for line in kept if not docstring.lineno - 1 <= line < docstring.end_lineno]
    return [lines[line] for line in kept]


def python_node(tree: ast.Module | ast.ClassDef, name: str) -> ast.stmt | None:
    """Where a function, a class, a variable or `Class.method` is defined."""
    head, _, rest = name.partition(".")
    for node in tree.body:
        if rest and isinstance(node, ast.ClassDef) and node.name == head:
            return python_node(node, rest)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        defined = [target.id for target in targets if isinstance(target, ast.Name)]
        if not rest and name in [getattr(node, "name", None), *defined]:
            return node
    return None


def indentation(text: str) -> int:
    """The leading blanks of a line."""
    return len(text) - len(text.lstrip(" "))


def common_indentation(lines: list[str]) -> int:
    """The indentation common to all lines; a preprocessor directive may have less, and a macro keeps its own."""
    if any(line.startswith("#") and line.endswith("\\") for line in lines):
        return 0
    return min((indentation(line) for line in lines if line.strip() and not line.startswith("#")), default=0)


def without_indentation(line: str, common: int) -> str:
    """The line unchanged if the common indentation is 0."""
    return line if line.startswith("#") else line[common:]


def dedented(lines: list[str]) -> list[str]:
    """The lines without their common indentation."""
    common = common_indentation(lines)
    return [without_indentation(line, common) for line in lines]


def renamed(old: Piece, new: Piece) -> list[str]:
    """The old lines with the new names: sum_kernel2 -> sum_kernel3, and likewise sum2 -> sum3 if the program defines both."""
    names = dict(zip(old.names, new.names)) if len(old.names) == len(new.names) else {old.names[-1]: new.names[-1]}
    versions = [re.search(r"\d+$", piece.names[-1]) for piece in (old, new)]
    text = "\n".join(new.lines)
    if versions[0] and versions[1]:
        for name in {name for piece in (old, new) for name in defined_names(piece.path)}:
            stem, version = re.sub(r"\d+$", "", name), name[len(re.sub(r"\d+$", "", name)) :]
            other = stem + versions[1][0]
            if version == versions[0][0] and re.search(rf"\b{other}\b", text) and not re.search(rf"\b{name}\b", text):
                names.setdefault(name, other)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    return [pattern.sub(lambda found: names[found[0]], line) for line in old.lines]


def defined_names(path: Path) -> list[str]:
    """The functions of a program; a float2 that becomes a float4 is a change."""
    if path.suffix == ".py":
        return [node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
    return [item.names[0] for item in read_items(path) if item.is_function]


def diff_rows(old: Piece, new: Piece) -> list[Row]:
    """Both versions merged, line by line: ' ' is in both, '-' in the old one, '+' in the new one."""
    rows: list[Row] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, renamed(old, new), new.lines, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [Row(" ", line) for line in new.lines[c:d]]
        else:
            rows += [Row("-", line) for line in old.lines[a:b]] + [Row("+", line) for line in new.lines[c:d]]
    if all(row.sign == " " for row in rows):
        raise FormulaError("there is no difference")
    return rows


def near_changes(rows: list[Row], context: int, name: str) -> set[int]:
    """The changes with the lines around them, and the line that names the function."""
    changed = [at for at, row in enumerate(rows) if row.sign != " "]
    kept = {at for change in changed for at in range(change - context, change + context + 1) if 0 <= at < len(rows)}
    return kept | {at for at, row in enumerate(rows) if re.search(rf"\b{re.escape(name)}\b", row.text) and at < changed[0]}


def in_ranges(rows: list[Row], ranges: list[Range]) -> set[int]:
    """FormulaError: no line has the text at which a range begins or ends."""

    def first_with(text: str, start: int) -> int:
        for at in range(start, len(rows)):
            if text in rows[at].sign + rows[at].text:
                return at
        raise FormulaError(f'no line{" after the range before" * (start > 0)} has "{text}"')

    kept: set[int] = set()
    place = 0
    for part in ranges:
        first = place if part.first is None else first_with(part.first, place)
        last = len(rows) - 1 if part.last is None else first_with(part.last, first)
        kept |= set(range(first, last + 1))
        place = last + 1
    return kept


def shown(rows: list[Row], kept: set[int], to_the_end: bool) -> Iterator[str]:
    """The kept lines without their common indentation, and `...` if more than an empty line is omitted."""
    common = common_indentation([rows[at].text for at in sorted(kept)])
    blank, previous = rows[0].sign and " ", -1
    for at in [*sorted(kept), *([len(rows)] if to_the_end else [])]:
        skipped = [row.text for row in rows[previous + 1 : at] if row.text.strip()]
        if skipped:
            around = [skipped[0], *(row.text for row in rows[at : at + 1])]
            yield blank + " " * max(min(map(indentation, around)) - common, 0) + "..."
        elif at > previous + 1:
            yield ""
        if at < len(rows):
            yield (rows[at].sign + without_indentation(rows[at].text, common)).rstrip()
        previous = at


def lines_of(excerpt: Excerpt) -> list[str]:
    """The lines of the block. FormulaError: there are none, or too many."""
    new = excerpt.pieces[-1]
    if excerpt.kind == "diff":
        rows = diff_rows(excerpt.pieces[0], new)
        kept = near_changes(rows, excerpt.context, new.names[-1])
        gaps = {at for at in range(len(rows)) if at - 1 in kept and at + 1 in kept}  # a line takes no more space than the dots
        kept |= gaps
        kept &= in_ranges(rows, excerpt.ranges) if excerpt.ranges else kept
    else:
        rows = [Row("", line) for line in new.lines]
        kept = in_ranges(rows, excerpt.ranges) if excerpt.ranges else set(range(len(rows)))
    lines = list(shown(rows, kept, excerpt.kind == "code"))
    if len(lines) > LONGEST:
        raise FormulaError(f'{len(lines)} lines, at most {LONGEST}: choose some with from="..." to="..." or line="..."')
    return lines


def blocks_of(text: str, folder: Path, wrong: list[tuple[int, str, str]]) -> Iterator[Block]:
    """Each marker of a page with its block. A marker without one is appended to `wrong`: place, marker, message."""
    fences = [fence.span() for fence in FENCE.finditer(text)]
    for marker in MARKER.finditer(text):
        if any(start <= marker.start() < end for start, end in fences):
            continue
        name = f"{marker[1]}: {' '.join(marker[2].split())}"
        try:
            excerpt = parse(marker[1], marker[2], folder)
            language = "diff" if excerpt.kind == "diff" else LANGUAGES.get(excerpt.pieces[0].path.suffix, "")
            made = "\n".join([f"\n```{language}", *lines_of(excerpt), "```"])
        except (FormulaError, SyntaxError) as error:
            wrong.append((marker.start(), name, str(error)))
            continue
        there = BLOCK.match(text, marker.end())
        yield Block(name, marker.end(), there.end() if there else marker.end(), there[0] if there else "", made)


def first_difference(block: Block) -> tuple[str, str]:
    """The program's and the page's version of the first line in which they differ."""
    made, found = (text.split("\n")[1:] for text in (block.made, block.found))
    for at in range(max(len(made), len(found))):
        expected, there = (lines[at] if at < len(lines) else "no such line" for lines in (made, found))
        if expected != there:
            return expected, there
    return "", ""


def with_blocks(text: str, blocks: list[Block]) -> str:
    """The page with these blocks, in its order, taken from the programs."""
    result, place = "", 0
    for block in blocks:
        result += text[place : block.start] + block.made
        place = block.end
    return result + text[place:]
