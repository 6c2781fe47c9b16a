"""python3 tests/lint/long_awk.py FILE...: prints `PATH LINES` for each file with awk programs of more than ten lines; LINES is their total.

An awk program is a file that ends in .awk, or the program that a shell script passes to awk: the quoted text of the command, or a here-document
for `-f`.
"""
import re
import sys
from pathlib import Path

MOST = 10
AWK = re.compile(r"(?<![\w./-])awk(?=[ \t]+[-'\"$\\])")
FROM_INPUT = re.compile(r"-f\s*(?:-|/dev/stdin)(?=\s)")
HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n\t*\2$", re.DOTALL | re.MULTILINE)


def end_of_quoted(text: str, start: int) -> int:
    """The position after the quoted text that begins at `start`; a $(command) inside double quotes has separate quotes."""
    quote, at = text[start], start + 1
    while at < len(text) and text[at] != quote:
        if quote == '"' and text.startswith("$(", at):
            at = end_of_command(text, at + 2, ")") + 1
        else:
            at += 2 if quote == '"' and text[at] == "\\" else 1
    return at + 1


def end_of_command(text: str, start: int, ends: str) -> int:
    """The position of the first unquoted one of the characters `ends`."""
    at = start
    while at < len(text) and text[at] not in ends:
        if text[at] in "'\"":
            at = end_of_quoted(text, at)
        else:
            at += 2 if text[at] == "\\" else 1
    return at


def programs_of(script: str) -> list[int]:
    """The number of lines of each awk program of the script."""
    lines = []
    for found in AWK.finditer(script):
        if "#" in script[script.rfind("\n", 0, found.start()) + 1 : found.start()].split("'")[0].split('"')[0]:
            continue  # a comment
        command = script[found.start() : end_of_command(script, found.start(), "\n|;)&")]
        quoted = sum(line != "" for line in command.strip().split("\n"))
        here = HERE_DOCUMENT.search(script, found.start()) if FROM_INPUT.search(command) else None
        lines.append(here[3].count("\n") + 1 if here else quoted)
    return lines


def long_lines(path: Path) -> int:
    """The lines of the file's awk programs that are longer than ten, or 0."""
    text = path.read_text("utf-8", "replace")
    programs = [text.count("\n")] if path.suffix == ".awk" else programs_of(text)
    return sum(lines for lines in programs if lines > MOST)


def main(paths: list[str]) -> None:
    """Prints the programs that are too long."""
    for path in paths:
        lines = long_lines(Path(path))
        if lines:
            print(path, lines)


main(sys.argv[1:])
