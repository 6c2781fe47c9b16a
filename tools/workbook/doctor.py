"""doctor: checks everything a lesson needs: one line each, and what to do if something is missing. FILE=a.out also checks a program of your own.

The exit status is 0 when nothing failed.
"""
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from workbook import configuration
from workbook.messages import colour

LOG = Path("build/doctor.log")
PROGRAM = "build/tools/doctor"
COLOURS = {"ok": 32, "warn": 33, "fail": 31}
STATIC_RUNTIME = (b"cudart_static", b"cudaGetExportTable", b"CUDA driver version is insufficient")


def asked(name: str) -> str:
    """An environment variable; empty if it is not set."""
    return os.environ.get(name, "")


def printed(*command: str) -> str:
    """A command's stdout; empty if there is no such command."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace")
    except OSError:
        return ""


def logged(*command: str, stdout: bool = True, **variables: str) -> bool:
    """Whether a command succeeded. Its stderr goes to the log, and with `stdout` also its stdout."""
    with open(LOG, "wb") as log:
        return subprocess.run(command, stdout=log if stdout else None, stderr=log, env={**os.environ, **variables}).returncode == 0


def log_lines() -> list[str]:
    """The latest log entry."""
    return LOG.read_text("utf-8", "replace").splitlines()


class Doctor:
    """Prints the lines, and counts those that report a failure."""

    def __init__(self) -> None:
        self.failures = 0
        self.about: dict[str, str] = {}

    def line(self, state: str, what: str, details: str, remedy: str = "") -> None:
        """One line, and the remedy on the line below."""
        self.failures += state == "fail"
        shown = f"{state:<4}"
        print(f"{colour(COLOURS[state], shown) if sys.stdout.isatty() else shown}  {what:<14} {details}", flush=True)
        if remedy:
            print(f"                      -> {remedy}", flush=True)

    def check_make(self) -> None:
        """GNU make 4."""
        version = (printed(asked("MAKE") or "make", "--version").split("\n")[0].split(" "))[-1]
        if re.match(r"[4-9]\.", version):
            self.line("ok", "make", f"GNU make {version}")
        else:
            self.line("fail", "make", f"GNU make 4 is needed, this is {version or 'unknown'}", "sudo apt-get install make")

    def check_python(self) -> None:
        """The interpreter that runs this."""
        self.line("ok", "python", f"Python {platform.python_version()}, used to install the toolkit where there is none")

    def check_toolkit(self) -> bool:
        """All data about the toolkit and the host compiler comes from the script that every build uses."""
        if not logged("sh", "tools/toolchain/configure.sh", stdout=False):
            lines = log_lines()
            first = next((number for number, line in enumerate(lines) if "error:" in line), len(lines) - 1)
            self.line("fail", "toolkit", re.sub(r".*error:[^ ]* ", "", lines[first]) if lines else "")
            for line in lines[first + 1 :]:
                print(f"                      -> {line.lstrip(' ')}")
            return False
        self.about = about = configuration.load()
        self.line("ok", "toolkit", f"CUDA {about['CUDA_VERSION']}, {about['NVCC']} (from {about['TOOLKIT_FROM']})")
        compiler = printed(about["HOST_COMPILER"] or asked("NVCC_CCBIN") or "g++", "--version").split("\n")[0]
        self.line("ok", "host compiler", f"{compiler or 'the default of nvcc'}, accepted by nvcc")
        runtime = f"libcudart.so.{about['CUDA_MAJOR']}"
        if about["TOOLKIT_LIB"]:
            self.line("ok", "runtime", f"{runtime} in {about['TOOLKIT_LIB']}")
        elif about["GPU_NAME"]:
            self.line("warn", "runtime", f"{runtime} is not in the toolkit's folder; a GPU needs it", "install the toolkit's cuda-cudart package")
        return True

    def check_gpu(self) -> None:
        """A GPU, if there is one."""
        about = self.about
        if about["GPU_NAME"]:
            architectures = ", ".join(f"sm_{number}" for number in about["GPU_ARCHS"].split(" "))
            self.line("ok", "gpu", f"{about['GPU_NAME']} ({architectures})")
        elif asked("BACKEND") == "gpu":
            self.line("fail", "gpu", about["GPU_REASON"], "BACKEND=cpu or nothing uses the emulator")
        else:
            self.line("ok", "gpu", f"none ({about['GPU_REASON']}): kernels run on the emulator")

    def check_launch(self) -> None:
        """A kernel. The emulator is built here if necessary, so that the user sees what takes so long."""
        backend = asked("BACKEND") or "auto"
        on_emulator = backend == "cpu" or (backend == "auto" and not self.about["GPU_NAME"])
        if on_emulator and subprocess.run(["sh", "tools/compile/emulator.sh"]).returncode:
            self.line("fail", "launch", "the emulator does not build", "the compiler's messages are in build/emulator/build.log")
        elif not logged("sh", "tools/compile/build.sh", "tools/toolchain/doctor.cu", PROGRAM, QUIET="1"):
            self.line("fail", "launch", "the test program does not compile", f"its messages are in {LOG}")
        else:
            works = logged("sh", "tools/actions/run.sh", PROGRAM, TIMEOUT=asked("TIMEOUT") or "20")
            last = "".join(log_lines()[-1:])
            if works:
                self.line("ok", "launch", f"1000 threads on '{last}' wrote the expected values")
            else:
                self.line("fail", "launch", last, f"the whole output is in {LOG}")

    def check_program(self) -> None:
        """A program that was linked in the default way contains NVIDIA's runtime and can never use the emulator."""
        program = asked("FILE") or "a.out"
        if not os.path.isfile(program):
            if asked("FILE"):
                self.line("fail", program, "there is no such file")
            return
        needed = re.findall(r"NEEDED.*\[(libcudart\.so[^]]*)\]", printed("readelf", "-d", program))
        text = Path(program).read_bytes()
        if needed:
            self.line("ok", program, f"loads {needed[0]} at run time: runs on a GPU or on the emulator")
            if needed[0] != f"libcudart.so.{self.about['CUDA_MAJOR']}":
                self.line("warn", program, f"was built by another CUDA than {self.about['CUDA_VERSION']}", "compile it again")
        elif any(words in text for words in STATIC_RUNTIME):
            remedy = "compile with: nvcc -cudart shared ...   (or once per shell: . build/env)"
            self.line("warn", program, "has the CUDA runtime linked in statically: it cannot run on the emulator", remedy)
        else:
            self.line("warn", program, "does not use the CUDA runtime")

    def check_jail(self) -> None:
        """The jail in which graders compile and run a file; with neither, other people's files are refused."""
        if not logged("sh", "tools/compile/build_tool.sh", "jail", stdout=False):
            self.line("fail", "jail", "it does not build", f"its messages are in {LOG}")
            return
        with open(LOG, "wb") as log:
            works = subprocess.run(["build/tools/jail", "--which"], stdout=subprocess.PIPE, stderr=log).stdout.decode().strip()
        broken = "".join(f"; {line}" for line in log_lines() if "does not start" in line)
        if works == "bubblewrap":
            self.line("ok", "jail", "bubblewrap: submissions can read only the toolkit, common/ and their own file")
        elif works == "landlock":
            self.line("warn" if broken else "ok", "jail", f"Landlock: submissions can read only the toolkit, common/ and their own file{broken}")
        else:
            remedy = "sudo apt-get install bubblewrap, or Linux 5.13 with Landlock; see SECURITY.md"
            self.line("warn", "jail", f"none works ({';'.join(log_lines())}): only your own exercises are graded", remedy)


def main(arguments: list[str]) -> int:
    """Status 1: something failed."""
    Path("build").mkdir(exist_ok=True)
    doctor = Doctor()
    doctor.check_make()
    doctor.check_python()
    if doctor.check_toolkit():
        doctor.check_gpu()
        doctor.check_launch()
        doctor.check_program()
        doctor.check_jail()
        doctor.line("ok", "own programs", ". build/env makes plain nvcc work in this shell; make doctor FILE=a.out looks at a program")
    return 1 if doctor.failures else 0
