"""python3 tools/workbook figures [--check] [--programs] [--into FOLDER] [NUMBER...]: draws the figures of lessons.

A lesson's figures are the functions of lessons/NN/figures/draw.py that are marked with @figure (workbook.drawing). Each
is written to NAME.svg in the same folder, or into FOLDER; without a NUMBER those of all lessons. --check compares, and prints a
line for each figure in the tests' format. --programs includes those that are made by running the lesson's programs.
"""
import argparse
import importlib.util
import sys
from pathlib import Path

from workbook.drawing import Figure, figures_in
from workbook.lessons import lesson_folder, lesson_folders, number_of
from workbook.messages import Failure


def load_figures(script: Path, programs: bool) -> dict[str, Figure]:
    """The figures that a draw.py draws, by name. Failure: it has none."""
    spec = importlib.util.spec_from_file_location(f"{script.parent.parent.name}_figures", script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    figures = figures_in(vars(module), programs)
    if not figures and not figures_in(vars(module), True):
        raise Failure(f"{script} draws no figure: mark its functions with @figure")
    return figures


def draw_figure(script: Path, name: str, draw: Figure) -> str:
    """The figure's SVG. Failure: it uses a class that its style lacks."""
    try:
        return str(draw())
    except ValueError as error:
        raise Failure(f"{script}, {name}: {error}") from error


def check(script: Path, name: str, drawn: str) -> bool:
    """Prints whether the committed figure equals the script's; also returns that."""
    committed = script.parent / f"{name}.svg"
    number = number_of(script.parent.parent)
    if committed.is_file() and committed.read_text("utf-8") == drawn:
        print(f"ok {committed} is what draw.py draws")
        return True
    print(f"not ok {committed} is what draw.py draws: run: python3 tools/workbook figures {number}")
    return False


def main(arguments: list[str]) -> int:
    """Exit status 1: with --check, a figure differs."""
    parser = argparse.ArgumentParser(prog="python3 tools/workbook figures", description="Draws the figures of lessons.")
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="03, 03b ...; all lessons without")
    parser.add_argument("--check", action="store_true", help="compare with the committed figures, and write nothing")
    parser.add_argument("--programs", action="store_true", help="also the figures that programs of the lesson make")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="write them there")
    options = parser.parse_args(arguments)

    folders = [lesson_folder(number) for number in options.numbers] or lesson_folders()
    scripts = [folder / "figures" / "draw.py" for folder in folders]
    if options.numbers and not all(script.is_file() for script in scripts):
        raise Failure(f"there is no {next(script for script in scripts if not script.is_file())}")
    same = True
    for script in filter(Path.is_file, scripts):
        for name, draw in load_figures(script, options.programs).items():
            drawn = draw_figure(script, name, draw)
            if options.check:
                same = check(script, name, drawn) and same
                continue
            target = (options.into or script.parent) / f"{name}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(drawn, "utf-8")
            print(target, file=sys.stderr)
    return 0 if same else 1
