"""A notebook whose cells succeed and fail in every way, executed by nbclient: magic_cells.py SCRATCH [WORD].

With WORD only the cells with that word in their names; `end` for those that are interrupted and killed.

Prints `ok NAME` or `not ok NAME: why`, as the suites do. It runs in the project's virtual environment, on the emulator.
"""

import asyncio
import contextlib
import os
import re
import signal
import sys
import time
from pathlib import Path

sys.modules["rfc3987_syntax"] = None  # as in tools/notebooks/execute.py: seconds

import nbclient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """#include <cstdio>
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARD x[2 * i] *= 2.0f;
}
int main() {
    float *x;
    cudaMalloc(&x, 200 * sizeof(float));
    cudaMemset(x, 0, 200 * sizeof(float));
    scale<<<1, THREADS>>>(x, 100);
    cudaDeviceSynchronize();
    cudaFree(x);
    printf("the end\\n");
}
"""


def program(threads=128, guard="if (i < n)"):
    return KERNEL.replace("THREADS", str(threads)).replace("GUARD", guard)


def exercise(file):
    return next(ROOT.glob(file)).read_text()


ENDLESS_KERNEL = """__global__ void k(volatile int *p) {
    while (*p == *p) { }
}
int main() {
    int *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize();
}
"""

RACE = """__global__ void k(int *p) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int *p;
    cudaMalloc(&p, 256);
    k<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
"""

FORKS = """#include <cstdio>
#include <unistd.h>
int main() {
    int child = fork();
    if (child == 0) for (;;) pause();
    printf("running %d %d\\n", getpid(), child);
    for (;;) ;
}
"""

# A program in three pieces, as in a lesson's notebook, and cells that show the middle one. Its kernel fails on request.
WHOLE = KERNEL.replace("main()", "main(int count, char **)").replace("128", "100").replace("THREADS", "100 * count").replace("GUARD", "if (true)")
HEAD, SHOWN, TAIL = re.split(r"(?=__global__)|(?=int main)", WHOLE)


def pieces(file):
    write = "import pathlib\n"
    for name, text in (("whole.cu", WHOLE), ("head.h", f'#line 1 "{file}"\n{HEAD}'), ("tail.h", f'#line 6 "{file}"\n{TAIL}')):
        write += f"pathlib.Path({name!r}).write_text({text!r})\n"
    return write


# Defines compiled(), the number of programs that the session keeps.
COUNT = """import glob, os, tempfile
def compiled():
    return len(glob.glob(f"{tempfile.gettempdir()}/nvcc_magic-{os.getpid()}-*/kept/*"))
before = compiled()
"""


def piece(shown=SHOWN, line="%%nvcc --run"):
    return f'{line}\n#include "head.h" // declarations\n\n\n{shown}\n#include "tail.h" // main\n'


