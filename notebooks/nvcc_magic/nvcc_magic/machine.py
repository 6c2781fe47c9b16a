"""What this machine has: nvcc, a GPU, a checkout of the workbook with its emulator.

The scripts in tools/toolchain/ of the workbook answer, so a notebook and the terminal agree: with a checkout its
configure.sh, without one look_around.sh, which lies with this package (tools/ beside this file leads to those of the
workbook).

NVCC_MAGIC_PROJECT    the checkout (else the one that this was installed from, else the one around the working folder)
NVCC_MAGIC_EMULATOR   a folder with the emulator's libcudart.so, used as it is (else, without a checkout, that of the package
                      cuda-emulator)
"""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote

from .errors import ToolMissing

TOOLCHAIN = Path(__file__).with_name("tools") / "toolchain"
NO_EMULATOR = (
    "the emulator was not found. It is part of the CUDA C workbook: clone that, and name its folder in the\n"
    "variable NVCC_MAGIC_PROJECT (%env NVCC_MAGIC_PROJECT=folder), or start Jupyter inside of it, or install the\n"
    "emulator alone (%pip install folder/emulator). Then run this:\n"
    "%reload_ext nvcc_magic"
)


@dataclass
class Machine:
    """What was found. `gpu` is empty where there is none that can be used; `gpu_reason` says why."""

    nvcc: str
    cuda: str  # "13.0"
    toolkit_library: str = ""  # the folder of libcudart.so; empty: the system's linker knows
    host_compiler: str = ""  # empty: nvcc's own choice
    gpu: str = ""
    gpu_reason: str = ""
    gencode: list[str] = field(default_factory=list)  # for the GPUs that are here, or PTX
    project: Path | None = None
    emulator: Path | None = None  # a folder named by the user; that of a project is built when it is needed

    @property
    def cuda_major(self) -> str:
        return self.cuda.split(".")[0]

    def describe(self) -> str:
        """One line for a notebook's first cell."""
        if self.gpu and os.environ.get("BACKEND") == "cpu":
            return f"nvcc {self.cuda}; kernels run on the emulator (BACKEND=cpu), {self.gpu} is left alone"
        if self.gpu:
            return f"nvcc {self.cuda}; kernels run on {self.gpu}"
        if self.project or self.emulator:
            return f"nvcc {self.cuda}; kernels run on the emulator (no GPU: {self.gpu_reason})"
        return f"nvcc {self.cuda}; nothing here can run kernels: no GPU ({self.gpu_reason}), and {NO_EMULATOR}"


def find_machine() -> Machine:
    """Looks around. Raises ToolMissing when there is no nvcc."""
    project = find_project()
    emulator = os.environ.get("NVCC_MAGIC_EMULATOR") or ("" if project else _packaged_emulator())
    if emulator and not glob.glob(os.path.join(emulator, "libcudart.so*")):
        raise ToolMissing(f"NVCC_MAGIC_EMULATOR={emulator}: there is no libcudart.so in that folder.")
    machine = _ask_project(project) if project and not emulator else _look_around()
    machine.project = project
    machine.emulator = Path(emulator).resolve() if emulator else None
    return machine


def _packaged_emulator() -> str:
    """The folder of the library in the package cuda-emulator; empty where that is not installed."""
    package = importlib.util.find_spec("cuda_emulator")
    return str(Path(package.origin).parent / "lib") if package and package.origin else ""


# --- the checkout ---


def _is_project(folder: Path) -> bool:
    marks = ("tools/toolchain/configure.sh", "emulator/Makefile", "tools/grading/grader.h")
    return all((folder / mark).is_file() for mark in marks)


def find_project() -> Path | None:
    """The variable, where the package came from, or the working folder and those above."""
    named = os.environ.get("NVCC_MAGIC_PROJECT")
    if named:
        if not _is_project(Path(named)):
            raise ToolMissing(f"NVCC_MAGIC_PROJECT={named}: that folder is no checkout of the CUDA C workbook.")
        return Path(named).resolve()
    for start in (_installed_from(), Path(__file__).resolve().parent, Path.cwd()):
        for folder in [start, *start.parents] if start else []:
            if _is_project(folder):
                return folder
    return None


def _installed_from() -> Path | None:
    """pip writes down which folder it was given."""
    try:
        record = metadata.distribution("nvcc_magic").read_text("direct_url.json")
        url = json.loads(record or "{}").get("url", "")
    except (metadata.PackageNotFoundError, ValueError):
        return None
    return Path(unquote(url[len("file://") :])) if url.startswith("file://") else None


