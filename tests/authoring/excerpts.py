"""Checks of workbook.excerpts, and of fill's use of them; argument: a folder to write into."""
import contextlib
import io
import os
import sys
from pathlib import Path

from workbook import excerpts, fill
from workbook.formulas import FormulaError


def check(name, found, expected):
    print(f"ok {name}" if found == expected else f"not ok {name}: {found!r}, expected {expected!r}")


PROGRAM = """\
#define MANY(x) \\
    (2 * (x))
enum { BLOCK = 256 };

/* Version 1. */
static __global__ void add_kernel1(float *y, int n) {
    int i = threadIdx.x;
    // a comment
    if (i < n) {
        y[i] += 1.0f;
    }
}

static float2 pair(void);

/* Version 2. */
static __global__ void add_kernel2(float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // a comment
    if (i < n) {
        y[i] += 1.0f;
    }
}

static void add1(float *y) {
    add_kernel1<<<1, BLOCK>>>(y, 1);
    CUDA_CHECK_LAUNCH();
}

static void add2(float *y) {
    add_kernel2<<<2, BLOCK>>>(y, 1);
    CUDA_CHECK_LAUNCH();
}

static __device__ float2 first2(float2 a2) {
    return a2;
}

static __device__ float4 first4(float4 a2) {
    return a2;
}
"""
PYTHON = '''\
WIDTH = 4


class Layer:
    """A layer."""

    @property
    def forward(self):
        """Applies it."""
        return 1


def call1(x):
    """The first."""
    return x


def call2(x):
    return x + 1
'''
LONG = "static void many(void) {\n" + "    step();\n" * 30 + "}\n"
os.chdir(sys.argv[1])
folder = Path("lessons/lesson01_add")
folder.mkdir(parents=True)
(folder / "lesson01.cu").write_text(PROGRAM)
(folder / "calls.py").write_text(PYTHON)
(folder / "long.h").write_text(LONG)
Path("lessons/lesson02_other").mkdir()


def lines(kind, words):
    try:
        return excerpts.lines_of(excerpts.parse(kind, words, folder))
    except FormulaError as error:
        return str(error)


KERNEL1 = PROGRAM.split("\n")[5:12]
check("a function without the comment above it", lines("code", "lesson01.cu add_kernel1"), KERNEL1)
check("a macro of several lines", lines("code", "lesson01.cu MANY"), PROGRAM.split("\n")[:2])
check("an enumerator", lines("code", "lesson01.cu BLOCK"), ["enum { BLOCK = 256 };"])
check("two functions", lines("code", "lesson01.cu BLOCK+first2"), ["enum { BLOCK = 256 };", "", *PROGRAM.split("\n")[34:37]])
check("lines of a function", lines("code", 'lesson01.cu add_kernel1 from="if (" to="}"'), ["...", "if (i < n) {", "    y[i] += 1.0f;", "}", "..."])
check(
    "several ranges",
    lines("code", "lesson01.cu add_kernel1 to=\"int i\" line='y[i]'"),
    [KERNEL1[0], KERNEL1[1], "    ...", KERNEL1[4], "    ..."],
)
check("a whole file", lines("code", 'calls.py * line="WIDTH"'), ["WIDTH = 4", "..."])
check("a function in Python, without its docstring", lines("code", "calls.py call1"), ["def call1(x):", "    return x"])
check("a method", lines("code", "calls.py Layer.forward"), ["@property", "def forward(self):", "    return 1"])
check("another lesson's file", lines("code", "../lesson01_add/calls.py WIDTH"), ["WIDTH = 4"])

check(
    "a diff, with a line around each change",
    lines("diff", "lesson01.cu add_kernel1 add_kernel2"),
    [
        " static __global__ void add_kernel2(float *y, int n) {",
        "-    int i = threadIdx.x;",
        "+    int i = blockIdx.x * BLOCK + threadIdx.x;",
        "     // a comment",
    ],
)
check(
    "a launcher and its kernel have the version's number",
    lines("diff", "lesson01.cu add1 add2 context=0"),
    [" static void add2(float *y) {", "-    add_kernel1<<<1, BLOCK>>>(y, 1);", "+    add_kernel2<<<2, BLOCK>>>(y, 1);"],
)
check(
    "a type with the version's number is a change",
    lines("diff", "lesson01.cu first2 first4 context=0"),
    ["-static __device__ float2 first2(float2 a2) {", "+static __device__ float4 first4(float4 a2) {"],
)
check("a diff of two files", lines("diff", "lesson01.cu add1 calls.py call1 line='+def'"), [" ...", "+def call1(x):"])
check("some lines of a diff", lines("diff", 'lesson01.cu add_kernel1 add_kernel2 line="+    int"'), [" ...", "+int i = blockIdx.x * BLOCK + threadIdx.x;"])

for name, kind, words, part in (
    ("a name that is not there", "code", "lesson01.cu add_kernel9", "defines no add_kernel9"),
    ("a file that is not there", "code", "lesson09.cu add_kernel1", "there is no file"),
    ("a text that is not there", "code", 'lesson01.cu add1 line="nothing"', 'has "nothing"'),
    ("one name in a diff", "diff", "lesson01.cu add1", "takes a file and two names"),
    ("two names in code", "code", "lesson01.cu add1 add2", "takes a file and a name"),
    ("no difference", "diff", "lesson01.cu add1 add1", "no difference"),
    ("more than twenty lines", "code", "long.h many", "32 lines, at most 20"),
    ("a quote without an end", "code", 'lesson01.cu add1 line="', "quotation"),
):
    found = lines(kind, words)
    check(f"refused: {name}", isinstance(found, str) and part in found, True)

PAGE = """# Title

**add_kernel1** adds.

<!-- code: lesson01.cu add_kernel1 from="if (" to="}" -->

<!-- diff: lesson01.cu add_kernel1 add_kernel2 line="-    int" -->
```
old
```

```
<!-- code: lesson01.cu nothing -->
```
"""
FILLED = """# Title

**add_kernel1** adds.

<!-- code: lesson01.cu add_kernel1 from="if (" to="}" -->
```cuda
...
if (i < n) {
    y[i] += 1.0f;
}
...
```

<!-- diff: lesson01.cu add_kernel1 add_kernel2 line="-    int" -->
```diff
 ...
-int i = threadIdx.x;
```

```
<!-- code: lesson01.cu nothing -->
```
"""
page = folder / "README.md"


def filled(*arguments):
    """The output of fill, and its exit status."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = fill.main([*arguments, "01"])
    return printed.getvalue(), status


Path("README.md").write_text("# Workbook\n")
page.write_text(PAGE)
check("fill writes the blocks, and fences where there are none", (filled()[1], page.read_text()), (0, FILLED))
check("and they are right then", filled("--check"), (f"ok {page} has the code of its programs\n", 0))
check("fill changes nothing twice", (filled(), page.read_text()), (("", 0), FILLED))
(folder / "lesson01.cu").write_text(PROGRAM.replace("y[i] += 1.0f", "y[i] += 2.0f"))
printed, status = filled("--check")
check("a program that has changed", (status, f"{page}:5: code: lesson01.cu add_kernel1" in printed), (1, True))
check("is told with both lines and the command", "expected `    y[i] += 2.0f;`, found `    y[i] += 1.0f;` (python3 tools/workbook fill 01)" in printed, True)
page.write_text(FILLED.replace("add_kernel2 line", "add_kernel3 line"))
check("a name that is gone is found by both", (filled()[1], filled("--check")[1]), (1, 1))
