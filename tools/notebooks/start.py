"""%run start.py 03: what a notebook's first cell does. Loads %%nvcc and lays out the pieces of the lesson's program that the
notebook's cells include.

The extension comes from this checkout, not from what may be installed: the two always fit, no network is needed, and the
Python of the machine stays as it is. (To have %%nvcc without the workbook: pip install notebooks/nvcc_magic.)
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "build" / "notebooks" / "include"


def put_first(variable, folders):
    """Puts folders at the front of a search path in the environment, once."""
    rest = [folder for folder in os.environ.get(variable, "").split(os.pathsep) if folder and folder not in folders]
    os.environ[variable] = os.pathsep.join(folders + rest)


def lay_out_pieces(number):
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from lesson_notebook import Lesson

    del sys.path[0]
    lesson = Lesson(number)
    for part in lesson.parts():
        if getattr(part, "shown", None):
            lesson.program.write_gaps(part.shown, INCLUDE / f"lesson{number}")
    put_first("CPATH", [str(ROOT), str(lesson.folder), str(INCLUDE)])


def main(number):
    sys.path.insert(0, str(ROOT / "notebooks" / "nvcc_magic"))
    os.environ["NVCC_MAGIC_PROJECT"] = str(ROOT)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):  # a make in a cell is none of the make that has started Jupyter
        os.environ.pop(name, None)
    lay_out_pieces(number)
    get_ipython().run_line_magic("load_ext", "nvcc_magic")  # noqa: F821 (IPython defines it)


main(sys.argv[1])