# Name, the cell, and the expected output: text and HTML are patterns, error is the exception that IPython reports.
CASES = [
    ("a good cell", "%%nvcc\n" + program(), dict(text="^the end")),
    (
        "nvcc's flags, and the program's arguments",
        "%%cuda -Xcompiler -Wall -D N=3 -O1 -- one 'two words'\n#include <cstdio>\n"
        'int main(int argc, char **argv) { printf("%s, %s, %d\\n", argv[1], argv[2], N + argc); }',
        dict(text="^one, two words, 6"),
    ),
    (
        "a compile error",
        "\n%%nvcc\n#include <cstdio>\nint main() {\n    int i = 3 +;\n    return j;\n}",
        dict(
            error="CompileError: line 5: expected an expression .and 1 further error.",
            html="<details open.*line 5.*<details .*line 6",
            text=r"5 \|     int i = 3 \+;\n +\| {16}\^",
        ),
    ),
    (
        "a warning",
        "%%nvcc\nint main() {\n    int unused;\n}",
        dict(text="^warning, line 3: variable .unused. was declared"),
    ),
    (
        "a warning that nvcc gives twice",
        "%%nvcc\n__global__ void k(int *p) { int a; p[0] = a; }\nint main() { int unused = 3; }",
        dict(html=r"^(?:(?!is used before).)*is used before(?:(?!is used before).)*$"),
    ),
    (
        "-Xptxas -v without a GPU",
        "%%nvcc -Xptxas -v\n__global__ void k(int *p) { *p = 7; }\nint main() { }",
        dict(text=r"compiled to PTX alone[^$]*for sm_90[^$]*Used \d+ registers"),
    ),
    (
        "-Xptxas -v for an architecture that is named",
        "%%nvcc -arch=sm_80 -Xptxas -v\n__global__ void k(int *p) { *p = 7; }\nint main() { }",
        dict(text=r"\A(?![^$]*PTX alone)[^$]*Used \d+ registers"),
    ),
    ("--no-run says so", "%%nvcc --no-run\nint main() { }", dict(text="^compiled, and not run")),
    ("a word that is none of --sanitize's", "%%nvcc --sanitize foo\nint main() { }", dict(error="OptionError: --sanitize foo: it takes one of")),
    ("--run without a main", "%%nvcc --run\n__global__ void k() { }", dict(error="CompileError: .*main", text="There is no main.. in this cell")),
    ("%nvcc --version in a line", "%nvcc --version", dict(text="release [0-9]+")),
    ("%nvcc in a line cannot make a program", "%nvcc -O3", dict(error="OptionError: %nvcc in a line only asks")),
    (
        "a crash",
        '%%nvcc\n#include <cstdio>\nint main() { puts("before"); int *volatile p = 0; return *p; }',
        dict(error="ProgramError: .*segmentation fault .*SIGSEGV", text="^before"),
    ),
    ("a status that is not 0", "%%nvcc\nint main() { return 3; }", dict(error="ProgramError: .*status 3")),
    (
        "an access out of bounds",
        "%%nvcc\n" + program(guard=""),
        dict(
            error=r"KernelError: Invalid __global__ (read|write) of size 4 bytes, line 5, in scale.*thread \(100,0,0\)",
            text=r"cell\.cu:5",
        ),
    ),
    ("(a program and its pieces)", pieces("whole.cu") + COUNT, {}),
    ("an unchanged piece of it", piece(), dict(text=r"\Athe end\n\Z")),
    (
        "nothing for --sanitize in an unchanged piece",
        piece(line="%%nvcc --run --sanitize"),
        dict(text=r"\Athe end\n(.*\n)?--sanitize: nothing found"),
    ),
    (
        "a profile of all pieces",
        '%%nvcc --run --profile\n#include "whole.cu" // all of it\n',
        dict(text=r"^scale[^$]*whole\.cu\n", html=r"whole\.cu, line 4"),
    ),
    ("one program is compiled for all these pieces", "print(compiled() - before, 'program')", dict(text="^1 program")),
    (
        "a profile of an unchanged piece, in the cell's lines",
        piece(line="%%nvcc --run --profile"),
        dict(text=r"^scale[^$]*cell\.cu\n", html="line 7"),
    ),
    (
        "an unchanged piece goes wrong, in the cell's line",
        piece(line="%%nvcc --run -- more"),
        dict(error=r"KernelError: Invalid __global__ read of size 4 bytes, line 7, in scale.*", text=r"\A(?![^$]*whole\.cu:)[^$]*cell\.cu:7"),
    ),
    (
        "--sanitize finds that in an unchanged piece, in the cell's line",
        piece(line="%%nvcc --run --sanitize memcheck -- more"),
        dict(error=r"KernelError: Invalid __global__ read of size 4 bytes, line 7, in scale.*", text=r"\A(?![^$]*whole\.cu:)[^$]*cell\.cu:7"),
    ),
    ("a changed piece of it", piece(SHOWN.replace("2 * i", "i")[:-2] + "    if (i == 99) printf(\"changed\\n\");\n}\n"), dict(text="^changed")),
    (
        "a failed launch that the program ignores",
        "%%nvcc\n" + program(threads=2048),
        dict(
            error="LaunchError: scale.* was not launched: cudaErrorInvalidValue .*2048 x 1 x 1 threads", text="^the end"
        ),
    ),
    (
        "a failed launch that the program asks about",
        "%%nvcc\n" + program(threads=2048).replace("cudaFree", "cudaGetLastError();cudaFree"),
        dict(text="^the end"),
    ),
    (
        "an endless kernel",
        "%%nvcc --timeout 4\n" + ENDLESS_KERNEL,
        dict(error="TimeLimit: Endless kernel, line [23], in k.*--timeout"),
    ),
    (
        "an endless program",
        '%%nvcc --timeout 3\n#include <cstdio>\nint main() { printf("no end"); fflush(stdout); for (;;) ; }',
        dict(error="TimeLimit: .*stopped after 3 s", text="^no end"),
    ),
    ("NVCC_MAGIC_TIMEOUT", "%env NVCC_MAGIC_TIMEOUT=2", dict(text="=2")),
    (
        "NVCC_MAGIC_TIMEOUT stops an endless program",
        "%%nvcc\nint main() { for (;;) ; }",
        dict(error="TimeLimit: .*stopped after 2 s"),
    ),
    ("NVCC_MAGIC_TIMEOUT that is no number", "%env NVCC_MAGIC_TIMEOUT=long", dict(text="=long")),
    (
        "NVCC_MAGIC_TIMEOUT that is no number is named",
        "%%nvcc\n" + program(),
        dict(error="OptionError: NVCC_MAGIC_TIMEOUT=long: a number of seconds"),
    ),
    ("NVCC_MAGIC_TIMEOUT taken back", "import os\nos.environ.pop('NVCC_MAGIC_TIMEOUT')", dict(text="long")),
    (
        "endless output",
        '%%nvcc --max-output 5000\n#include <cstdio>\nint main() { for (;;) puts("x"); }',
        dict(error="OutputLimit: .*5000 characters"),
    ),
    (
        "a race, for --sanitize",
        "%%nvcc --sanitize racecheck\n" + RACE,
        dict(error="KernelError: .*Race reported.*line [45]"),
    ),
    (
        "nothing for --sanitize",
        "%%nvcc --sanitize\n" + program(),
        dict(text="--sanitize: nothing found .memcheck, racecheck"),
    ),
    (
        "a profile and pictures",
        "%%nvcc --profile scale --view\n" + program(),
        dict(
            html=r"<b>scale.*<b>line 5</b>: .*sectors per request.*Launch Statistics.*<svg .*data-jp-theme-light",
            text=r"What stands out[\s\S]*line 5, global load",
        ),
    ),
    (
        "PTX below its lines, without a main",
        "%%nvcc --ptx\n__global__ void k(int *p) {\n    *p = 7;\n}",
        dict(html=r"<div[^>]*>3 \| \*p = 7;</div><div[^>]*>[^<]*st.global"),
    ),
    ("--time on the emulator", "%%nvcc --time\nint main() { }", dict(text="^--time: n/a, .*emulator")),
    (
        "a header",
        "%%nvcc --name twice.h\nstatic int twice(int x) {\n    return 2 * x;\n}",
        dict(text="twice.h is saved"),
    ),
    (
        "a program with it",
        '%%nvcc\n#include <cstdio>\n#include "twice.h"\nint main() { printf("%d\\n", twice(5)); }',
        dict(text="^10$"),
    ),
    ("another header of that name", "%%nvcc --name twice.h\nstatic int twice(int x) {\n    return x + x + 1;\n}", dict(text="saved")),
    (
        "the same cell is then another program",
        '%%nvcc\n#include <cstdio>\n#include "twice.h"\nint main() { printf("%d\\n", twice(5)); }',
        dict(text="^11$"),
    ),
    ("the first header again", "%%nvcc --name twice.h\nstatic int twice(int x) {\n    return 2 * x;\n}", dict(text="saved")),
    (
        "a part of a program",
        '%%nvcc --name part.cu\n#include "twice.h"\nint four() {\n    return twice(2);\n}',
        dict(text="saved and compiled"),
    ),
    (
        "a program of several cells",
        '%%nvcc --with part.cu\n#include <cstdio>\n#include "twice.h"\nint four();\n'
        'int main() { printf("%d\\n", twice(four())); }',
        dict(text="^8$"),
    ),
    (
        "a part that was never saved",
        "%%nvcc --with nothing.cu\nint main() { }",
        dict(error="OptionError: .*saved so far: part.cu"),
    ),
    (
        "an option that does not exist",
        "%%nvcc --profil\nint main() { }",
        dict(error="CompileError: .*Unknown option", text="Did you mean --profile"),
    ),
    (
        "a GPU where there is none",
        "%%nvcc --backend gpu\nint main() { }",
        dict(error="ToolMissing: .*no GPU can be used"),
    ),
    (
        "the exercise as given is graded",
        "%%nvcc --grade 03\n" + exercise("lessons/lesson03_*/exercise.cu"),
        dict(error="NotPassed: exercise 03: not_implemented", html="✗"),
    ),
    (
        "the solution is graded",
        "%%nvcc --grade 03\n" + exercise("solutions/lesson03_*/solution.cu"),
        dict(html="exercise 03: <b[^>]*>pass.*Compare with the solution.*__global__", text=r"VERDICT: pass[^$]*^Next: exercise 01, in lesson01_threads"),
    ),
    (
        "so is a further exercise of a lesson",
        "%%nvcc --grade 03b\n" + exercise("lessons/lesson03b_*/exercise.cu"),
        dict(error="NotPassed: exercise 03b: stale_output", html="✗"),
    ),
    (
        "an exercise's own kernels are profiled",
        "%%nvcc --exercise 8 --profile\n" + exercise("solutions/lesson08_*/wrong/no_padding.cu"),
        dict(html=r"transpose_kernel.*32\.0 wavefronts per shared load", text=r"^transpose\(in, out, 2, 256, 320, stream\)"),
    ),
    (
        "and checked, one function alone",
        "%%nvcc --exercise 08 --sanitize -- transpose\n" + exercise("solutions/lesson08_*/wrong/missing_barrier.cu"),
        dict(error=r"KernelError: Error: Race reported .*line 33, in transpose_kernel"),
    ),
    (
        "an exercise that is called has no main",
        "%%nvcc --exercise 08\nint main() { }",
        dict(error=r"OptionError: --exercise: .*no main\(\)"),
    ),
    (
        "an exercise in Python is called, too",
        "%%nvcc --exercise 27 --profile\n" + exercise("solutions/lesson27_*/solution.py"),
        dict(html="layer_kernel", text=r"^forward\(x: .*float32, scale="),
    ),
    (
        "a compile error is graded",
        '%%nvcc --grade 03\n#include "common/check.h"\nint x = ;',
        dict(error="CompileError: line 3: expected an expression"),
    ),
]


