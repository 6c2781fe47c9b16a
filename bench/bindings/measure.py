"""measure.py LESSON FOLDER lines|size|first|calls: one lesson's numbers for the table of all bindings, a line each. run.py
calls it, in the root of the workbook, with the Python of that lesson.

A lesson has a row by a file of its own, measured/binding.py:

    CODE = ["lesson27.py#declare,forward", "package/src/binding.cpp"]
                        what had to be written for the binding, without the kernels: files of the lesson; of a Python file
                        the functions and classes behind the #. Counted are lines with more than a comment; in C++, what
                        stands in a section `// ---- for the lesson` is not.
    COMPILES = False    True: kernels are compiled when they are called first
    EMPTY = None        a phrase that says what the empty call cannot leave out, if that is a kernel: then it needs a GPU
    BUILD = "..."       only if it is not enough to build what the lesson's program names (`# wheel:`, `# library:`): a
                        command for sh, with $FOLDER and $PYTHON
    def files(folder)   by name, the files that a user gets, of what was built there; the first one is the table's size
    def opened()        imports what is measured, and returns two functions: one that does nothing but cross the border and
                        return, and one that takes an array of NumPy and returns a new one with GELU of each element
"""

import ast
import io
import math
import os
import re
import resource
import statistics
import sys
import time
import tokenize
from pathlib import Path

TURNS, WARM_UP = 21, 3
SIZES = (("1 KB", 256, 200), ("64 MB", 1 << 24, 3))


def load(lesson):
    """binding.py, whose imports of the lesson's own files work."""
    file = lesson / "measured" / "binding.py"
    names = {"__file__": str(file), "__name__": "binding"}
    sys.path[:0] = [str(lesson), os.getcwd()]
    exec(compile(file.read_text(), str(file), "exec"), names)  # noqa: S102
    return names


def python_lines(text, names):
    """Lines with code, without comments and texts that document: of the file, or of its functions and classes `names`."""
    tree = ast.parse(text)
    defined = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    missing = [name for name in names if name not in defined]
    if missing:
        raise SystemExit(f"measure.py: there is no function or class {', '.join(missing)}")
    wanted = [defined[name] for name in names] if names else tree.body
    code = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            code.update(range(token.start[0], token.end[0] + 1))
    documented = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, node.end_lineno + 1))
    inside = set()
    for node in wanted:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        inside.update(range(first, node.end_lineno + 1))
    return len((code - documented) & inside)


def other_lines(text):
    """The same of C++, CMake and TOML."""
    text = re.sub(r"^// -{10,} for the lesson.*?(?=^// -{10,}|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//") and not re.match(r"#(?!include|pragma|define|if|endif)", line))


def lines_of(lesson, code):
    total = 0
    for entry in code:
        path, _, names = entry.partition("#")
        text = (lesson / path).read_text()
        total += python_lines(text, [name for name in names.split(",") if name]) if path.endswith(".py") else other_lines(text)
    return total


def processor_seconds():
    """Of this process and of those that it has started and that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(call, times, clock):
    start = clock()
    for _ in range(times):
        call()
    return (clock() - start) / times


def row(name, call, times, clock):
    taken = [1e6 * timed(call, times, clock) for _ in range(WARM_UP + TURNS)][WARM_UP:]
    print(f"{name}  {statistics.median(taken):.3f} us  ({min(taken):.3f} .. {max(taken):.3f})", flush=True)


def verified(forward, x):
    import numpy as np

    from common import verify

    y, some = forward(x), slice(0, 1 << 16)
    expected = np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x[some].tolist()])
    if y.shape != x.shape or verify.wrong(y[some], expected, 1e-6, 1e-5).any():
        raise SystemExit(f"measure.py: forward of {x.size} elements is wrong")


def calls(names):
    """An empty call waits for nothing: its time is that of the processor. The others wait for the GPU."""
    from common import device, verify

    nothing, forward = names["opened"]()
    verified(forward, verify.random(1000, -4, 4, 1))
    emulated = device.is_emulator()
    if not (emulated and names.get("EMPTY")):
        row("empty", nothing, 20000, time.process_time)
    if not emulated:
        for name, n, times in SIZES:
            x = verify.random(n, -4, 4, 2)
            verified(forward, x)
            row(name, lambda x=x: forward(x), times, time.perf_counter)


def first(names):
    """What the first call takes more of the processor than the second one: compiling."""
    from common import verify

    _, forward = names["opened"]()
    x = verify.random(256, -4, 4, 1)
    spent = []
    for _ in range(2):
        before = processor_seconds()
        forward(x)
        spent.append(processor_seconds() - before)
    print(f"first {spent[0] - spent[1]:.2f} s")


def main(lesson, folder, what):
    lesson = Path(lesson).resolve()
    names = load(lesson)
    if what == "lines":
        print(f"lines {lines_of(lesson, names['CODE'])}")
        print(f"compiles {names['COMPILES']}")
        print(f"build {names.get('BUILD', '')}")
    elif what == "size":
        for name, file in names["files"](Path(folder)).items():
            print(f"size {os.path.getsize(file)} {name}")
    elif what == "first":
        if names["COMPILES"]:
            first(names)
    else:
        calls(names)


if __name__ == "__main__":
    main(*sys.argv[1:])
