"""copies.py FOLDER: the student's own copies of notebooks/ in FOLDER, for `make lab`. JupyterLab saves the files
that it opens; with copies, the notebooks in git stay unchanged, and `git pull` updates them without a conflict.

A student's work is never overwritten. An unmodified copy is replaced when the original has changed; for any other copy the new notebook is
written beside it, as lesson03_relu.new.ipynb. FOLDER/.originals records the original of each copy.
"""

import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def work_in(path):
    """The parts of a notebook that a user edits: the cells' texts and outputs. Saving alone changes only other parts."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(cell["source"]), cell.get("outputs") or []) for cell in cells]


def is_untouched(copy, original):
    if copy.read_bytes() == original.read_bytes():
        return True
    try:
        return work_in(copy) == work_in(original)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False  # a broken file may also be a user's work


def bring(source, folder):
    """Copies one notebook; returns a sentence about it, or nothing."""
    copy, remembered = folder / source.name, folder / ".originals" / source.name
    if not copy.exists():
        shutil.copyfile(source, copy)
        shutil.copyfile(source, remembered)
        return ""
    if remembered.exists() and remembered.read_bytes() == source.read_bytes():
        return ""
    if remembered.exists() and is_untouched(copy, remembered):
        shutil.copyfile(source, copy)
        shutil.copyfile(source, remembered)
        return f"{copy.name} has changed, and you had not worked in it: it is the new one now."
    new = folder / f"{source.stem}.new.ipynb"
    if new.exists() and not is_untouched(new, source):
        number = 2
        while (folder / f"{source.stem}.new{number}.ipynb").exists():
            number += 1
        new = folder / f"{source.stem}.new{number}.ipynb"
    shutil.copyfile(source, new)
    shutil.copyfile(source, remembered)
    return f"{copy.name} has changed. Yours stays as it is; the new one is {new.name} beside it."


def main(folder):
    folder = Path(folder)
    (folder / ".originals").mkdir(parents=True, exist_ok=True)
    for source in sorted((ROOT / "notebooks").glob("*.ipynb")):
        said = bring(source, folder)
        if said:
            print(said)


if __name__ == "__main__":
    main(sys.argv[1])
