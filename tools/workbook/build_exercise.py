"""build_exercise 03 [FILE PROGRAM]: builds a standalone program from exercise.cu, build/exercises/lesson03/exercise, which calls each of its
functions once, as the grader does. So every tool for a lesson's program also works for the student's file. For exercise.py or exercise.cpp the
program is a few lines of sh that start Python (tools/grading/call_exercise.py). FILE, of either kind, is built as PROGRAM instead."""
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from workbook import build_calls, configuration
from workbook.exercises import exercise_folder, exercise_suffix, require_called, require_file
from workbook.files import require_writable
from workbook.grading.python_lesson import output_of
from workbook.messages import Failure


def build_cuda(number: str, program: Path) -> int:
    """The exit status of the compiler's script, which has printed the reason."""
    calls, jobs, grader = build_calls.build(number)
    file = require_file(number)
    require_writable(program.parent)
    command = ["sh", "tools/compile/build.sh", str(file), str(program), str(calls), "-Xlinker", "--export-dynamic", "-diag-suppress", "177,550"]
    status = subprocess.call(command, env={**os.environ, "ARCH_OF": str(grader)})
    if status == 0:
        shutil.copyfile(jobs, f"{program}.jobs")
    return status


def compile_module(number: str, python: str, file: Path, program: Path, libraries: str, built: list[str]) -> Path:
    """A module in C++ is linked with the libraries of the exercise."""
    module = Path(f"{program}.so")
    linked = ["-l" + Path(library).stem[len("lib") :] for library in built]
    flags = ["-g", f"-I{exercise_folder(number)}", "-Werror=return-type", f"-L{libraries}", *linked, f"-Wl,-rpath,{libraries}"]
    if subprocess.call(["sh", "tools/python/module.sh", python, str(file), str(module), *flags]) != 0:
        raise Failure(f"{file.name} does not compile, see above.")
    return module


def starter(python: str, file: Path, program: Path, libraries: str, shown: Path) -> str:
    """The program's text."""
    settings = configuration.load()
    root = Path.cwd()
    words = [python, "-X", "utf8", "-B", str(root / "tools/grading/call_exercise.py"), str(file), f"{program}.jobs", libraries]
    return "\n".join(
        [
            "#!/bin/sh",
            f"# Made by tools/workbook/build_exercise.py: calls {shown}.",
            f"export CUDA_RUNTIME=libcudart.so.{settings['CUDA_MAJOR']} EMULATOR_PYTHON={shlex.quote(str(root / 'build/emulator/python'))} "
            f'TRITON_CACHE_DIR="${{TRITON_CACHE_DIR:-{root}/build/triton}}"',
            "# What libraries and the calls themselves keep until the end is no leak of the exercise; the grader counts objects.",
            '[ "${EMULATOR_CHECK:-}" != all ] || export EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck',
            f'exec {shlex.join(words)} "$@"',
            "",
        ]
    )


def build_python(number: str, file: Path, program: Path) -> int:
    """Failure: it does not compile, or its packages are missing."""
    program, file = program.absolute(), file.absolute()
    require_writable(program.parent)
    libraries, grader = str(Path(f"build/lessons/{number}").absolute()), exercise_folder(number) / "grader.py"
    python = output_of("sh", "tools/python/environment.sh", number)[-1]
    built = output_of("sh", "tools/python/device_code.sh", str(grader), libraries, QUIET="1")
    shown = file.relative_to(Path.cwd()) if Path.cwd() in file.parents else file
    if file.suffix == ".cpp":
        file = compile_module(number, python, file, program, libraries, built)
    output_of(python, "-I", "-B", str(grader), "--jobs", f"{program}.jobs")
    new = Path(f"{program}.new")
    new.write_text(starter(python, file, program, libraries, shown), "utf-8")
    new.chmod(0o755)
    new.replace(program)
    return 0


def main(arguments: list[str]) -> int:
    """build_exercise 03 [FILE PROGRAM]"""
    if len(arguments) not in (1, 3):
        print("usage: build_exercise 03 [FILE PROGRAM]", file=sys.stderr)
        return 2
    number = arguments[0]
    program = Path(f"build/exercises/lesson{number}/exercise")
    if exercise_suffix(number) == "cu":
        return build_cuda(number, program)
    require_called(number)
    if len(arguments) == 3:
        return build_python(number, Path(arguments[1]), Path(arguments[2]))
    return build_python(number, require_file(number), program)
