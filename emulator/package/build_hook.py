"""Compiles the emulator for a wheel, with the compiler of the machine that builds it.

CC                   the compiler; else gcc
CUDA_EMULATOR_MARCH  the processor it is for; else the one at hand, and then the wheel is for machines like this one only
CUDA_EMULATOR_CFLAGS more options for the compiler
"""

import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PRODUCTS = ("libcuda-emulator.so.13", "libcudart.so.13", "libcuda.so.1", "cuda-emulator", "cuda-emulator-ptxas")
TOOLKIT = ("libnvrtc.so.12", "libnvrtc.so.13", "libnvvm.so.4", "libnvJitLink.so.12", "libnvJitLink.so.13")


def header_folder() -> Path:
    """Of the runtime's headers, which the build environment has from NVIDIA's wheels."""
    for folder in importlib.util.find_spec("nvidia").submodule_search_locations:
        for header in Path(folder).glob("**/cuda_runtime_api.h"):
            return header.parent
    raise FileNotFoundError("cuda_runtime_api.h is in none of NVIDIA's wheels in the build environment")


class BuildHook(BuildHookInterface):
    """Puts the compiled library and its launcher into the package."""

    def initialize(self, version, build_data):  # noqa: ARG002, hatchling's interface
        self.folder = tempfile.TemporaryDirectory()
        command = ["make", "-C", self.root, f"-j{os.cpu_count()}", f"BUILD={self.folder.name}", "CUDA_MAJOR=13"]
        command += [f"CUDA_INCLUDE={header_folder()}", f"MARCH={os.environ.get('CUDA_EMULATOR_MARCH', 'native')}"]
        command.append(f"EXTRA_CFLAGS={os.environ.get('CUDA_EMULATOR_CFLAGS', '')}")
        if "CC" in os.environ:
            command.append(f"CC={os.environ['CC']}")
        subprocess.run([*command, "package"], check=True, stdout=subprocess.DEVNULL)
        for name in PRODUCTS + TOOLKIT:
            build_data["force_include"][os.path.join(self.folder.name, name)] = f"cuda_emulator/lib/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")

    def finalize(self, version, build_data, artifact_path):  # noqa: ARG002, hatchling's interface
        self.folder.cleanup()
        shutil.rmtree(Path(__file__).parent / "__pycache__", ignore_errors=True)  # of this very file