def _ask_project(project: Path) -> Machine:
    """What configure.sh finds. Where it has to install a compiler it says so, and that is handed on at once."""
    if not _run_script(project, "tools/toolchain/configure.sh"):
        raise ToolMissing("the workbook cannot be set up on this machine; the reason is above.")
    machine = _machine((project / "build/configuration").read_text(encoding="utf-8"))
    machine.nvcc = str(project / machine.nvcc)
    return machine


def _machine(text: str) -> Machine:
    """From the lines NAME='value' of the workbook's scripts."""
    quoted = re.findall(r"^([A-Z_]+)='(.*)'$", text, re.MULTILINE)
    known = {name: value.replace("'\\''", "'") for name, value in quoted}
    return Machine(
        nvcc=known["NVCC"],
        cuda=known["CUDA_VERSION"],
        toolkit_library=known["TOOLKIT_LIB"],
        host_compiler=known["HOST_COMPILER"],
        gpu=known["GPU_NAME"],
        gpu_reason=known["GPU_REASON"],
        gencode=known["GENCODE"].split(),
    )


def _run_script(project: Path, script: str) -> bool:
    """Runs one of the workbook's scripts and prints what it says at once. Whether it succeeded."""
    environment = clean_environment(BACKEND="auto")
    with subprocess.Popen(
        ["sh", script],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        for line in running.stdout or ():
            print(line, end="", flush=True)
    return running.returncode == 0


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without what would change how the workbook's scripts and nvcc behave."""
    dropped = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"}
    return {**{name: value for name, value in os.environ.items() if name not in dropped}, "NO_COLOR": "1", **more}


# --- without a checkout ---


def _look_around() -> Machine:
    with tempfile.TemporaryDirectory(prefix="nvcc_magic_") as scratch:
        command = ["sh", str(TOOLCHAIN / "look_around.sh"), scratch]
        asked = _captured(command)
    if asked.returncode:
        raise ToolMissing(
            f"{_words_of(asked)}\nInstall NVIDIA's toolkit (https://developer.nvidia.com/cuda-downloads), or clone the\n"
            "CUDA C workbook, whose make installs a compiler into its own folder, and name that folder in the variable\n"
            "NVCC_MAGIC_PROJECT."
        )
    return _machine(asked.stdout)


def _captured(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = clean_environment()
    return subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def _words_of(asked: subprocess.CompletedProcess[str]) -> str:
    """Why one of the scripts has failed."""
    return asked.stderr.strip().replace("error: ", "", 1)


# --- who runs the kernels ---


def choose_backend(machine: Machine, wanted: str) -> str:
    """gpu or cpu. To want a GPU where there is none is an error, never a silent change."""
    if wanted == "gpu" and not machine.gpu:
        raise ToolMissing(
            f"--backend gpu, but no GPU can be used: {machine.gpu_reason}. --backend cpu runs on the emulator."
        )
    if wanted == "auto":
        return "gpu" if machine.gpu else "cpu"
    return wanted


def require_emulator(machine: Machine) -> Path:
    """The folder of the emulator's library, brought up to date if it is a checkout's."""
    if machine.emulator:
        return machine.emulator
    if not machine.project:
        wanted = "This runs on the emulator, but" if machine.gpu else f"No GPU can be used ({machine.gpu_reason}), and"
        raise ToolMissing(f"{wanted} {NO_EMULATOR}")
    if not _run_script(machine.project, "tools/compile/emulator.sh"):
        raise ToolMissing("the emulator does not build; the reason is above.")
    return machine.project / "build" / "emulator"


def gencode(machine: Machine, own: list[str] | None = None) -> list[str]:
    """nvcc's -gencode options: machine code for the GPUs here and PTX for later ones and the emulator, or PTX alone.

    `own` are the architectures that the source itself asks for (// arch: sm_90a). Without a GPU the PTX is enough.
    """
    if not own:
        return machine.gencode
    wanted = own if machine.gpu else [word.replace("sm_", "compute_") for word in own]
    asked = _captured(["sh", str(TOOLCHAIN / "gencode.sh"), machine.nvcc, *wanted])
    if asked.returncode:
        raise ToolMissing(_words_of(asked))
    return asked.stdout.split()


def find_tool(machine: Machine, name: str) -> str:
    """The path of ptxas, nvdisasm or compute-sanitizer, or nothing: with nvcc, on the PATH, or in the workbook's own folder."""
    command = ["sh", str(TOOLCHAIN / "find_tool.sh"), name, machine.nvcc, machine.toolkit_library]
    return _captured(command, machine.project).stdout.strip()
