"""What a cell shows: HTML for light and dark notebooks, and the same as text. No widgets, no scripts; all that comes
from a program or a source is escaped.

Colours are those of JupyterLab's theme, with fallbacks that are legible on white and on black; text keeps the page's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import count
from typing import Callable

from . import diagnostics, listing
from .diagnostics import Diagnostic
from .grade import Grading
from .report import Kernel, Picture, Rule

Shorten = Callable[[str], str]  # a text with the names of files that the student knows
LinesOf = Callable[[str], "list[str]"]  # the lines of a file

OPEN_PICTURES = 4
CONTEXT = 2  # source lines shown before and behind the one that a message is about

RED = "var(--jp-error-color1, #d9363e)"
AMBER = "var(--jp-warn-color0, #c2660c)"
GREEN = "var(--jp-success-color1, #2e8b45)"
GREY = "rgba(128, 128, 128, 0.35)"
SHADE = "rgba(128, 128, 128, 0.12)"
FONT = (
    "font-size: 13px; "
    "font-family: var(--jp-code-font-family, ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace);"
)
PRE = (
    f"margin: 4px 0; padding: 6px 8px; {FONT} line-height: 1.35; white-space: pre; overflow-x: auto; "
    f"background: {SHADE}; color: inherit; border: 0; text-align: left;"
)


@dataclass
class Shown:
    """One thing to display."""

    html: str
    text: str

    def bundle(self) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def _box(colour: str, content: str) -> str:
    return f'<div style="border-left: 3px solid {colour}; padding: 2px 0 2px 10px; margin: 4px 0;">{content}</div>'


def _pre(content: str, wrapped: bool = False) -> str:
    """`wrapped` is for sentences; source lines keep their columns."""
    style = PRE.replace("white-space: pre;", "white-space: pre-wrap; overflow-wrap: anywhere;") if wrapped else PRE
    return f'<pre style="{style}">{content}</pre>'


def _details(summary: str, content: str, is_open: bool) -> str:
    head = f'<summary style="cursor: pointer;">{summary}</summary>'
    return f'<details{" open" if is_open else ""} style="margin: 2px 0;">{head}{content}</details>'


def _strong(text: str, colour: str = "") -> str:
    style = f' style="color: {colour};"' if colour else ""
    return f"<b{style}>{escape(text)}</b>"


def plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- what the compiler says ---


def place_of(message: Diagnostic, cell: str, shown: Shorten) -> str:
    """Where a message points to: the student's own line."""
    if not message.line:
        return message.tool
    name = shown(message.file)
    return f"line {message.line}" if name == cell else f"{name}, line {message.line}"


def _excerpt(message: Diagnostic, lines: list[str]) -> tuple[list[tuple[str, bool]], str]:
    """The source around a message, as (text, is the line itself), and the line with the caret."""
    if not 1 <= message.line <= len(lines):
        source = [(message.source, True)] if message.source else []
        return source, " " * (message.column - 1) + "^" if source and message.column else ""
    first, last = max(1, message.line - CONTEXT), min(len(lines), message.line + CONTEXT)
    width = len(str(last))
    source = [(f"{n:>{width}} | {lines[n - 1].expandtabs(4)}", n == message.line) for n in range(first, last + 1)]
    line = lines[message.line - 1]
    at = diagnostics.caret(message, line)
    return source, f"{'':>{width}} | " + " " * len(line[:at].expandtabs(4)) + "^" if at >= 0 else ""


def _excerpt_text(message: Diagnostic, lines: list[str]) -> str:
    source, pointer = _excerpt(message, lines)
    rows = [row for text, own in source for row in ([text, pointer] if own and pointer else [text])]
    return "\n".join(rows + message.details)


def _excerpt_html(message: Diagnostic, lines: list[str], colour: str) -> str:
    source, pointer = _excerpt(message, lines)
    rows = []
    for text, own in source:
        rows.append(_strong(text) if own else escape(text))
        if own and pointer:
            rows.append(_strong(pointer, colour))
    return _pre("\n".join(rows + [escape(detail) for detail in message.details])) if rows or message.details else ""