def report(name, why):
    print(f"not ok {name}: {why}" if why else f"ok {name}", flush=True)


def shown(cell):
    """The output of a cell: its text (including the plain text of displays), its HTML on one line, and its error."""
    text = html = error = ""
    for output in cell.outputs:
        if output.output_type == "stream":
            text += output.text
        elif output.output_type == "error":
            error = f"{output.ename}: {output.evalue}"
            if len(output.traceback) != 1:
                error += f" (with a traceback of {len(output.traceback)} parts)"
        else:
            text += "\n" + output.data.get("text/plain", "") + "\n"
            html += output.data.get("text/html", "").replace("\n", " ")
    return text, html, error


def judge(cell, text="", html="", error=""):
    found_text, found_html, found_error = shown(cell)
    if not error and found_error:
        return f"it ended with {found_error}"
    if error and not re.fullmatch(error + r"(?!.*with a traceback)[\s\S]*", found_error):
        return f"it ended with {found_error or 'no error'}, expected {error}"
    if not re.search(text, found_text, re.MULTILINE):
        return f"its text lacks {text}: {found_text[:300]!r}"
    if not re.search(html, found_html):
        return f"its HTML lacks {html}: {found_html[:300]!r}"
    if "/nvcc_magic-" in found_text + found_html:
        return "it names the folder of the session"
    return ""


