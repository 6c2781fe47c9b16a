"""What this machine has: nvcc, a GPU, a checkout of the workbook with its emulator.

With a checkout its own tools/configure.sh answers, so a notebook and the terminal agree. Without one the same questions
are asked here: nvcc from the PATH, CUDA_HOME or /usr/local/cuda, the GPU from the driver.

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
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from .errors import ToolMissing

OLDEST_CUDA = 12
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
    gpu_architectures: list[str] = field(default_factory=list)
    gpu_reason: str = ""
    gencode: list[str] = field(default_factory=list)  # what a checkout chose; empty: see gencode()
    newest: str = ""  # the newest architecture that this nvcc can compile for; empty: not asked
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
    return all((folder / part).is_file() for part in ("tools/configure.sh", "emulator/Makefile", "tests/graders/run"))


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
    return Path(url[len("file://") :]) if url.startswith("file://") else None


def _ask_project(project: Path) -> Machine:
    """What tools/configure.sh finds. Where it has to install a compiler it says so, and that is handed on at once."""
    if not _run_script(project, "tools/configure.sh"):
        raise ToolMissing("the workbook cannot be set up on this machine; the reason is above.")
    text = (project / "build/configuration").read_text(encoding="utf-8")
    quoted = re.findall(r"^([A-Z_]+)='(.*)'$", text, re.MULTILINE)
    known = {name: value.replace("'\\''", "'") for name, value in quoted}
    return Machine(
        nvcc=str(project / known["NVCC"]),
        cuda=known["CUDA_VERSION"],
        toolkit_library=known["TOOLKIT_LIB"],
        host_compiler=known["HOST_COMPILER"],
        gpu=known["GPU_NAME"],
        gpu_architectures=known["GPU_ARCHS"].split(),
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
        for line in running.stdout:
            print(line, end="", flush=True)
    return running.returncode == 0


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without what would change how the workbook's scripts and nvcc behave."""
    dropped = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"}
    return {**{name: value for name, value in os.environ.items() if name not in dropped}, "NO_COLOR": "1", **more}


# --- without a checkout ---


def _look_around() -> Machine:
    nvcc, cuda = _find_nvcc()
    machine = Machine(nvcc, cuda)
    machine.toolkit_library = _find_toolkit_library(machine)
    _find_gpu(machine)
    return machine


def _find_nvcc() -> tuple[str, str]:
    too_old = ""
    home = os.environ.get("CUDA_HOME")
    folders = [home] if home else []
    folders += ["/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"), reverse=True)]
    for candidate in [os.environ.get("NVCC"), shutil.which("nvcc"), *(f"{folder}/bin/nvcc" for folder in folders)]:
        version = _version_of(candidate)
        if version and int(version.split(".")[0]) >= OLDEST_CUDA:
            return candidate, version
        if version:
            too_old = too_old or f" ({candidate} is CUDA {version}, but {OLDEST_CUDA} or newer is needed)"
    raise ToolMissing(
        f"there is no nvcc on the PATH, in CUDA_HOME or in /usr/local/cuda*{too_old}.\nInstall NVIDIA's toolkit "
        "(https://developer.nvidia.com/cuda-downloads), or clone the CUDA C workbook, whose make installs a compiler\n"
        "into its own folder, and name that folder in the variable NVCC_MAGIC_PROJECT."
    )


def _version_of(nvcc: str | None) -> str:
    if not nvcc or not shutil.which(nvcc):
        return ""
    said = subprocess.run([nvcc, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    found = re.search(r"release (\d+\.\d+)", said)
    return found.group(1) if found else ""


def _find_toolkit_library(machine: Machine) -> str:
    dry = [machine.nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"]
    said = subprocess.run(dry, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=clean_environment()).stderr
    top = re.search(r"^#\$ TOP=(.*)$", said, re.MULTILINE)
    if top:
        root = top.group(1)
        for folder in [f"{root}/lib64", f"{root}/lib", *glob.glob(f"{root}/targets/*/lib")]:
            if os.path.exists(f"{folder}/libcudart.so.{machine.cuda_major}"):
                return os.path.realpath(folder)
    return ""


def _find_gpu(machine: Machine) -> None:
    if not glob.glob("/dev/nvidia[0-9]*") and not os.path.exists("/dev/dxg"):
        machine.gpu_reason = "this machine has no NVIDIA device (/dev/nvidia*)"
        return
    query = Path(__file__).with_name("query_gpu.py")
    asked = subprocess.run([sys.executable, "-I", str(query)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if asked.returncode:
        machine.gpu_reason = asked.stderr.strip()
        return
    driver = int(re.search(r"^driver (\d+)", asked.stdout, re.MULTILINE).group(1)) // 1000
    if driver < int(machine.cuda_major):
        machine.gpu_reason = f"the driver supports CUDA {driver}, the toolkit is {machine.cuda}: update the driver"
        return
    _judge_gpus(machine, re.findall(r"^gpu (\d+) (.*)$", asked.stdout, re.MULTILINE))


def _judge_gpus(machine: Machine, gpus: list[tuple[str, str]]) -> None:
    """Whether this nvcc can compile for the GPUs that were found: (architecture, name)."""
    listed = subprocess.run([machine.nvcc, "--list-gpu-code"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    known = sorted(map(int, re.findall(r"^sm_(\d+)$", listed.stdout, re.MULTILINE)))
    found = sorted({int(number) for number, _ in gpus})
    if known and found[0] < known[0]:
        machine.gpu_reason = f"{gpus[0][1]} is sm_{found[0]}, but CUDA {machine.cuda} begins at sm_{known[0]}"
        return
    machine.gpu = gpus[0][1]
    machine.gpu_architectures = [str(number) for number in found]
    machine.newest = str(known[-1]) if known else ""


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
    if not _run_script(machine.project, "tools/emulator.sh"):
        raise ToolMissing("the emulator does not build; the reason is above.")
    return machine.project / "build" / "emulator"


def gencode(machine: Machine, own: list[str] | None = None) -> list[str]:
    """nvcc's -gencode options: machine code for the GPUs here and PTX for later ones and the emulator, or PTX alone.

    `own` are the architectures that the source itself asks for (// arch: sm_90a). Without a GPU the PTX is enough.
    """
    if machine.gencode and not own:
        return machine.gencode
    wanted = own or [f"sm_{number}" for number in machine.gpu_architectures] or ["compute_75"]
    options, newest = [], ""
    for word in wanted:
        kind, number = word.split("_", 1)
        if machine.newest and int(number.rstrip("af")) > int(machine.newest):
            kind, number = (
                "compute",
                machine.newest,
            )  # a GPU newer than the toolkit runs the newest PTX that it can make
        if kind == "sm" and machine.gpu:
            options += ["-gencode", f"arch=compute_{number},code=sm_{number}"]
        newest = number
    return options + ["-gencode", f"arch=compute_{newest},code=compute_{newest}"]