def compiler_messages(messages: list[Diagnostic], rest: str, cell: str, shown: Shorten, lines_of: LinesOf) -> Shown:
    """Errors, then warnings: the first one open, the others folded. `lines_of` gives a file's lines."""
    ordered = diagnostics.only(messages, "error") + diagnostics.only(messages, "warning")
    html, text = [], []
    for number, message in enumerate(ordered):
        colour = RED if message.severity == "error" else AMBER
        place, lines = place_of(message, cell, shown), lines_of(message.file)
        message.details = [shown(detail) for detail in message.details]
        code = f" ({message.code})" if message.code else ""
        summary = f"{_strong(message.severity, colour)} {_strong(place)}: {escape(shown(message.message) + code)}"
        html.append(_details(summary, _excerpt_html(message, lines, colour), number == 0))
        text.append(f"{message.severity}, {place}: {shown(message.message)}{code}")
        body = _excerpt_text(message, lines)
        if body:
            text.append("\n".join("    " + line for line in body.splitlines()))
    if rest.strip():
        html.append(_details("other words of nvcc", _pre(escape(shown(rest))), not ordered))
        text.append(shown(rest))
    worst = RED if diagnostics.only(messages, "error") else AMBER
    return Shown(_box(worst if ordered else GREY, "".join(html)), "\n".join(text))


# --- PTX and SASS ---


def functions(found: list[listing.Function], kind: str, architecture: str, cell: str, shown: Shorten, lines_of: LinesOf) -> Shown:
    """Each function's instructions below the lines that they come from; the first one open."""
    html, text = [], []
    for number, function in enumerate(found):
        title = f"{shown(function.name)}: {plural(function.count, f'{kind} instruction')} for {architecture}"
        rows = []
        text.append(title)
        for run in function.runs:
            source = _source_of(run, cell, shown, lines_of)
            text += [f"  {source}"] + [f"        {instruction}" for instruction in run.instructions]
            rows.append(_line(source, f"border-top: 1px solid {GREY}; background: {SHADE};"))
            rows.append(_line("\n".join(run.instructions), "padding-left: 4ch;"))
        html.append(_details(_strong(title), f'<div style="overflow-x: auto;">{"".join(rows)}</div>', number == 0))
    return Shown(_box(GREY, "".join(html)), "\n".join(text))


def _source_of(run: listing.Run, cell: str, shown: Shorten, lines_of: LinesOf) -> str:
    if not run.line:
        return "(no line)"
    lines = lines_of(run.file)
    text = lines[run.line - 1].strip() if run.line <= len(lines) else ""
    place = run.line if shown(run.file) == cell else f"{run.file.rsplit('/', 1)[-1]}:{run.line}"
    return f"{place} | {text}"


def _line(text: str, style: str) -> str:
    return f'<div style="padding: 2px 4px; text-align: left; white-space: pre; {FONT} {style}">{escape(text)}</div>'


# --- profiles ---


def profile(kernels: list[Kernel], remark: str, text: str, cell: str, lines: list[str]) -> Shown:
    """What stands out first, with the student's line; then the sections, folded. `lines` are the cell's."""
    html = []
    for number, kernel in enumerate(kernels):
        rules = "".join(_rule(rule, cell, lines) for rule in kernel.rules)
        body = f'<ol style="margin: 4px 0 8px 0; padding-left: 28px;">{rules}</ol>' if rules else ""
        body += f'<p style="margin: 4px 0;">{escape(kernel.remark)}</p>' if kernel.remark else ""
        body += "".join(_details(escape(title), _pre(escape(section)), False) for title, section in kernel.sections)
        title = f"{_strong(kernel.name)} {escape(kernel.launch)}"
        html.append(_details(title, f'<div style="padding-left: 14px;">{body}</div>', number == 0))
    return Shown(_box(GREY, "".join(html) + _remark(remark)), text.strip("\n"))


def _remark(text: str) -> str:
    return f'<p style="margin: 6px 0 0 0; opacity: 0.75;">{escape(text)}</p>' if text else ""


def _rule(rule: Rule, cell: str, lines: list[str]) -> str:
    place, source = f"line {rule.line}", rule.source
    if rule.file == cell and rule.line <= len(lines):
        source = lines[rule.line - 1].strip()  # all of it
    elif rule.file:
        place = f"{rule.file}, {place}"
    words = f"{_strong(place)}: {escape(rule.what)}" if rule.line else escape(rule.what)
    code = _pre(escape(f"{rule.line} | {source}")) if source else ""
    remedy = f'<div style="opacity: 0.85;">→ {escape(rule.remedy)}</div>' if rule.remedy else ""
    return f'<li style="margin: 4px 0;">{words}{code}{remedy}</li>'


# --- pictures ---

_picture_number = count(1)
# Whether a page is dark is said by its notebook's theme; where that says nothing, by the browser.
_DARK_THEMES = (
    '[data-jp-theme-light="false"]',
    ".vscode-dark",
    ".vscode-high-contrast:not(.vscode-high-contrast-light)",
    "html[theme=dark]",
)
_NO_THEME = ":not([data-jp-theme-light]):not(.vscode-light):not(.vscode-dark):not(.vscode-high-contrast)"


