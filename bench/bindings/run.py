"""run.py [LESSON...]: measures every way in which the course calls a kernel from Python, in one run, and prints the record from which table.py makes
README.md's table of all bindings: cpu.txt without a GPU, h200.txt with one. Of the lessons named, or of all that have a measured/binding.py (measure.py says
what is in such a file).
    python3 bench/bindings/run.py >bench/bindings/cpu.txt
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


def section(title):
    print(f"\n--- {title}", flush=True)


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


def describe_machine(about):
    """The day, the processor and the compilers."""
    section("machine")
    print(time.strftime("%Y-%m-%d", time.gmtime()))
    for found in re.findall(r"^model name[^:]*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[:1]:
        print(f"CPU: {found}")
    print(f"cores: {len(os.sched_getaffinity(0))}")
    if about["GPU_NAME"] and about["backend"] != "cpu":
        print("GPU:", first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"))
    print(first_line(about["HOST_COMPILER"] or "g++", "--version"))
    release = subprocess.run([about["NVCC"], "--version"], stdout=subprocess.PIPE, text=True).stdout
    print(*(f"nvcc {found}" for found in re.findall(r"release ([0-9.]*),", release)), flush=True)


def spent(name, *command, **options):
    """Runs a command, and prints the seconds of the processor that it and its children have taken: with others on this machine they stay the same. Returns
    whether it went well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = subprocess.run(command, **options).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{name} {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s", flush=True)
    return code == 0


class Binding:
    """One lesson with a measured/binding.py."""

    def __init__(self, lesson, about):
        self.lesson, self.about = lesson, about
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
            if spent("build", "sh", "-c", "set -e\n" + "\n".join(commands), stdout=log, stderr=log, env=variables):
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
            if not spent("compile", "sh", "-c", "\n".join(commands), stdout=log, stderr=log, cwd=cmake, env=self.about):
                sys.exit(f"{self.name}: the binding does not compile again; see {self.log}.")

    def record(self):
        """Prints all of its section but the calls. Returns whether these are to be measured."""
        section(self.name)
        if not self.find_python():
            return False
        print("Python", first_line(self.python, "-c", "import platform; print(platform.python_version())"), flush=True)
        print("".join(re.findall(r"^lines.*\n", self.measure("lines"), re.MULTILINE)), end="", flush=True)
        if not self.build():
            return False
        print(self.measure("size"), end="", flush=True)
        self.compile_binding()
        print(self.measure("first"), end="", flush=True)
        return True


def main(asked):
    os.chdir(ROOT)
    about = surroundings()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    describe_machine(about)
    bindings = [Binding(file.parents[1], about) for file in sorted(Path("lessons").glob("*/measured/binding.py"))]
    bindings = [binding for binding in bindings if (not asked or binding.number in asked) and binding.record()]
    for turn in range(1, int(os.environ.get("ROUNDS") or 3) + 1):  # in turns: what changes on the machine meanwhile changes for all
        for binding in bindings:
            section(f"{binding.name}, calls {turn}")
            print(binding.measure("calls"), end="", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
