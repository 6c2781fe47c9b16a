"""verdict FILE: prints the verdict of a results.json, the number of checks that passed, and the number of all checks. Status 1: there is no
verdict."""
import sys
from pathlib import Path

from workbook import results


def main(arguments: list[str]) -> int:
    """verdict FILE"""
    if len(arguments) != 1:
        print("usage: verdict RESULTS.json", file=sys.stderr)
        return 2
    found = results.load(Path(arguments[0]))
    if found is None:
        return 1
    print(found["verdict"], results.passed(found), len(found["tests"]))
    return 0
