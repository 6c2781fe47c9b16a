"""nvcc_magic without a notebook: options, messages, reports, listings, pictures, a runner with limits.

Prints `ok NAME` or `not ok NAME: why`, as the suites do.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "notebooks/nvcc_magic"))

from nvcc_magic import compile, diagnostics, kept, listing, machine, options, render, report, session, source, unchanged  # noqa: E402
from nvcc_magic.errors import NvccError, OptionError  # noqa: E402
from nvcc_magic.run import run  # noqa: E402


def check(name, found, expected):
    if found == expected:
        print(f"ok {name}")
    else:
        print(f"not ok {name}: expected {expected!r}, found {found!r}")


# --- options ---


def nvcc_words(line):
    return options.parse(line).nvcc


def refused(line):
    try:
        options.parse(line)
    except OptionError as error:
        return str(error)
    return ""


# Invalid options, and a word of the message.
REFUSED = [
    ("--backend tpu", "auto, gpu or cpu"),
    ("--timeout x", "seconds"),
    ("--timeout -1", "seconds"),
    ("--max-output 0", "at least 1"),
    ("--grade", "number"),
    ("--grade x3", "number"),
    ("--grade 03bc", "number"),
    ("--name", "file"),
    ("--name ../a.h", "without folders"),
    ("--name a.txt", "ends in"),
    ("--with", "names"),
    ("-cudart static", "always used"),
    ("--cudart=none", "always used"),
    ("--no-run --profile", "needs the program"),
    ("--sanitize --profile", "one at a time"),
    ("--time --view", "one at a time"),
    ("--name a.h --ptx", "only saved"),
    ("--grade 03 -O1", "only --timeout"),
    ("--exercise", "number"),
    ("--exercise 03 --grade 03", "one of the two"),
    ("--exercise 03 --name a.cu", "this cell alone"),
    ("--exercise 03 -shared", "this cell alone"),
    ("-shared --profile", "nothing to run"),
    ("--run=1", "no value"),
    ("--view=x", "number"),
    ("-D 'x", "quotation"),
    ("-run", "itself"),
]


def test_options():
    check("options: none", options.parse(""), options.Options())
    check(
        "options: all that nvcc knows passes in order",
        nvcc_words("-Xcompiler -Wall -lcurand -I dir -D X=1 -arch sm_90 b.cu"),
        ["-Xcompiler", "-Wall", "-lcurand", "-I", "dir", "-D", "X=1", "-arch", "sm_90", "b.cu"],
    )
    check(
        "options: a value of nvcc's that looks like ours",
        nvcc_words("-Xcompiler --time -o --run"),
        ["-Xcompiler", "--time", "-o", "--run"],
    )
    check("options: that value is not ours", options.parse("-Xcompiler --time").time, False)
    check(
        "options: what follows -- is the program's",
        options.parse("-O1 -- --time 3 'a b' --").arguments,
        ["--time", "3", "a b", "--"],
    )
    check("options: quotes", nvcc_words("-Xcompiler '-Wall -Wextra'"), ["-Xcompiler", "-Wall -Wextra"])
    check("options: an optional value", options.parse("--ptx relu --view 12 --profile").ptx, "relu")
    check("options: a line for --view", options.parse("--ptx relu --view 12 --profile").view, "12")
    check("options: without its value", options.parse("--profile -O1").profile, "")
    check("options: a file is no kernel", (options.parse("--ptx b.cu").ptx, nvcc_words("--ptx b.cu")), ("", ["b.cu"]))
    check(
        "options: a value behind =",
        (options.parse("--ptx=relu").ptx, options.parse("--sanitize=racecheck").sanitize),
        ("relu", "racecheck"),
    )
    check(
        "options: --sanitize takes only its tools",
        (options.parse("--sanitize x.cu").sanitize, nvcc_words("--sanitize x.cu")),
        ("", ["x.cu"]),
    )
    check(
        "options: --with takes all names up to the next option",
        options.parse("--with a.cu b.cpp -rdc=true").parts,
        ["a.cu", "b.cpp"],
    )
    check("options: --grade 3 is exercise 03", options.parse("--grade 3").grade, "03")
    check("options: --exercise 8 is exercise 08", options.parse("--exercise 8 --profile").exercise, "08")
    check("options: --grade 3b is exercise 03b", options.parse("--grade 3b").grade, "03b")
    check(
        "options: limits",
        (options.parse("--timeout 2.5").timeout, options.parse("--max-output 10").max_output),
        (2.5, 10),
    )
    check(
        "options: --no-run and --run",
        (options.parse("--no-run").run, options.parse("--run").run, options.parse("").run),
        (False, True, None),
    )
    check("options: -shared makes no program", options.parse("-shared -o a.so").makes_program, False)
    check("options: nvcc's output", (options.parse("-o x").output, options.parse("--output-file=y").output), ("x", "y"))
    check(
        "options: nvcc_has",
        (options.parse("-std=c++20").nvcc_has("-std"), options.parse("-stdlib").nvcc_has("-std")),
        (True, False),
    )
    for line, word in REFUSED:
        found = refused(line)
        check(f"options: {line} is refused", word if word in found else found, word)


# --- messages ---

FRONT_END = """/tmp/s/cell.cu(5): error: expected an expression
      p[i] = n +;
                ^

