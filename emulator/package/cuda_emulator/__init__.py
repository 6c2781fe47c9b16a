"""The CUDA emulator, packaged: `cuda-emulator ./program` runs a CUDA program on the CPU. README.md says what it can do."""

import os
import sys
from pathlib import Path


def library_folder() -> Path:
    """The folder of libcudart.so: first in LD_LIBRARY_PATH, it makes the emulator run a program's kernels."""
    return Path(__file__).resolve().parent / "lib"


def run() -> None:
    """The command `cuda-emulator`: becomes the launcher that was compiled with the library."""
    launcher = str(library_folder() / "cuda-emulator")
    os.execv(launcher, [launcher, *sys.argv[1:]])
