"""Triton's driver for NVIDIA's GPUs as it is, but for what it asks PyTorch: device, stream and compute capability."""

import functools
import os

from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia

from cuda_emulator_triton import host_tensors, libcuda, timing

# For 9.0 Triton multiplies matrices by wgmma, which later GPUs have not; theirs is tcgen05, which the emulator lacks.
# What is compiled for 8.9 runs on all of them.
HIGHEST_CAPABILITY, HIGHEST_FOR_ALL = 90, 89


def name_ptxas():
    """Names the ptxas that keeps the PTX for the emulator, and to that one Triton's own, unless they are named."""
    own = os.path.join(os.path.dirname(nvidia.__file__), "bin", "ptxas")
    ours = libcuda.beside_library("cuda-emulator-ptxas")
    if ours and (os.environ.get("EMULATOR_PTXAS") or os.path.exists(own)):
        os.environ.setdefault("EMULATOR_PTXAS", own)
        os.environ.setdefault("TRITON_PTXAS_PATH", ours)


# Of two drivers that are active Triton takes neither, and later versions' own is active without PyTorch, too.
if libcuda.is_emulator():
    nvidia.CudaDriver.is_active = staticmethod(lambda: False)


def device_properties(of_driver, device=None):
    """Without a number, which PyTorch's device for the CPU has not, the current device's."""
    return of_driver(libcuda.current_device() if device is None else device)


class Launcher(nvidia.CudaLauncher):
    def __call__(self, *arguments):
        host_tensors.launch(super().__call__, arguments)


class EmulatorDriver(nvidia.CudaDriver):
    def __init__(self):
        name_ptxas()
        self.utils = nvidia.CudaUtils()
        self.utils.get_device_properties = functools.partial(device_properties, self.utils.get_device_properties)
        self.launcher_cls = Launcher
        self.get_device_capability = libcuda.capability
        self.get_current_device = libcuda.current_device
        self.set_current_device = libcuda.set_device
        self.get_current_stream = lambda device: 0  # noqa: ARG005, the default stream of any

    @staticmethod
    def is_active():
        return libcuda.is_emulator()

    def get_current_target(self):
        major, minor = libcuda.capability(self.get_current_device())
        capability = major * 10 + minor
        return GPUTarget("cuda", capability if capability <= HIGHEST_CAPABILITY else HIGHEST_FOR_ALL, 32)

    def get_active_torch_device(self):
        """Its own kernels PyTorch can run on the CPU alone."""
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        return timing.benchmark

    def get_device_interface(self):
        """In place of torch.cuda."""
        return timing

    def get_empty_cache_for_benchmark(self):
        """Emptying caches would change nothing here."""

    def clear_cache(self, cache):
        pass