/tmp/s/cell.cu(4): warning #177-D: variable "unused" was declared but never referenced
      int unused;
          ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

/tmp/s/cell.cu(9): error: no instance of function template "f" matches the argument list
            argument types are: (int)
      f(3);
      ^
/tmp/s/cell.cu(2): note #3322-D: number of parameters of function template "f" does not match the call
  template <class T> void f(T, T);
                          ^

3 errors detected in the compilation of "/tmp/s/cell.cu".
"""

HOST = """/tmp/s/cell.cu: In function ‘int main()’:
/tmp/s/cell.cu:3:15: error: expected primary-expression before ‘;’ token
    3 |     p[i] = n +;
      |               ^
      |               |
      |               a label
/tmp/s/cell.cu:1:10: fatal error: nofile.h: No such file or directory
    1 | #include "nofile.h"
      |          ^~~~~~~~~~
compilation terminated.
"""

OTHERS = """ptxas fatal   : Unresolved extern function 'foo(int)'
nvlink error   : Undefined reference to 'foo(int)' in '/tmp/x.o'
nvcc fatal   : Unknown option '-foo'
nvcc warning : Support for offline compilation for architectures prior to sm_75 will be removed
ptxas /tmp/tmpxft_asm.ptx, line 21; error   : Not a name of any known instruction: 'bogus'
ptxas error   : Entry function 'k()' uses too much shared data (0x11170 bytes, 0xc000 max)
/usr/bin/ld: /tmp/tmpxft_link.o: in function `main':
tmpxft_link.cudafe1.cpp:(.text+0xf7): undefined reference to `foo(int)'
/usr/bin/ld: cannot find -lfoo: No such file or directory
collect2: error: ld returned 1 exit status
"""


def test_messages():
    first, warning, third = diagnostics.parse(FRONT_END)
    check(
        "messages: nvcc's error",
        (first.severity, first.file, first.line, first.message),
        ("error", "/tmp/s/cell.cu", 5, "expected an expression"),
    )
    check("messages: its caret in the student's line", diagnostics.caret(first, "    p[i] = n +;"), 14)
    check("messages: nvcc's warning", (warning.severity, warning.code, warning.line), ("warning", "#177-D", 4))
    check(
        "messages: further words and notes stay with their error",
        [line.strip() for line in third.details],
        [
            "argument types are: (int)",
            'note: /tmp/s/cell.cu(2): number of parameters of function template "f" does not match the call',
        ],
    )
    check("messages: nothing is left over", diagnostics.rest(FRONT_END), "")
    gcc, missing = diagnostics.parse(HOST)
    check(
        "messages: the host compiler's error",
        (gcc.line, gcc.column, diagnostics.caret(gcc, "    p[i] = n +;")),
        (3, 15, 14),
    )
    check("messages: columns count bytes", diagnostics.caret(gcc, "    ääää; n +;"), 10)
    check(
        "messages: a header that is not there",
        (missing.line, missing.message),
        (1, "nofile.h: No such file or directory"),
    )
    found = [(d.severity, d.tool, d.message.split(" ")[0]) for d in diagnostics.parse(OTHERS)]
    check(
        "messages: ptxas, nvlink, nvcc and the linker",
        found,
        [
            ("error", "ptxas", "Unresolved"),
            ("error", "nvlink", "Undefined"),
            ("error", "nvcc", "Unknown"),
            ("warning", "nvcc", "Support"),
            ("error", "ptxas", "Not"),
            ("error", "ptxas", "Entry"),
            ("error", "linker", "undefined"),
            ("error", "linker", "cannot"),
        ],
    )
    (end,) = diagnostics.parse('At end of source: error: expected a "}"\n')
    check("messages: the end of the source", (end.message, end.tool), ('expected a "}"', "at the end"))
    check(
        "messages: other words are kept",
        diagnostics.rest("#$ _NVVM_BRANCH_=nvvm\n" + FRONT_END),
        "#$ _NVVM_BRANCH_=nvvm",
    )


def test_caret():
    def caret(shown, line):
        return diagnostics.caret(diagnostics.parse("a.cu(1): error: x\n" + shown)[0], line)

    qualified = "  __attribute__((global)) void k() { __attribute__((shared)) char s[700]; }\n" + " " * 66 + "^\n"
    check(
        "caret: qualifiers in another spelling", caret(qualified, "__global__ void k() { __shared__ char s[700]; }"), 38
    )
    check("caret: tabs", caret("   p[i] = n +; foo(i);\n             ^\n", "\tp[i] = n +;\tfoo(i);"), 11)
    letters = r"  if (i < n) { p[i] = \U000000e4\U000000f6; x; }" + "\n" + " " * 44 + "^\n"
    check("caret: letters beyond ASCII", caret(letters, "if (i < n) { p[i] = äö; x; }"), 24)
    macro = "  do { cudaError_t e = (cudaMallo(0)); } while (0);\n" + " " * 24 + "^\n"
    check("caret: behind a macro the word tells", caret(macro, "  CHECK(cudaMallo(0));"), 8)
    check("caret: none rather than a wrong one", caret(macro, "  CHECK(cudaMallo(cudaMallo(0)));"), -1)


def test_shown():
    lines = ["// %%nvcc", "int a;", "", "int b;", "    p[i] = n +<b>;", "}"]
    shown = render.compiler_messages(
        diagnostics.parse(FRONT_END), "", "cell.cu", lambda text: text.replace("/tmp/s/", ""), lambda name: lines
    )
    check(
        "shown: the first error is open, the others are folded",
        (shown.html.count("<details open"), shown.html.count("<details")),
        (1, 3),
    )
    check(
        "shown: errors come before warnings",
        shown.text.index("error, line 9") < shown.text.index("warning, line 4"),
        True,
    )
    check("shown: the source is escaped", ("n +&lt;b&gt;;" in shown.html, "<b>;" in shown.html), (True, False))
    check(
        "shown: the text has the caret below its line",
        "    5 |     p[i] = n +<b>;\n      |               ^" in shown.text,
        True,
    )
    check("shown: scripts", "<script" in shown.html, False)


# --- sources and files ---


def test_sources():
    check("main is found", source.has_main("int\nmain (int argc, char **argv) { }"), True)
    check(
        "main in a comment, a text or a name is none",
        source.has_main('// main()\n/* main() */ const char *s = "main()"; void domain(); void x() { a.main(); }'),
        False,
    )
    check("main behind a quote in a comment", source.has_main("// don't\nint main() { }"), True)
    check("an architecture of its own", source.own_architectures("// x\n// arch: sm_90a\nint x;"), ["sm_90a"])
    kept = session.Session()
    check("a session's folder says whose it is", kept.folder.name.split("-")[1], str(os.getpid()))
    stale = Path(tempfile.mkdtemp(prefix="nvcc_magic-4194305-"))  # no process has a number beyond 2^22
    kept = session.Session()
    check("a killed notebook's folder is removed by the next", (stale.exists(), kept.folder.exists()), (False, True))
    kept.remember(type("Info", (), {"raw_cell": "\n\n%%nvcc -O1\nint a;\nint b;\n"}))
    check(
        "lines of the file are those of the cell",
        kept.save("", "int a;\nint b;\n").read_text().split("\n")[3],
        "int a;",
    )
    kept.remember(type("Info", (), {"raw_cell": "shell.run_cell_magic(...)"}))
    check("a magic that a program calls begins at line 1", kept.save("", "int a;").read_text(), "int a;\n")


def toolkit_that_knows(architectures):
    """An nvcc that only lists its target architectures."""
    path = Path(tempfile.mkdtemp()) / "nvcc"
    path.write_text(f"#!/bin/sh\nprintf '%s\\n' {architectures}\n")
    path.chmod(0o755)
    return str(path)


def test_looking_around():
    """Without a checkout: the findings of the scripts in the package."""
    found = machine._look_around()
    check("without a checkout nvcc is found", os.access(found.nvcc, os.X_OK) and found.cuda.split(".")[0].isdigit(), True)
    check("and what to compile for", found.gencode[:1], ["-gencode"])
    check("and a GPU, or why there is none", bool(found.gpu) != bool(found.gpu_reason), True)


def test_without_nvcc():
    elsewhere = Path(tempfile.mkdtemp())
    for name in ("sh", "dirname", "sed", "ls", "sort"):
        (elsewhere / name).symlink_to(shutil.which(name))
    kept, folder = dict(os.environ), os.getcwd()
    os.environ.update(PATH=str(elsewhere), CUDA_HOME="", CUDA_ROOTS="", NVCC="")
    os.chdir(elsewhere)
    said = "found one"
    try:
        machine._look_around()
    except NvccError as error:
        said = str(error)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(kept)
    check("without nvcc it says where it has looked", said.startswith("there is no nvcc on the PATH, in CUDA_HOME"), True)
    check("and how to get it", "NVCC_MAGIC_PROJECT" in said, True)


def test_machine():
    nvcc = toolkit_that_knows("compute_75 compute_80 compute_90")
    gpu = machine.Machine(nvcc, "13.0", gpu="NVIDIA H200")
    check(
        "machine code for the GPU, and PTX",
        machine.gencode(gpu, ["sm_90"]),
        ["-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_90,code=compute_90"],
    )
    none = machine.Machine(nvcc, "13.0")
    check(
        "PTX of the cell's own architecture",
        machine.gencode(none, ["sm_90a"]),
        ["-gencode", "arch=compute_90a,code=compute_90a"],
    )
    newer = machine.Machine(nvcc, "12.4", gpu="NVIDIA B200")
    newest = ["-gencode", "arch=compute_90,code=compute_90"]
    check("the newest PTX for a GPU newer than the toolkit", machine.gencode(newer, ["sm_100"]), newest)
    try:
        machine.gencode(gpu, ["sm_20"])
    except NvccError as error:
        check("an architecture that the toolkit has forgotten", "sm_20: this toolkit knows" in str(error), True)
    chosen = machine.Machine(nvcc, "13.0", gencode=["-gencode", "arch=compute_80,code=compute_80"])
    check("a checkout's choice", machine.gencode(chosen), chosen.gencode)
    try:
        machine.require_emulator(none)
    except NvccError as error:
        check("no emulator: how to get it", "NVCC_MAGIC_PROJECT" in str(error), True)
    try:
        machine.choose_backend(none, "gpu")
    except NvccError as error:
        check("no GPU: no silent change", "--backend cpu" in str(error), True)
    check("an error has no traceback", len(OptionError("x")._render_traceback_()), 1)


# --- reports, listings, pictures ---

REPORT = """
relu(float *, int)
==================
  grid (4, 1, 1), block (256, 1, 1)

  What stands out
  ---------------
    1. line 7: 8.0 wavefronts per shared load, 1 would do: every
       8 threads collide.
       -> look (make ... view LINE=7), and pad.
    2. 4 blocks for the 132 SMs of an H200.
       -> more work.

  Launch Statistics
  -----------------
    Grid Size                     4 x 1 x 1

  Source Counters
  ---------------
    Divergent Branches            1

    cell.cu
         instructions of 32 divergent  way to                     units
   line      of warps  act.  branches  memory           requests   /req  ideal  (units: sectors)
      5           192  32.0                                                     int i = threadIdx.x;

    b.h
         instructions of 32 divergent  way to                     units
   line      of warps  act.  branches  memory           requests   /req  ideal  (units: sectors)
      7           352  31.4         1  global store           32    7.8    3.9  p[2 * i] = t[i];

