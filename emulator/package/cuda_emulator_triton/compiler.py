"""A backend of Triton's has a compiler, too; this one leaves all kernels to Triton's own for NVIDIA's GPUs."""

from triton.backends.nvidia import compiler as nvidia


class NoCompiler(nvidia.CUDABackend):
    @staticmethod
    def supports_target(target):  # noqa: ARG004, Triton's interface
        return False
