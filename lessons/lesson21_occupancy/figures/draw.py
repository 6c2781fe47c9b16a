"""The page's figures: pictures.cpp draws them, with what calculator.h says fits."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from workbook.drawing import figure
from workbook.messages import Failure


def drawn(name: str) -> str:
    """What pictures.cpp prints for a figure. Failure: no C++ compiler, or an error of it."""
    compiler = os.environ.get("CXX", "c++")
    if not shutil.which(compiler):
        raise Failure(f"lesson 21's figures need a C++ compiler: {compiler}")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "pictures"
        source = Path(__file__).parent / "pictures.cpp"
        subprocess.run([compiler, "-std=c++17", "-I.", str(source), "-o", str(program)], check=True)
        return subprocess.run([str(program), name], check=True, text=True, stdout=subprocess.PIPE).stdout


@figure
def residents() -> str:
    return drawn("residents")


@figure
def steps() -> str:
    return drawn("steps")


@figure
def flight() -> str:
    return drawn("flight")
