"""python3 tools/workbook fill [--check] [NUMBER...]: regenerates the numbers of pages from the formulas beside them (workbook.pages), and their code
from the programs (workbook.excerpts).

A NUMBER is a lesson's (03); without one every page with formulas or code is filled. README.md, with the lessons' phrases, is filled each time.
--check writes nothing, and compares.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbook import excerpts, recording
from workbook.formulas import FormulaError
from workbook.lessons import lesson_folder, lesson_folders, number_of
from workbook.messages import Failure
from workbook.pages import Page, has_formulas, line_of
from workbook.records import RecordError, records_of


def check(page: Page) -> bool:
    """Prints, as tests do, whether the page has the numbers that its formulas yield; also returns that."""
    page.fill()
    name = f"{page.path} has the numbers of its record"
    if not page.differences:
        print(f"ok {name}")
        return True
    print(f"not ok {name}:")
    for difference in page.differences:
        print(f"    {page.path}:{difference.line}: {difference}")
    return False


def fill(page: Page) -> bool:
    """Writes the page with its numbers regenerated, and prints the changes. False: a formula yields nothing."""
    text = page.fill()
    if text != page.text:
        page.path.write_text(text, "utf-8")
    for difference in page.differences:
        now = f"{difference.found} -> {difference.expected}" if difference.expected else difference.found
        print(f"{page.path}:{difference.line}: {difference.formula}: {now}")
    return all(difference.expected for difference in page.differences)


def check_code(path: Path) -> bool:
    """Prints whether the page's blocks of code match its programs; also returns that."""
    wrong: list[tuple[int, str, str]] = []
    text = path.read_text("utf-8")
    for block in excerpts.blocks_of(text, path.parent, wrong):
        if block.made != block.found:
            expected, found = excerpts.first_difference(block)
            again = f"(python3 tools/workbook fill {number_of(path.parent)})"
            wrong.append((block.start, block.marker, f"expected `{expected}`, found `{found}` {again}"))
    name = f"{path} has the code of its programs"
    print(f"not ok {name}:" if wrong else f"ok {name}")
    for place, marker, message in sorted(wrong):
        print(f"    {path}:{line_of(text, place)}: {marker}: {message}")
    return not wrong


def fill_code(path: Path) -> bool:
    """Writes the page with its blocks of code regenerated, and prints the changes. False: a marker yields none."""
    wrong: list[tuple[int, str, str]] = []
    text = path.read_text("utf-8")
    blocks = list(excerpts.blocks_of(text, path.parent, wrong))
    for block in blocks:
        if block.made != block.found:
            print(f"{path}:{line_of(text, block.start)}: {block.marker}: made again")
    made = excerpts.with_blocks(text, blocks)
    if made != text:
        path.write_text(made, "utf-8")
    for place, marker, message in wrong:
        print(f"{path}:{line_of(text, place)}: {marker}: {message}")
    return not wrong


def check_listed(folder: Path) -> bool:
    """Prints whether the lesson's record.list measures or keeps each section of its records, and each of its programs contains the text that
    it replaces; also returns that."""
    items, name = recording.load(folder), f"{folder}/measured/record.list has what is recorded"
    try:
        for build in recording.builds_of(folder, items).values():
            build.text()
    except Failure as failure:
        print(f"not ok {name}: {failure}")
        return False
    for record in records_of(folder):
        missing = recording.unlisted(items, [line.section for line in record.lines if line.card])
        if missing:
            print(f"not ok {name}: not the section '{missing[0]}' of {record.path} (`keep` is for what is measured by other means)")
            return False
    print(f"ok {name}")
    return True


def recorded(path: Path) -> bool:
    """Whether a lesson's page has a record to be filled from. The workbook's own page takes its numbers from lessons."""
    return path.parent == Path() or bool(records_of(path.parent))


def main(arguments: list[str]) -> int:
    """Exit status 1: with --check, a number or a line of code differs; otherwise, a formula or a marker yields nothing."""
    description = "Makes the numbers of pages from their formulas, and their code from the programs."
    parser = argparse.ArgumentParser(prog="python3 tools/workbook fill", description=description)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="a lesson's, 03; all lessons without")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)

    folders = [Path(), *([lesson_folder(number) for number in options.numbers] or lesson_folders())]
    right = True
    for folder in folders[1:]:
        if excerpts.MARKER.search((folder / "README.md").read_text("utf-8")):
            right &= (check_code if options.check else fill_code)(folder / "README.md")
    paths = [folder / "README.md" for folder in folders if has_formulas((folder / "README.md").read_text("utf-8"))]
    for path in paths:
        if not recorded(path):
            print(f"skip {path} has the numbers of its record: nothing is recorded yet (make record LESSON={number_of(path.parent)})")
            continue
        try:
            page = Page(path)
            right &= (check if options.check else fill)(page)
            if options.check and path.parent != Path():
                right &= check_listed(path.parent)
        except (FormulaError, RecordError) as error:
            print(f"not ok {path} has the numbers of its record: {error}")
            right = False
    return 0 if right else 1
