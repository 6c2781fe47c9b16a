"""setup.py - how the extension is built. Nobody calls this file: `pip wheel --no-build-isolation .` has setuptools do
it.

    CUDA_HOME               the folder of the CUDA toolkit, with bin/nvcc, include/ and lib64/
    TORCH_CUDA_ARCH_LIST    for which GPUs: "8.0 9.0+PTX"
    CXX, MAX_JOBS           the C++ compiler; how many of them at once
"""

import os

import torch
from setuptools import setup
from torch.utils import cpp_extension

settings = {
    "name": "gelu_torch._operators",
    "sources": ["src/operators.cpp", "src/gelu.cu"],
    "extra_compile_args": {"cxx": ["-O2", "-g0"], "nvcc": ["-O3", "-lineinfo"]},
    "py_limited_api": True,  # no word of Python's C interface is in it
}
if torch.version.cuda:
    # With CUDA's headers, and linked with cudart, c10_cuda and torch_cuda.
    extension = cpp_extension.CUDAExtension(define_macros=[("WITH_TORCH_CUDA", None)], **settings)
else:
    # PyTorch for the CPU has no c10_cuda and no torch_cuda to link with, and it ignores the environment's CUDA_HOME. So we set its variable
    # and name CUDA's headers and library ourselves. nvcc compiles files that end in .cu here, too.
    cuda = cpp_extension.CUDA_HOME = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    folders = [folder for folder in (os.path.join(cuda, "lib64"), os.path.join(cuda, "lib")) if os.path.isdir(folder)]
    extension = cpp_extension.CppExtension(
        include_dirs=[os.path.join(cuda, "include")], library_dirs=folders, libraries=["cudart"], **settings
    )

setup(
    packages=["gelu_torch"],
    ext_modules=[extension],
    cmdclass={"build_ext": cpp_extension.BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
