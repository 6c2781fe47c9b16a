"""run.py [LESSON...]: measures every way in which the course calls a kernel from Python, in one run, of the lessons named, or of all that have a
measured/binding.py (measure.py says what is in such a file). It prints what it measures, and writes the record, rows as make record has them, to
build/bindings/: h200.csv on an H200; without a GPU cpu.csv, whose rows name no card, and whose sections begin with "cpu". From those in
bench/bindings/measured/ README.md's table of all bindings is filled.
Built is anew, without ccache. What needs packages that are not there is skipped with the reason; DOWNLOAD=1 fetches what is large, too.
BUILT=1 takes what `make lessonNN` has built, and leaves that column out: for tests. ROUNDS=3 is how often calls are measured."""

import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from workbook import records  # noqa: E402

SCRATCH = Path("build/bindings")
BUILT = bool(os.environ.get("BUILT"))
LIMIT = 300  # seconds for one of measure.py's tasks

# In sh, since these files are for sh: what was found on this machine, and who runs the kernels.
SURROUNDINGS = """set -eu
. tools/messages.sh
[ -f build/configuration ] || sh tools/toolchain/configure.sh >&2
. build/configuration
. tools/actions/backend.sh
choose_backend
export backend NVCC TOOLKIT CUDA_MAJOR GPU_NAME HOST_COMPILER
exec env -0"""

# What measure.py prints, and spent().
TIME = re.compile(r"(.+?)  ([\d.]+) us  \(([\d.]+) \.\. ([\d.]+)\)")
SIZE = re.compile(r"size (\d+) (\w+)")
NUMBER = re.compile(r"(lines|build|compile|first) ([\d.]+)( s)?")


def section(title):
    print(f"\n--- {title}", flush=True)


class Record:
    """What is measured, as rows. Everything is printed as well."""

    def __init__(self):
        self.cells = []

    def add(self, name, row, column, value, unit=""):
        """A measurement in the section of that name."""
        self.cells.append((name, row, column, value, unit))

    def show(self, name, text):
        """Prints what was measured, and keeps it as rows."""
        print(text, end="", flush=True)
        for line in text.splitlines():
            if found := TIME.fullmatch(line):
                for column, value in zip(("µs", "shortest", "longest"), found.groups()[1:]):
                    self.add(name, found[1], column, value, "µs")
            elif found := SIZE.fullmatch(line):
                self.add(name, found[2], "bytes", found[1], "byte")
            elif found := NUMBER.fullmatch(line):
                row, column = (found[1], "s") if found[3] else ("binding", found[1])
                self.add(name, row, column, found[2], "s" if found[3] else "")

    def write(self, card):
        """Writes what has been added, and says where it belongs."""
        path = SCRATCH / (records.file_name(card) if card else "cpu.csv")
        today = time.strftime("%Y-%m-%d", time.gmtime())
        records.write(path, [records.Row(name if card else f"cpu {name}", *cells, card, today) for name, *cells in self.cells])
        print(f"\n{path} has the record; README.md is filled from bench/bindings/measured/{path.name}")


