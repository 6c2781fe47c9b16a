"""Selects the backend that runs the kernels, a GPU or the emulator. The search path for libraries is the only difference: the executable is the
same. For a shell, tools/actions/backend.sh does the same."""
import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional

from workbook.messages import Failure

EMULATOR = Path("build/emulator")


def find_tool(name: str, configuration: dict[str, str]) -> Optional[str]:
    """ptxas or nvdisasm: from nvcc's folder, since both must be from the same toolkit, on the PATH, or in the workbook's own pip installation
    (tools/toolchain/find_tool.sh)."""
    nvcc = shutil.which(configuration["NVCC"]) or configuration["NVCC"]
    places = [Path(os.path.realpath(nvcc)).parent / name, Path(configuration["TOOLKIT_LIB"] or "/nowhere/lib").parent / "bin" / name]
    places += [Path(found) for found in [shutil.which(name)] if found]
    places += sorted(Path(".toolchain", name, "nvidia").glob(f"*/bin/{name}"))
    return next((str(place) for place in places if os.access(place, os.X_OK)), None)


def newest(folder: Path) -> int:
    """The time of the last change in it, in nanoseconds."""
    found = 0
    for path, _, files in os.walk(folder):
        found = max([found, os.stat(path).st_mtime_ns, *(os.stat(os.path.join(path, file), follow_symlinks=False).st_mtime_ns for file in files)])
    return found


def emulator_is_current(major: str) -> bool:
    """Whether emulator.sh has found it up to date since the last change. The same answer as make's, but in a few milliseconds, not ten processes."""
    try:
        seen = (EMULATOR / "current").stat().st_mtime_ns
        return (EMULATOR / "made_for").read_text().strip() == major and (EMULATOR / f"libcudart.so.{major}").exists() and newest(Path("emulator")) < seen
    except OSError:
        return False


def choose(configuration: dict[str, str]) -> str:
    """gpu or cpu, by BACKEND and this machine; sets the environment accordingly for child processes. Failure: the backend is not available."""
    timeout, asked = os.environ.get("TIMEOUT") or "0", os.environ.get("BACKEND") or "auto"
    if not timeout.isascii() or not timeout.isdigit():
        raise Failure(f"TIMEOUT={timeout}: it is a number of seconds, as in TIMEOUT=20; 0 is no limit.")
    if asked not in ("gpu", "cpu", "auto"):
        raise Failure(f"BACKEND={asked}: it is auto, gpu or cpu.")
    gpu = configuration["GPU_NAME"]
    backend = asked if asked != "auto" else "gpu" if gpu else "cpu"
    if backend == "gpu" and not gpu:
        raise Failure(f"BACKEND=gpu, but no GPU can be used: {configuration['GPU_REASON']}.", "BACKEND=cpu runs on the emulator.")
    library_path = configuration["TOOLKIT_LIB"]
    if backend == "cpu":
        if not emulator_is_current(configuration["CUDA_MAJOR"]) and subprocess.call(["sh", "tools/compile/emulator.sh"]) != 0:
            raise SystemExit(2)  # it has printed the reason
        library_path = os.path.abspath(EMULATOR)
        if not os.environ.get("EMULATOR_PTXAS"):  # the emulator runs it to determine the kernels' resources
            os.environ["EMULATOR_PTXAS"] = find_tool("ptxas", configuration) or ""
    before = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = f"{library_path}:{before}" if before else library_path
    os.environ["EMULATOR_TIMEOUT_SETTING"] = "TIMEOUT=seconds"  # the spelling for a user of the workbook
    return backend
