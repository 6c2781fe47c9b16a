"""copies.py FOLDER: the student's own copies of notebooks/ in FOLDER, for `make lab`. JupyterLab saves what it opens; so the
notebooks that git has stay as they are, and `git pull` brings new ones without a conflict.

What a student has written is never overwritten. A copy that nobody has worked in is replaced when the original has changed; beside any other
the new one is put, as lesson03_relu.new.ipynb. FOLDER/.originals remembers of which original a copy was made.
"""

import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def work_in(path):
    """What somebody may have done in a notebook: the cells' texts and outputs. Saving alone changes other things."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(cell["source"]), cell.get("outputs") or []) for cell in cells]


def is_untouched(copy, original):
    if copy.read_bytes() == original.read_bytes():
        return True
    try:
        return work_in(copy) == work_in(original)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False  # a broken file is somebody's, too


def bring(source, folder):
    """One notebook: a sentence on what was done, or nothing."""
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