Counted on the emulator.
"""

PTX = """
\t.file\t1 "/tmp/s/cell.cu"
.visible .entry _Z1kPi(
\t.param .u64 _Z1kPi_param_0
)
{
\t.reg .b32 \t%r<3>;
\t.loc\t1 3 0
\tld.param.u64 \t%rd1, [_Z1kPi_param_0];
\t.loc\t1 4 5
\t@%p1 bra \t$L__BB0_2;
$L__BB0_2:
\t.loc\t1 5 5
\t// begin inline asm
\t{add.f16 %rs1,%rs2,%rs3;
}
\t// end inline asm
\tst.global.v2.u32 \t[%rd2], {%r1, %r2};
\t{
\t.param .b32 param0;
\tcall.uni (retval0),
\t_Z1gi,
\t(
\tparam0
\t);
\t}
\tret;

}
"""

SVG = """<svg xmlns="http://www.w3.org/2000/svg" aria-labelledby="title desc"><title id="title">t</title><style>
text, .a { fill: #111; }
@media (prefers-color-scheme: dark) { text { fill: #eee; } }
</style><pattern id="hatch"/><rect fill="url(#hatch)"/></svg>"""


def test_reports():
    (kernel,), remark = report.parse(report.in_notebook(REPORT))
    check(
        "report: its kernel and launch",
        (kernel.name, kernel.launch),
        ("relu(float *, int)", "grid (4, 1, 1), block (256, 1, 1)"),
    )
    check(
        "report: what stands out",
        [(rule.line, rule.what.split(" ")[0]) for rule in kernel.rules],
        [(7, "8.0"), (0, "4")],
    )
    check("report: the remedy in a notebook's words", kernel.rules[0].remedy, "look (%%nvcc --view 7), and pad.")
    check("report: sections", [title for title, _ in kernel.sections], ["Launch Statistics", "Source Counters"])
    check("report: a section's text", kernel.sections[0][1], "Grid Size                     4 x 1 x 1")
    check("report: the file of a line", (kernel.rules[0].file, kernel.rules[0].source), ("b.h", "p[2 * i] = t[i];"))
    shown = render.profile([kernel], "", "", "cell.cu", ["not this one"] * 9)
    check("report: another file's line is not taken for the cell's", "b.h, line 7" in shown.html, True)
    check("report: its source is shown", ("7 | p[2 * i]" in shown.html, "not this" in shown.html), (True, False))
    check("report: its last words", remark, "Counted on the emulator.")
    (function,) = listing.parse_ptx(PTX)
    check(
        "ptx: instructions by line",
        [(run.line, len(run.instructions)) for run in function.runs],
        [(3, 1), (4, 1), (5, 5)],
    )
    check("ptx: labels are no instructions", function.count, 6)
    check(
        "ptx: an instruction of several lines", function.runs[2].instructions[-2], "call.uni (retval0),_Z1gi,(param0);"
    )
    drawn = render.inline_svg(SVG)
    own = drawn.split('id="', 1)[1].split('"', 1)[0]
    check(
        "picture: its names are its own",
        (f'id="{own}-hatch"' in drawn, f"url(#{own}-hatch)" in drawn, f'"{own}-title {own}-desc"' in drawn),
        (True, True, True),
    )
    check("picture: its style is its own", (f"#{own} text, #{own} .a {{" in drawn, "\ntext" in drawn), (True, False))
    check("picture: dark themes", f'[data-jp-theme-light="false"] #{own} text' in drawn, True)


# --- what was compiled before ---

# Writes its arguments to its output file.
NVCC = """#!/bin/sh
cd "$(dirname "$0")"
echo call >>calls
grep -q broken *-*/cell.cu && exit 1
while [ "$1" != -o ]; do shift; done
cat *-*/cell.cu >"$2"
echo "a.cu(1): warning #1-D: heard"
"""


class Cells:
    """Cells compiled one after the other by an nvcc that counts."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "nvcc").write_text(NVCC)
        (folder / "nvcc").chmod(0o755)
        (folder / "project/common").mkdir(parents=True)
        self.header = folder / "project/common/used.h"
        self.header.write_text("int used;\n")
        self.session = session.Session()
        self.session.folder = folder / "session-1"
        self.session.folder.mkdir()
        self.session.kept = kept.Kept(self.session.folder)
        self.session.tools["launches"] = folder / "launches.o"
        machine_here = machine.Machine(nvcc=str(folder / "nvcc"), cuda="13.0", project=folder / "project")
        self.compiler = compile.Compiler(machine_here, self.session)

    def calls(self, body, line=""):
        """The number of nvcc calls for a cell; the program must be that cell's."""
        said = self.folder / "calls"
        said.write_text("")
        told = options.parse(line)
        self.compiled = self.compiler.program(told, [self.session.save("", body)])
        if self.compiled.ok and body not in self.compiled.target.read_text():
            return "another cell's program"
        return len(said.read_text().split())


def test_kept():
    with tempfile.TemporaryDirectory() as folder:
        cells = Cells(Path(folder))
        one, two = '#include "common/used.h"\nint main() {}\n', "int main() { return 2; }\n"
        check("kept: a cell is compiled", cells.calls(one), 1)
        check("kept: once more it is not", cells.calls(one, "-- other arguments"), 0)
        check("kept: what nvcc said of it is said again", [m.message for m in cells.compiled.messages], ["heard"])
        check("kept: another cell is", cells.calls(two), 1)
        check("kept: the first one is still known", cells.calls(one), 0)
        check("kept: other options", cells.calls(one, "-O0"), 1)
        cells.header.write_text("int changed;\n")
        check("kept: a header of the workbook has changed", cells.calls(one), 1)
        (cells.session.folder / "common").mkdir()
        (cells.session.folder / "common/used.h").write_text('#include "inner.h"\n')
        check("kept: another header is found first", cells.calls(one), 1)
        (cells.session.folder / "inner.h").write_text("int inner;\n")
        check("kept: a header that was not there", cells.calls(one), 1)
        (cells.session.folder / "inner.h").write_text("int inner2;\n")
        check("kept: a header's header has changed", cells.calls(one), 1)
        check("kept: and is as before", cells.calls(one), 0)
        shutil.rmtree(cells.session.folder / "kept")
        check("kept: a program that is gone is made again", cells.calls(one), 1)
        os.environ["NVCC_CCBIN"] = "/another"
        check("kept: another environment", cells.calls(one), 1)
        del os.environ["NVCC_CCBIN"]
        (cells.folder / "elsewhere").mkdir()
        os.environ["CPATH"] = f"/nowhere:{folder}/elsewhere"
        other = '#include <other.h>\nint main() {}\n'
        for text in ("int other;\n", "int changed;\n"):
            (cells.folder / "elsewhere/other.h").write_text(text)
            check(f"kept: a header in a folder of CPATH: {text.strip()}", (cells.calls(other), cells.calls(other)), (1, 0))
        del os.environ["CPATH"]
        asks = "#if __has_include(<asked.h>)\nint main() { return 3; }\n#endif\n"
        check("kept: a header that is asked for, and is not there", (cells.calls(asks), cells.calls(asks)), (1, 0))
        (cells.folder / "project/asked.h").write_text("int asked;\n")
        check("kept: a header that is asked for has come", (cells.calls(asks), cells.calls(asks)), (1, 0))
        (cells.folder / "project/asked.h").unlink()
        check("kept: and has gone", cells.calls(asks), 0)
        unknown = ("#if __has_include(NAME)\n#endif\n", "#if __has_include_next(<asked.h>)\n#endif\n")
        for words in ("int main() { broken(); }\n", "int main() { __TIME__; }\n", "#include NAME\n", *unknown):
            check(f"kept: nvcc is asked each time: {words.splitlines()[0]}", (cells.calls(words), cells.calls(words)), (1, 1))
        for line in ("-Xptxas -v", "-I .", "other.cu", f"-o {folder}/here"):
            check(f"kept: nvcc is asked each time: {line}", (cells.calls(one, line), cells.calls(one, line)), (1, 1))
        kept.MOST = 2
        found = [cells.calls(f"int main() {{ return {number}; }}\n") for number in (5, 6, 7, 8, 8, 5)]
        check("kept: the oldest programs go", (found, len(os.listdir(cells.session.folder / "kept"))), ([1, 1, 1, 1, 0, 1], 2))


# --- a cell that is an unchanged part of a program ---

PROGRAM = """#include <cstdio>

// Adds.
__global__ void add(int *x) { *x += 1; } // one

int main() { printf("// no comment\\n"); }
"""
SHOWN = """// %%nvcc
// arch: sm_80
#include "piece/before_add.h" // declarations

// Adds.
__global__ void add(int *x) { *x += 1; } // one

#include "piece/after_add.h" // main
"""


def test_unchanged():
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        (place / "piece").mkdir()
        program, cell = place / "lesson.cu", place / "cell.cu"
        program.write_text(PROGRAM)
        before, after = PROGRAM.split("// Adds.")[0], PROGRAM.split("// one\n")[1]
        (place / "piece/before_add.h").write_text(f'#line 1 "{program}"\n{before}')
        (place / "piece/after_add.h").write_text(f'#line 5 "{program}"\n{after}')

        def found(text):
            cell.write_text(text)
            return unchanged.program_of(cell, [place / "not there", place])

        check("unchanged: a piece with the rest", found(SHOWN), program)
        check("unchanged: other comments and empty lines", found(SHOWN.replace("// one", "").replace("// Adds.", "/* Adds\n\n one. */")), program)
        check("unchanged: all of the program", found('#include "lesson.cu"\n'), program)
        others = {
            "another number": SHOWN.replace("+= 1", "+= 2"),
            "a line more": SHOWN.replace("int *x) {", "int *x) {\n"),
            "a piece left out": SHOWN.replace('#include "piece/after_add.h"', ""),
            "a piece twice": SHOWN + '#include "piece/after_add.h"\n',
            "a define in front": "#define printf(x)\n" + SHOWN,
            "another program": "int main() {}\n",
        }
        for name, text in others.items():
            check(f"unchanged: {name} is a change", found(text), None)
        program.write_text(PROGRAM.replace("// no comment", "/* no comment */"))
        check("unchanged: the program has another string now", found(SHOWN), None)
        program.unlink()
        check("unchanged: the program is gone", found(SHOWN), None)


def test_what_stands_in():
    with tempfile.TemporaryDirectory() as folder:
        piece, whole = Path(folder, "piece.cu"), Path(folder, "whole.cu")
        piece.write_text(SHOWN)
        whole.write_text('// %%nvcc\n#include "lesson.cu" // all of it\n')

        def stands_in(cell, lines):
            return [line for line in lines if unchanged.can_stand_in(options.parse(line), cell)]

        never = ["--ptx", "--ptx --profile", "-o here", "--with a.cu", "-Xptxas -v", "-include x.h", "--sanitize -o here"]
        always = ["", "--run -- --version 1", "-O0 -DN=3", "--time", "--backend cpu", "--sanitize", "--sanitize racecheck"]
        lines = ["--profile add", "--view", "--view 7", "--view --profile"]
        check("unchanged: what shows lines shows the cell's", stands_in(piece, never + lines), [])
        check("unchanged: what only runs", stands_in(piece, always), always)
        check("unchanged: of a cell without lines of its own", stands_in(whole, never + always + lines), always + lines)


# --- programs ---


def python(code, **limits):
    pieces = []
    outcome = run([sys.executable, "-u", "-c", code], dict(os.environ), pieces.append, **limits)
    return outcome, pieces


def test_runner():
    outcome, _ = python("import os; os.write(1, b'a'); os.write(2, b'b'); os.write(1, b'c'); exit(3)")
    check("run: both streams in their order, and the status", (outcome.output, outcome.status), ("abc", 3))
    outcome, pieces = python("import os, time; os.write(1, b'now'); time.sleep(0.5); os.write(1, b'later')")
    check("run: output comes while the program runs", pieces, ["now", "later"])
    begin = time.monotonic()
    outcome, _ = python("import time; time.sleep(60)", timeout=0.3)
    check("run: the time limit", (outcome.stopped, outcome.status, time.monotonic() - begin < 20), ("time", -9, True))
    outcome, _ = python("while True: print('x' * 99)", max_output=1000)
    check("run: the output limit", (outcome.stopped, len(outcome.output)), ("output", 1000))
    outcome, _ = python("import os; os.kill(os.getpid(), 11)")
    check("run: a signal", outcome.status, -11)
    pieces = (b"at /tmp/s", b"/cell.cu:3 \xc3", b"\xa4")
    outcome, _ = python(f"import os, time; [(os.write(1, p), time.sleep(0.3)) for p in {pieces}]", hide="/tmp/s/")
    check("run: names and letters that come in two pieces", outcome.output, "at cell.cu:3 ä")
    with tempfile.NamedTemporaryFile() as said:
        outcome, _ = python(
            f"import subprocess; c = subprocess.Popen(['sleep', '60']); open({said.name!r}, 'w').write(str(c.pid))"
        )
        child = Path(f"/proc/{said.read().decode()}/stat")
        time.sleep(0.2)
        check(
            "run: what a program leaves behind ends with it",
            child.exists() and child.read_text().split()[2] != "Z",
            False,
        )


for test in (
    test_options,
    test_messages,
    test_caret,
    test_shown,
    test_sources,
    test_machine,
    test_looking_around,
    test_without_nvcc,
    test_reports,
    test_kept,
    test_unchanged,
    test_what_stands_in,
    test_runner,
):
    try:
        test()
    except Exception as error:  # counts as a failed check, and the others continue
        print(f"not ok {test.__name__}: {type(error).__name__}: {error}")

# --- the emulator's wheel, whose package has the library in lib/ ---

sys.path.insert(0, str(ROOT / "emulator/package"))
check("the emulator's package is found", machine._packaged_emulator(), str(ROOT / "emulator/package/cuda_emulator/lib"))
