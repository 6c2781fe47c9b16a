"""The environment for grading an exercise of a lesson about Python: its interpreter, the lesson's libraries, and, for a C++ module, the
compiler's flags."""
import os
import re
import subprocess
from pathlib import Path

from workbook import build_judge

PATHS = "import sysconfig; print(sysconfig.get_path('purelib')); print(sysconfig.get_path('include'))"


def output_of(*command: str, **variables: str) -> list[str]:
    """The lines that a workbook command prints. Ends this process when it fails; it has printed the reason."""
    asked = subprocess.run(command, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8")
    if asked.returncode != 0:
        raise SystemExit(2)
    return asked.stdout.splitlines()


class PythonLesson:
    """`python`: the interpreter's path. `libraries`: a folder, `linked`: the flags for those in it."""

    def __init__(self, number: str, grader: Path, settings: dict[str, str]) -> None:
        self.grader = grader
        self.python = output_of("sh", "tools/python/environment.sh", number)[-1]
        build_judge.build("python", settings)
        self.libraries = os.path.abspath(f"build/lessons/{number}")
        built = output_of("sh", "tools/python/device_code.sh", str(grader), self.libraries, QUIET="1")
        self.linked = [re.sub(r".*/lib(.*)\.so$", r"-l\1", library) for library in built]
        os.environ["CUDA_RUNTIME"] = f"libcudart.so.{settings['CUDA_MAJOR']}"
        self.packages, self.headers = output_of(self.python, "-I", "-c", PATHS)
        self.nanobind = ""

    def prepare_nanobind(self, file: Path) -> None:
        """Builds nanobind's own code, if the file includes it."""
        if re.search(rb"^# *include *<nanobind/", file.read_bytes(), re.MULTILINE):
            self.nanobind = output_of("sh", "tools/python/module.sh", self.python, "nanobind")[-1]

    def views(self) -> list[str]:
        """The paths of this machine that the compiler of a module needs."""
        ours = [self.libraries, self.headers, self.packages, self.nanobind]
        return ours + output_of(self.python, "-I", "tools/grading/python_views.py")

    def compile_command(self, source: str, module: str) -> list[str]:
        """It is linked with the libraries of the exercise."""
        flags = [f"-I{os.path.abspath(self.grader.parent)}", "-Werror=return-type", f"-L{self.libraries}", *self.linked, f"-Wl,-rpath,{self.libraries}"]
        return ["sh", "tools/python/module.sh", self.python, source, module, *flags]

    def judge_command(self, module: str, shown: str, backend: str) -> list[str]:
        """The judge of this exercise, in Python."""
        return [self.python, "-I", "-B", "-X", "utf8", str(self.grader), module, shown, backend, self.libraries]
