"""table.py [LESSON...]: prints the rows of README.md's table of all bindings, of all lessons that have a measured/binding.py or of those named, made from the
records that run.py has printed: cpu.txt and, as soon as there is one, h200.txt. tests/lessons/tables.test.sh compares README.md with them."""

import os
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LATER = "not measured yet"


def sections(record):
    """The lines of a record by section; rounds of calls count to their binding."""
    lines, current = {}, None
    for line in record.read_text(encoding="utf-8").split("\n") if record.exists() else ():
        if line.startswith("--- "):
            current = lines.setdefault(line[4:].partition(", calls ")[0], [])
        elif current is not None:
            current.append(line)
    return lines


def value(lines, word):
    """The number after that word, in six digits, or None; of times of calls the (lower) median of all rounds."""
    found = [float(line[len(word) :].split()[0]) for line in lines if line.startswith(word + " ")]
    return float(f"{statistics.median_low(found):.6g}") if found else None


def shown(form, number, otherwise):
    """The number in its form, or what stands in its place."""
    return otherwise if number is None else form.format(number)


def host_cells(lines):
    """What the record of a machine without a GPU says: lines, building, size, the empty call."""
    if value(lines, "lines") is None:
        return [LATER] * 4
    built, first, size = value(lines, "build"), value(lines, "first"), next((line for line in lines if line.startswith("size ")), None)
    building = shown("{:.1f} s", built, "nothing") + shown("; at the first call {:.2f} s", first, "")
    kilobytes = float(size.split()[1]) / 1000 if size else None  # of several files the first one counts
    return [f"{value(lines, 'lines'):g}", building, shown("{:.0f} KB", kilobytes, "no file"), shown("{:.3f} µs", value(lines, "empty"), "needs a GPU")]


def row(folder, cpu, gpu):
    """One lesson's row."""
    number, _, name = folder.name[len("lesson") :].partition("_")
    section = f"{number} {name}"
    on_gpu = gpu.get(section, [])
    times = [shown(form, value(on_gpu, word), LATER) for word, form in (("empty", "{:.3f} µs"), ("1 KB", "{:.1f} µs"), ("64 MB", "{:.0f} µs"))]
    cells = [f"{name}, [lesson {number}]({folder}/README.md)", *host_cells(cpu.get(section, [])), *times]
    return f"| {' | '.join(cells)} |"


def main(asked):
    """Prints the rows in the order of the lessons."""
    os.chdir(ROOT)
    cpu, gpu = (sections(Path("bench/bindings") / name) for name in ("cpu.txt", "h200.txt"))
    for file in sorted(Path("lessons").glob("*/measured/binding.py")):
        folder = file.parents[1]
        if not asked or folder.name[len("lesson") :].partition("_")[0] in asked:
            print(row(folder, cpu, gpu))


if __name__ == "__main__":
    main(sys.argv[1:])
