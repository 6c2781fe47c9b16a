"""The findings of tools/toolchain/configure.sh on this machine: build/configuration."""
import shlex
import subprocess
from pathlib import Path

from workbook.messages import Failure

FILE = Path("build/configuration")


def load() -> dict[str, str]:
    """Its variables (NVCC, TOOLKIT, GPU_NAME ...). Creates it first if it is missing. Failure: the machine has no toolkit."""
    if not FILE.is_file() and subprocess.call(["sh", "tools/toolchain/configure.sh"]) != 0:
        raise Failure("this machine is not ready, see above.")
    words = shlex.split(FILE.read_text("utf-8"), comments=True)
    return dict(word.split("=", 1) for word in words)