def pictures(shown: list[Picture]) -> Shown:
    """The first few are open, the others folded."""
    html = ""
    for number, picture in enumerate(shown):
        drawn = f'<div style="overflow-x: auto; padding: 4px 0;">{inline_svg(picture.svg)}</div>'
        html += _details(_strong(picture.title), drawn, number < OPEN_PICTURES)
    return Shown(_box(GREY, html), "\n\n".join(p.text for p in shown))


def inline_svg(svg: str) -> str:
    """An SVG file's text for the inside of a page: its names and its style hold for itself alone."""
    own = f"nvcc-picture-{next(_picture_number)}"
    svg = re.sub(r"^\s*<\?xml.*?\?>\s*", "", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{own}-\1"', svg)
    svg = re.sub(
        r'\baria-labelledby="([^"]+)"',
        lambda found: 'aria-labelledby="' + " ".join(f"{own}-{name}" for name in found[1].split()) + '"',
        svg,
    )
    svg = re.sub(r"url\(#([\w-]+)\)", rf"url(#{own}-\1)", svg)
    svg = re.sub(
        r"<style>(.*?)</style>",
        lambda found: f"<style>{_own_style(found[1], own)}</style>",
        svg,
        count=1,
        flags=re.DOTALL,
    )
    return re.sub(r"<svg ", f'<svg id="{own}" style="max-width: 100%; min-width: 640px; height: auto;" ', svg, count=1)


def _own_style(css: str, own: str) -> str:
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{(.*)\}\s*$", css, re.DOTALL)
    light = css[: dark.start()] if dark else css
    parts = [_prefixed(light, [f"#{own}"])]
    if dark:
        parts.append(_prefixed(dark[1], [f"{theme} #{own}" for theme in _DARK_THEMES]))
        parts.append("@media (prefers-color-scheme: dark) {" + _prefixed(dark[1], [f"body{_NO_THEME} #{own}"]) + "}")
    return "\n".join(parts)


def _prefixed(css: str, prefixes: list[str]) -> str:
    """Each rule of a flat style sheet, for what is inside of the prefixes alone."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", css)
    return "\n".join(
        ", ".join(f"{prefix} {name.strip()}" for prefix in prefixes for name in names.split(",")) + " {" + body + "}"
        for names, body in rules
    )


# --- times and grades ---


def times(rows: list[tuple[str, ...]], head: tuple[str, ...], remarks: list[str]) -> Shown:
    """A table whose first column is text and whose others are numbers."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    text = [
        "  ".join(cell.ljust(widths[0]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row))
        for row in [head, *rows]
    ]

    def line(row: tuple[str, ...], tag: str) -> str:
        sides = ["left"] + ["right"] * (len(row) - 1)
        cells = (
            f'<{tag} style="text-align: {side}; padding: 2px 14px 2px 0; {FONT}">{escape(cell)}</{tag}>'
            for side, cell in zip(sides, row)
        )
        return f'<tr style="background: transparent;">{"".join(cells)}</tr>'

    body = "".join(line(row, "td") for row in rows)
    table = f'<table style="border-collapse: collapse;">{line(head, "th")}{body}</table>' if rows else ""
    return Shown(_box(GREY, table + "".join(map(_remark, remarks))), "\n".join((text if rows else []) + remarks))


def grade(grading: Grading) -> Shown:
    """The grader's checks, and why the one that failed did."""
    colour = GREEN if grading.verdict == "pass" else RED
    html = [f"<div>exercise {escape(grading.exercise)}: {_strong(grading.verdict, colour)}</div>"]
    for test in grading.tests:
        passed = test["status"] == "pass"
        mark = _strong("✓" if passed else "✗", GREEN if passed else RED)
        html.append(f'<div style="margin: 2px 0;">{mark} {escape(test["name"])}</div>')
        if not passed:
            html.append(_pre(escape(grading.why(test)), wrapped=True))
        if test["output"]:
            html.append(_details("what it printed", _pre(escape(test["output"].rstrip()), wrapped=True), False))
    if grading.message:
        html.append(_pre(escape(grading.message.rstrip()), wrapped=True))
    return Shown(_box(colour, "".join(html)), grading.text)


def passed(number: str, solution: str, following: str) -> Shown:
    """What to do when an exercise has passed: compare, and go on."""
    html, text = [], []
    if solution:
        html.append(_details("Compare with the solution", _pre(escape(solution.rstrip())), False))
        text.append(f"Compare with the solution: make exercise{number} solution")
    if following:
        html.append(f"<div>Next: {escape(following)}</div>")
        text.append(f"Next: {following}")
    return Shown(_box(GREEN, "".join(html)), "\n".join(text))
