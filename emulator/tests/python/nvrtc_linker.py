"""cuda-core's Linker: PTX, machine code and intermediate code of programs that need each other. What a failed link says."""

import sys

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions, launch

CALLER = """
extern __device__ float twice(float);
extern "C" __global__ void double_all(float *x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        x[i] = twice(x[i]);
}
"""
CALLED = "__device__ float twice(float x) { return 2 * x; }"
N = 1000


def must(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]


def compiled(source, kind, arch):
    lto = kind == "ltoir"
    options = ProgramOptions(arch=arch, relocatable_device_code=None if lto else True, link_time_optimization=lto or None)
    return Program(source, "c++", options=options).compile(kind)


def linked(kinds, arch, to="cubin"):
    """The two programs, each compiled to a kind of code, in one."""
    parts = [compiled(source, kind, arch) for source, kind in zip((CALLER, CALLED), kinds)]
    lto = "ltoir" in kinds
    return Linker(*parts, options=LinkerOptions(arch=arch, link_time_optimization=lto or None, ptx=to == "ptx" or None)).link(to)


def doubles(code, device, stream):
    x = np.arange(N, dtype=np.float32)
    buffer = device.allocate(x.nbytes, stream=stream)
    must(driver.cuMemcpyHtoDAsync(int(buffer.handle), x.ctypes.data, x.nbytes, stream.handle))
    launch(stream, LaunchConfig(grid=8, block=128), code.get_kernel("double_all"), buffer, np.int32(N))
    result = np.empty_like(x)
    must(driver.cuMemcpyDtoHAsync(result.ctypes.data, int(buffer.handle), result.nbytes, stream.handle))
    stream.sync()
    assert np.array_equal(result, 2 * x)


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    arch = f"sm_{device.arch}"
    for kinds in (("ptx", "ptx"), ("cubin", "cubin"), ("cubin", "ptx"), ("ltoir", "ltoir"), ("ltoir", "ptx")):
        doubles(linked(kinds, arch), device, stream)
        print(*kinds, "linked: agrees with NumPy")
    doubles(linked(("ltoir", "ltoir"), arch, to="ptx"), device, stream)
    print("ltoir ltoir linked to PTX: agrees with NumPy")
    try:
        Linker(compiled(CALLER, "ptx", arch), options=LinkerOptions(arch=arch)).link("cubin")
    except Exception as error:
        print("a function is missing:", type(error).__name__, error)
    try:
        broken = ObjectCode.from_ptx(b".version 8.0\n.target sm_90\n.address_size 64\nhello\n\0")
        Linker(broken, options=LinkerOptions(arch=arch)).link("cubin")
    except Exception as error:
        print("no PTX:", type(error).__name__, error)


main()
