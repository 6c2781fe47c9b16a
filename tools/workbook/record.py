"""python3 tools/workbook record NUMBER (make record LESSON=10): measures the items of a lesson's measured/record.list (workbook.recording) on this
machine's GPU, and writes measured/<card>.csv (workbook.records).

If the compiler is on a different machine from the GPU: --build there, copy build/record/, and --no-build here. --only WORD measures only the lines
with that word; the rest of the record is kept.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

from workbook import recording, records
from workbook.lessons import lesson_folder
from workbook.messages import Failure, say, warn
from workbook.recording import Build, Item

SANITIZERS = "memcheck racecheck synccheck initcheck"
WITHOUT_GPU = (
    "python3 tools/workbook record NUMBER --build compiles here what is to be measured. A lesson may wait for its record:",
    'CONTRIBUTING.md, "Without a GPU of your own", says how somebody else makes it.',
)


def configuration() -> dict[str, str]:
    """The findings of tools/toolchain/configure.sh; empty if it has not run."""
    path = Path("build/configuration")
    if not path.is_file():
        return {}
    script = f'. {path}; for name in NVCC TOOLKIT TOOLKIT_LIB CUDA_MAJOR HOST_COMPILER; do eval "echo \\"$name=\\${{$name:-}}\\""; done'
    said = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    return dict(line.split("=", 1) for line in said.splitlines())


def ask_card(query: str) -> str:
    """One field of nvidia-smi for the first GPU. Failure: there is none."""
    try:
        asked = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure("recording needs a GPU, and nvidia-smi was not found", *WITHOUT_GPU) from None
    if asked.returncode or not asked.stdout.strip():
        raise Failure("a record is made on a GPU, and nvidia-smi finds none here", *WITHOUT_GPU)
    return asked.stdout.splitlines()[0].strip()


class Builder:
    """Builds programs in build/record/NN/."""

    def __init__(self, number: str, folder: Path) -> None:
        self.number, self.lesson, self.folder = number, folder, Path("build/record") / number
        self.found = configuration()

    def all(self, builds: list[Build]) -> None:
        """Builds all in parallel, one per core. Failure: one cannot be built."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(build.in_python for build in builds) and (self.lesson / f"lesson{self.number}.py").is_file():
            subprocess.run(["make", "-s", f"lesson{self.number}"], check=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.one, [build for build in builds if not build.in_python]))

    def one(self, build: Build) -> None:
        """Compiles a program, from a copy of its source in the same folder if something is replaced."""
        source = build.source
        if build.replacements:
            source = source.with_name(f".record_{build.name}{source.suffix}")  # its includes are relative
            source.write_text(build.text(), "utf-8")
        try:
            self.compile(build, source)
        finally:
            if source != build.source:
                source.unlink()

    def compile(self, build: Build, source: Path) -> None:
        """PTX for the emulator, machine code for the local GPU or for compute capability 9.0."""
        code = build.code or os.environ.get("CODE") or self.code_of_card()
        host = ["-ccbin", self.found["HOST_COMPILER"]] if self.found.get("HOST_COMPILER") else []
        targets = [f"arch=compute_{build.ptx},code=compute_{build.ptx}", f"arch=compute_{code},code=sm_{code}"]
        command = [self.found.get("NVCC") or "nvcc", "-O3", "-lineinfo", "-std=c++17", "-cudart", "shared", *host]
        command += [word for target in targets for word in ("-gencode", target)]
        command += ["-I.", f"-I{self.lesson}", *build.options, str(source), "-o", str(self.folder / build.name), "-ldl", "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{build.source} cannot be compiled:", *(done.stderr or done.stdout).splitlines()[:20])

    @staticmethod
    def code_of_card() -> str:
        """90, the form of compute capability 9.0 in ptxas; that of the local GPU, if there is one."""
        try:
            return ask_card("compute_cap").replace(".", "")
        except Failure:
            return "90"


