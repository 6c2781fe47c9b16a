"""%%nvcc: compile and run a notebook's cell with NVIDIA's compiler, on a GPU or on the CUDA C workbook's emulator.

%load_ext nvcc_magic
"""

from typing import Any

__version__ = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext nvcc_magic` does."""
    from .magic import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext nvcc_magic` does."""
    from .magic import unload

    unload(shell)