def first_line(*command):
    """The first line that a command prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.partition("\n")[0]


def surroundings():
    """The environment of everything that is started here."""
    done = subprocess.run(["sh", "-c", SURROUNDINGS], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    variables = dict(os.fsdecode(line).split("=", 1) for line in done.stdout.rstrip(b"\0").split(b"\0"))
    return {"DOWNLOAD": "0", **variables, "CCACHE_DISABLE": "1", "QUIET": "1"}


def describe_machine(about, record):
    """The day, the processor and the compilers. Returns the GPU's name, "" where nothing runs on one."""
    section("machine")
    print(time.strftime("%Y-%m-%d", time.gmtime()))
    models = re.findall(r"^model name[^:]*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    card, driver = "", ""
    if about["GPU_NAME"] and about["backend"] != "cpu":
        card, driver = first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").strip().split(", ")
    release = subprocess.run([about["NVCC"], "--version"], stdout=subprocess.PIPE, text=True).stdout
    compiler = first_line(about["HOST_COMPILER"] or "g++", "--version").split()
    facts = [("CPU", "model", models[0] if models else "unknown"), ("CPU", "cores", str(len(os.sched_getaffinity(0))))]
    facts += [("driver", "version", driver)] if card else []
    facts += [("compiler", "version", f"{compiler[0]} {compiler[-1]}")]
    facts += [("nvcc", "version", found) for found in re.findall(r"release ([0-9.]*),", release)]
    for row, column, value in facts:
        print(f"{row} {column}: {value}", flush=True)
        record.add("machine", row, column, value)
    return card


def spent(name, *command, **options):
    """Runs a command. Returns the line with the seconds of the processor that it and its children have taken (with others on this machine they stay the
    same), and whether it went well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = subprocess.run(command, **options).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return f"{name} {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s\n", code == 0


class Binding:
    """One lesson with a measured/binding.py."""

    def __init__(self, lesson, about, record):
        self.lesson, self.about, self.record = lesson, about, record
        self.number, _, name = lesson.name[len("lesson") :].partition("_")
        self.name = f"{self.number} {name}"
        self.program = (lesson / f"lesson{self.number}.py").read_text(encoding="utf-8")
        self.folder = Path("build/lessons") / self.number if BUILT else SCRATCH / self.number
        self.log = SCRATCH / f"{self.number}.log"

    def find_python(self):
        """Whether there is a Python for it; says why not."""
        asked = ["sh", "tools/python/environment.sh", self.number]
        done = subprocess.run(asked, capture_output=True, text=True, env=self.about)
        if done.returncode:
            why = re.search(r"^error: (.*)", done.stderr, re.MULTILINE)
            print(f"skipped: {why[1] if why else ''}", flush=True)
            return False
        self.python = done.stdout.strip()
        return True

    def measure(self, what):
        """What measure.py prints: of lines, size, first or calls."""
        numpy, here, triton = self.lesson / "measured" / "numpy25", os.getcwd(), SCRATCH / "triton"
        path = [self.folder / "installed", ".", self.lesson, "build/emulator/python", *([numpy] if numpy.is_dir() else [])]
        path = [os.path.normpath(os.path.join(here, folder)) for folder in path]
        variables = {"PYTHONPATH": ":".join([*path, self.about.get("PYTHONPATH", "")]), "LESSON_LIBRARIES": f"{here}/{self.folder}"}
        variables.update(CUDA_RUNTIME=f"libcudart.so.{self.about['CUDA_MAJOR']}", LESSON_FOLDER=f"{here}/{self.lesson}", CUDA_PATH=self.about["TOOLKIT"])
        variables["TRITON_CACHE_DIR"] = f"{here}/{triton}"
        if self.about["HOST_COMPILER"]:
            variables["NVCC_CCBIN"] = self.about["HOST_COMPILER"]
        if what == "first":
            shutil.rmtree(triton, ignore_errors=True)
        command = [self.python, "-X", "utf8", "-B", "bench/bindings/measure.py", str(self.lesson), str(self.folder), what]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**self.about, **variables}, timeout=LIMIT)
        if done.returncode:
            sys.exit(done.returncode)
        return done.stdout

    def commands(self):
        """What builds it, for sh; nothing for a binding that is compiled when it is called."""
        own = re.findall(r"^build (.+)", self.measure("lines"), re.MULTILINE)
        if own:
            return own
        wheels = re.findall(r"^# wheel: *([^ \n]*)", self.program, re.MULTILINE)
        if not wheels and not re.search("^# library:", self.program, re.MULTILINE):
            return []
        program = self.lesson / f"lesson{self.number}.py"
        words = [["sh", "tools/python/device_code.sh", str(program), str(self.folder)]]
        words += [["sh", "tools/python/wheel.sh", self.python, str(self.lesson / wheel), str(self.folder)] for wheel in wheels]
        return [shlex.join(command) for command in words]

    def build(self):
        """Whether it is built, with the time that took."""
        commands = [] if BUILT else self.commands()
        if not commands:
            return True
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        variables = {**self.about, "FOLDER": os.path.join(os.getcwd(), self.folder), "PYTHON": self.python}
        with open(self.log, "w", encoding="utf-8") as log:
            line, right = spent("build", "sh", "-c", "set -e\n" + "\n".join(commands), stdout=log, stderr=log, env=variables)
        if right:
            self.show(line)
            return True
        print("".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)[-15:]), end="", file=sys.stderr)
        print("skipped: it does not build", flush=True)
        return False

    def compile_binding(self):
        """What of that is the C++ compiler's work for the binding itself, where CMake has built: the rest is CMake, kernels, nanobind's own code and pip."""
        cmake = self.folder / "cmake"
        if BUILT or not (cmake / "build.ninja").is_file():
            return
        listed = subprocess.run([str(Path(self.python).parent / "ninja"), "-t", "commands"], stdout=subprocess.PIPE, text=True, cwd=cmake).stdout
        commands = re.findall(r"^.* -c .*src/binding\.cpp$", listed, re.MULTILINE)
        with open(self.log, "a", encoding="utf-8") as log:
            line, right = spent("compile", "sh", "-c", "\n".join(commands), stdout=log, stderr=log, cwd=cmake, env=self.about)
        if not right:
            sys.exit(f"{self.name}: the binding does not compile again; see {self.log}.")
        self.show(line)

    def show(self, text):
        """Prints and records what was measured."""
        self.record.show(self.name, text)

    def prepare(self):
        """Measures everything but the calls. Returns whether these are to be measured."""
        section(self.name)
        if not self.find_python():
            return False
        version = first_line(self.python, "-c", "import platform; print(platform.python_version())").strip()
        print("Python", version, flush=True)
        self.record.add(self.name, "Python", "version", version)
        self.show("".join(re.findall(r"^lines.*\n", self.measure("lines"), re.MULTILINE)))
        if not self.build():
            return False
        self.show(self.measure("size"))
        self.compile_binding()
        self.show(self.measure("first"))
        return True


def main(asked):
    os.chdir(ROOT)
    about = surroundings()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    record = Record()
    card = describe_machine(about, record)
    bindings = [Binding(file.parents[1], about, record) for file in sorted(Path("lessons").glob("*/measured/binding.py"))]
    bindings = [binding for binding in bindings if (not asked or binding.number in asked) and binding.prepare()]
    for turn in range(1, int(os.environ.get("ROUNDS") or 3) + 1):  # in turns: what changes on the machine meanwhile changes for all
        for binding in bindings:
            section(f"{binding.name}, calls {turn}")
            binding.show(binding.measure("calls"))
    record.write(card)


if __name__ == "__main__":
    main(sys.argv[1:])
