"""%run start.py 03: the first cell of a notebook. Loads %%nvcc and lays out the pieces of the lesson's program that the
notebook's cells include.

The extension comes from this checkout, not from an installed package: the two always match, no network is needed, and
the Python of the machine stays unchanged. (To have %%nvcc without the workbook: pip install notebooks/nvcc_magic.)
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
    """Writes the pieces that the cells of notebooks/ include."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from lesson_program import Program

    del sys.path[0]
    folder = next((ROOT / "lessons").glob(f"lesson{number}_*"))
    notebook = (ROOT / "notebooks" / f"{folder.name}.ipynb").read_text(encoding="utf-8")
    Program(folder / f"lesson{number}.cu").write_gaps(notebook, INCLUDE / f"lesson{number}")
    put_first("CPATH", [str(ROOT), str(folder), str(INCLUDE)])


def main(number):
    sys.path.insert(0, str(ROOT / "notebooks" / "nvcc_magic"))
    os.environ["NVCC_MAGIC_PROJECT"] = str(ROOT)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):  # a make in a cell must not act as a child of the make that started Jupyter
        os.environ.pop(name, None)
    lay_out_pieces(number)
    get_ipython().run_line_magic("load_ext", "nvcc_magic")  # noqa: F821 (IPython defines it)


main(sys.argv[1])