class Recorder:
    """Measures the items of a lesson, one after the other, into a file of rows."""

    def __init__(self, number: str, folder: Path, builds: dict[str, Build], rows: Path) -> None:
        self.lesson, self.builds, self.rows, self.number = folder, builds, rows, number
        self.card = ask_card("name")
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        self.programs = Path("build/record") / number
        self.found = configuration()
        self.failed = False

    def measure(self, item: Item) -> None:
        """Measures an item. Its rows are dropped if it fails."""
        say(f"{item.section}")
        size = self.rows.stat().st_size if self.rows.is_file() else 0
        try:
            {"run": self.run, "ncu": self.ncu, "sanitize": self.sanitize, "step": self.step}[item.kind](item)
        except (Failure, subprocess.TimeoutExpired, OSError) as error:
            warn(f"{item.section}: {error}. It is left out of the record.")
            self.failed = True
            if self.rows.is_file():
                os.truncate(self.rows, size)

    def machine(self) -> None:
        """The driver and the clocks."""
        for row, column, unit in (("driver", "version", ""), ("clocks", "sm", "MHz"), ("clocks", "memory", "MHz")):
            query = "driver_version" if row == "driver" else f"clocks.max.{column}"
            self.add("machine", row, column, ask_card(query), unit)

    def add(self, section: str, row: str, column: str, value: str, unit: str) -> None:
        """Appends a row."""
        new = not self.rows.is_file() or self.rows.stat().st_size == 0
        with open(self.rows, "a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(records.COLUMNS)
            writer.writerow([section, row, column, value, unit, self.card, self.date])

    def environment(self, item: Item) -> dict[str, str]:
        """The environment of a program: NVIDIA's libraries, never the emulator's; the file for its rows."""
        env = {**os.environ, **item.variables, "RECORD": str(self.rows.resolve()), "RECORD_SECTION": item.section}
        env.update(RECORD_CARD=self.card, RECORD_DATE=self.date, FOLDER=str(self.programs.resolve()))
        libraries = [path for path in env.get("LD_LIBRARY_PATH", "").split(":") if path and not path.endswith("build/emulator")]
        env["LD_LIBRARY_PATH"] = ":".join([*libraries, *filter(None, [self.found.get("TOOLKIT_LIB")])])
        made = Path("build/lessons", self.number).resolve()
        paths = [made / "installed", Path().resolve(), self.lesson.resolve(), *filter(None, [os.environ.get("PYTHONPATH")])]
        env.update(PYTHONPATH=":".join(map(str, paths)), LESSON_LIBRARIES=str(made), LESSON_FOLDER=str(self.lesson.resolve()))
        if self.found.get("CUDA_MAJOR"):
            env.setdefault("CUDA_RUNTIME", f"libcudart.so.{self.found['CUDA_MAJOR']}")
            # For a program that compiles, as in tools/compile/build_python.sh.
            env.update(NVCC=self.found["NVCC"], CUDA_PATH=self.found["TOOLKIT"], CXX=self.found["HOST_COMPILER"] or "g++")
            if self.found["HOST_COMPILER"]:
                env["NVCC_CCBIN"] = self.found["HOST_COMPILER"]
        return env

    def command(self, item: Item) -> list[str]:
        """The program with its arguments."""
        build = self.builds[item.program]
        arguments = [] if item.kind == "ncu" else item.words[1:]
        if not build.in_python:
            return [str(self.programs / build.name), *arguments]
        if not hasattr(self, "python"):
            self.python = os.environ.get("PYTHON") or self.found_python()
        return [self.python, "-X", "utf8", "-B", str(build.source), *arguments]

    def found_python(self) -> str:
        """A Python with the lesson's packages; the default one if it requires none, as for a comparison with PyTorch only if that is installed."""
        if not (self.lesson / "requirements.txt").is_file():
            return "python3"
        asked = subprocess.run(["sh", "tools/python/environment.sh", self.number], stdout=subprocess.PIPE, text=True)
        if asked.returncode:
            raise Failure(f"there is no Python for lesson {self.number}")
        return asked.stdout.split()[-1]

    def run(self, item: Item) -> None:
        """Runs a program, which writes its rows itself."""
        done = subprocess.run(self.command(item), env=self.environment(item), timeout=item.timeout)
        if done.returncode:
            raise Failure(f"it ended with status {done.returncode}")

    def step(self, item: Item) -> None:
        """Runs the lesson's own script in the root of the workbook."""
        done = subprocess.run(["sh", str(self.lesson / item.program), *item.words[1:]], env=self.environment(item), timeout=item.timeout)
        if done.returncode:
            raise Failure(f"it ended with status {done.returncode}")

    def ncu(self, item: Item) -> None:
        """Counts with ncu: a row for each launch, a column for each metric."""
        metrics = item.words[1:]
        each = item.options.get("each")
        which = ["--kernel-id", f":::{each}"] if each else ["--launch-count", item.options.get("launches", "1"), "--kill", "yes"]
        if "kernels" in item.options:
            which += ["--kernel-name", f"regex:{item.options['kernels']}"]
        command = ["ncu", "--clock-control", "none", "--print-units", "base", *which, "--csv", "--page", "raw", "--metrics", ",".join(metrics)]
        env = {name: value for name, value in self.environment(item).items() if name != "RECORD"}
        done = subprocess.run([*command, *self.command(item)], env=env, timeout=item.timeout, capture_output=True, text=True)
        counts = parse_ncu(done.stdout, metrics)
        if not counts:
            raise Failure("ncu has counted nothing: " + (done.stdout + done.stderr).strip()[-300:])
        for kernel, metric, value, unit in counts:
            print(f"{kernel} {metric} {value} {unit}")
            self.add(item.section, kernel, metric, value, unit)

    def sanitize(self, item: Item) -> None:
        """The findings of each of compute-sanitizer's tools, and whether the program passes under it. The tools run in parallel."""
        env = {name: value for name, value in self.environment(item).items() if name != "RECORD"}
        which = ["--kernel-regex", f"kns={item.options['kernels']}"] if "kernels" in item.options else []
        which += ["--launch-count", item.options["launches"]] if "launches" in item.options else []

        def look(tool: str) -> str:
            command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", *which, *self.command(item)]
            return subprocess.run(command, env=env, timeout=item.timeout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

        tools = item.options.get("tools", SANITIZERS).split()
        with ThreadPoolExecutor(len(tools)) as pool:
            for tool, said in zip(tools, pool.map(look, tools)):
                errors = re.search(r"SUMMARY: .*?(\d+) error", said)
                if not errors:
                    raise Failure(f"{tool} has not ended: {said.strip()[-300:]}")
                print(f"{tool}: {errors[1]} errors")
                self.add(item.section, tool, "errors", errors[1], "")
                self.add(item.section, tool, "passed", str(int(bool(re.search(r"^PASS", said, re.MULTILINE)))), "")


def kernel_name(signature: str) -> str:
    """void cub::Reduce<policy<int>>(T *, int) -> cub::Reduce; watched_kernel<3>(float *) keeps its 3."""
    depth, end = 0, len(signature)
    for place, letter in enumerate(signature):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            end = place
            break
    name = re.sub(r"^void ", "", signature[:end])
    return re.sub(r"<.*", "", name) if re.search(r"<.*::", name) else re.sub(r"\(\w+\)", "", name)


def parse_ncu(text: str, metrics: list[str]) -> list[tuple[str, str, str, str]]:
    """(kernel, metric, value, unit) of ncu's raw page as CSV: its head, a line of units, a line for each launch."""
    start = text.find('"ID"')
    if start < 0:
        return []
    head, units, *launches = list(csv.reader(text[start:].splitlines()))
    seen: dict[str, int] = {}
    counts: list[tuple[str, str, str, str]] = []
    for cells in launches:
        launch = dict(zip(head, cells))
        if len(cells) != len(head):
            continue
        name = kernel_name(launch["Kernel Name"])
        seen[name] = seen.get(name, 0) + 1
        row = name if seen[name] == 1 else f"{name} #{seen[name]}"
        counts += [(row, metric, launch[metric].replace(",", ""), units[head.index(metric)]) for metric in metrics if launch.get(metric)]
    return counts


def keep(rows: Path, folder: Path, card: str, name: str | None, stays: Callable[[str], bool]) -> Path:
    """Writes measured/<card>.csv: the new rows, and the old rows of the sections that are kept."""
    new = records.load(rows).lines
    path = folder / "measured" / (f"{name}.csv" if name else records.file_name(card))
    old = records.load(path).lines if path.is_file() else []
    measured = {line.section for line in new}
    records.write(path, records.merged([line for line in old if line.section in measured or stays(line.section)], new))
    return path


def main(arguments: list[str]) -> int:
    """Exit status 1: something could not be measured."""
    parser = argparse.ArgumentParser(prog="python3 tools/workbook record", description="Measures a lesson on the GPU of this machine.")
    parser.add_argument("number", metavar="NUMBER", help="the lesson's, 10")
    parser.add_argument("--build", action="store_true", help="only build what is measured, in build/record/")
    parser.add_argument("--no-build", action="store_true", help="measure what is built there")
    parser.add_argument("--only", metavar="WORD", help="only the lines of record.list with that word")
    parser.add_argument("--card", metavar="NAME", help="write measured/NAME.csv")
    options = parser.parse_args(arguments)
    if not options.number:
        raise Failure("which lesson? make record LESSON=10")

    folder = lesson_folder(options.number)
    items = recording.load(folder)
    builds = recording.builds_of(folder, items)
    wanted = [item for item in items if item.kind not in ("build", "keep") and (not options.only or options.only in item.section)]
    if not wanted:
        raise Failure(f"no line of {folder}/measured/record.list has the word {options.only}")
    if not options.build:
        ask_card("name")  # before minutes of compiling
    if not options.no_build:
        needed = {item.program for item in wanted if item.kind != "step"} | {item.program for item in items if item.kind == "build"}
        Builder(options.number, folder).all([builds[name] for name in sorted(needed)])
    if options.build:
        say(f"build/record/{options.number}/ has what is to be measured; where the GPU is: python3 tools/workbook record {options.number} --no-build")
        return 0
    scratch = Path(tempfile.mkdtemp())
    try:
        recorder = Recorder(options.number, folder, builds, scratch / "rows.csv")
        recorder.machine()
        for item in wanted:
            recorder.measure(item)
        whole = not options.only and not recorder.failed
        path = keep(scratch / "rows.csv", folder, recorder.card, options.card, lambda section: not whole or recording.is_kept(items, section))
    finally:
        shutil.rmtree(scratch)
    say(f"{path} has the record; python3 tools/workbook fill {options.number} brings its numbers into the page")
    return 1 if recorder.failed else 0