def ended(process):
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


async def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        await asyncio.sleep(0.1)
    return condition()


async def start_endless(client, index):
    """Executes a cell whose program never ends. Its task, and the processes it named while it ran."""
    cell = client.nb.cells[index]
    task = asyncio.ensure_future(client.async_execute_cell(cell, index))
    await until(lambda: "running" in shown(cell)[0] or task.done())
    return task, re.findall(r"\d+", shown(cell)[0])


async def check_interrupt(client, index):
    name = "Interrupt ends the program and its children"
    task, processes = await start_endless(client, index)
    report("output comes while the program runs", "" if len(processes) == 2 and not task.done() else "it did not")
    await client.km.interrupt_kernel()
    await task
    report(name, judge(client.nb.cells[index], error="Interrupted: "))
    left = [process for process in processes if not await until(lambda: ended(process), 10)]
    report(name + ", all of them", f"{left} of {processes} run on" if left else "")
    for process in left:
        os.kill(int(process), signal.SIGKILL)


async def check_death(client, index):
    """The notebook's process is killed, as by a restart."""
    task, processes = await start_endless(client, index)
    await client.km.shutdown_kernel(now=True)
    with contextlib.suppress(nbclient.exceptions.DeadKernelError):
        await task
    left = [process for process in processes if not await until(lambda: ended(process), 10)]
    report("a program ends with its notebook", f"{left} of {processes} run on" if left or not processes else "")
    for process in left:
        os.kill(int(process), signal.SIGKILL)


def check_progress(path):
    """Exercises that the cells have passed are recorded for make progress; here in a file other than the student's."""
    noted = Path(path).read_text() if Path(path).exists() else ""
    report("a cell's pass counts in make progress", "" if re.search(r"^03 \d{4}-\d\d-\d\d .* cell$", noted, re.MULTILINE) else f"{noted!r}")


async def main(scratch, word=""):
    os.environ["PROGRESS_FILE"] = f"{scratch}/progress.txt"
    os.environ["PYTHONPATH"] = str(ROOT / "notebooks/nvcc_magic")
    cases = [("%load_ext", "%load_ext nvcc_magic", dict(text="nvcc [0-9.]+; kernels run on"))]
    cases += [case for case in CASES if word in case[0]]
    ends = [check_interrupt, check_death] if word in ("", "end") else []
    sources = [source for _, source, _ in cases] + ["%%nvcc\n" + FORKS] * len(ends)
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    metadata = {"metadata": {"path": scratch}}
    client = nbclient.NotebookClient(notebook, timeout=300, allow_errors=True, resources=metadata)
    async with client.async_setup_kernel():
        for index, (name, _, expected) in enumerate(cases):
            await client.async_execute_cell(notebook.cells[index], index)
            report(f"notebook: {name}", judge(notebook.cells[index], **expected))
        if not word:
            check_progress(f"{scratch}/progress.txt")
        for index, check in enumerate(ends):
            await check(client, len(cases) + index)


asyncio.run(main(*sys.argv[1:]))
