"""python3 tests/lint/compare.py NAME LIST [--shorten] <found: whether a linter's findings are those in LIST, as a line for tests/run.

Lines are `PATH CODE`, or `PATH NUMBER`, the maximum allowed. The list may only become shorter: --shorten removes the findings that have been
fixed.
"""
import sys
from pathlib import Path

Findings = dict[str, int]


def read(text: str) -> Findings:
    """The lines; a number at the end of a line is its count."""
    findings = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            words, _, last = line.rpartition(" ")
            findings.update({words: int(last)} if last.isdecimal() else {line: 0})
    return findings


def written(key: str, count: int) -> str:
    """The line for the list."""
    return f"{key} {count}\n" if count else f"{key}\n"


def main(name: str, path: Path, shorten: bool) -> None:
    """Prints the check's line."""
    found, listed = read(sys.stdin.read()), read(path.read_text("utf-8"))
    if shorten:
        listed = {key: min(count, found[key]) for key, count in listed.items() if key in found}
        path.write_text("".join(written(*item) for item in sorted(listed.items())), "utf-8")
    more = [written(key, count) for key, count in sorted(found.items()) if key not in listed or count > listed[key]]
    fewer = [written(key, count) for key, count in sorted(listed.items()) if key not in found or count > found[key]]
    if more:
        print(f"not ok {name}: {path}, which only becomes shorter, has not:")
    elif fewer:
        print(f"not ok {name}: mended and still in {path} (sh tests/lint.test.sh --shorten):")
    else:
        print(f"ok {name}")
    for line in (more or fewer)[:100]:
        print(f"    | {line}", end="")


main(sys.argv[1], Path(sys.argv[2]), "--shorten" in sys.argv)
