"""execute.py FOLDER NOTEBOOK...: executes notebooks, two at a time, from the first cell to the last, and writes them with
their outputs into FOLDER. A cell that fails ends its notebook; then the exit status is 1.

    ok   lesson03_relu: 12 cells, 41 s
    FAIL lesson05_warps: cell shape_kernel4: KernelError: ...

LIMIT=seconds limits each cell (default 180).
"""

import asyncio
import os
import re
import sys
import time
from pathlib import Path

# jsonschema, which nbformat imports, spends seconds on building the grammar of IRIs unless that package is missing. A notebook has none to check.
sys.modules["rfc3987_syntax"] = None

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 2
SHOWN_LINES = 30


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def words_of(cell):
    """A cell's output, as text."""
    said = ""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            said += output.text
        elif output.output_type != "error":  # the line above already contains the error
            said += output.get("data", {}).get("text/plain", "") + "\n"
    return plain(said).strip()


def last_cell_run(notebook):
    """The cell that ended the run: it failed, or took too long."""
    tried = [cell for cell in notebook.cells if cell.cell_type == "code" and "execution" in cell.metadata]
    return tried[-1] if tried else None


def explain(path, notebook, error):
    cell = last_cell_run(notebook)
    where = f"cell {cell.id}" if cell else "before the first cell"
    if isinstance(error, CellTimeoutError):
        why = f"it took longer than {limit()} s"
    elif isinstance(error, CellExecutionError):
        why = plain(f"{error.ename}: {error.evalue}")
    else:
        why = f"{type(error).__name__}: {error}"
    lines = words_of(cell).split("\n")[-SHOWN_LINES:] if cell else []
    print(f"FAIL {path.stem}: {where}: {why}", *(f"    | {line}" for line in lines), sep="\n", flush=True)


def limit():
    return int(os.environ.get("LIMIT") or 180)


async def execute(path, folder, turns):
    async with turns:
        notebook = nbformat.read(path, as_version=4)
        place = {"metadata": {"path": str(ROOT / "notebooks")}}
        client = NotebookClient(notebook, timeout=limit(), kernel_name="python3", resources=place)
        started, failed = time.monotonic(), None
        try:
            await client.async_execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failed = error
        nbformat.write(notebook, folder / path.name)
    if failed:
        explain(path, notebook, failed)
        return False
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    print(f"ok   {path.stem}: {cells} cells, {time.monotonic() - started:.0f} s", flush=True)
    return True


async def main(folder, paths):
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("NVCC_MAGIC_TIMEOUT", str(limit()))  # a program's default limit is meant for interactive use
    os.environ["PROGRESS_FILE"] = str(folder.resolve() / "progress.txt")  # the exercises solved here are not the student's progress
    turns = asyncio.Semaphore(AT_ONCE)
    results = await asyncio.gather(*(execute(path, folder, turns) for path in paths))
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])))
