"""cuda-core with NVRTC: C++ compiled in the process, launched, compared with NumPy. Argument: ptx or cubin."""

import sys

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
template <typename T>
__global__ void axpy(T a, const T *x, T *y, size_t n) {
    for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] += a * x[i];
}
"""


def must(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]


def compiled(kind, arch):
    """The program, for the names that are used."""
    options = ProgramOptions(std="c++17", arch=f"sm_{arch}")
    names = ("axpy<float>", "axpy<double>")
    return Program(SOURCE, code_type="c++", options=options).compile(kind, name_expressions=names)


def run(kernel, device, stream, dtype, n):
    random = np.random.default_rng(n)
    x, y = (random.integers(-1000, 1000, n).astype(dtype) for _ in range(2))
    buffers = [device.allocate(a.nbytes, stream=stream) for a in (x, y)]
    for buffer, array in zip(buffers, (x, y)):
        must(driver.cuMemcpyHtoDAsync(int(buffer.handle), array.ctypes.data, array.nbytes, stream.handle))
    config = LaunchConfig(grid=7, block=128)
    launch(stream, config, kernel, dtype(3), buffers[0], buffers[1], np.uint64(n))
    result = np.empty_like(y)
    must(driver.cuMemcpyDtoHAsync(result.ctypes.data, int(buffers[1].handle), result.nbytes, stream.handle))
    stream.sync()
    assert np.array_equal(result, y + dtype(3) * x), (dtype, n)


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = compiled(sys.argv[1], device.arch)
    for n in (1, 1000, 50001):
        run(program.get_kernel("axpy<float>"), device, stream, np.float32, n)
        run(program.get_kernel("axpy<double>"), device, stream, np.float64, n)
    print("agrees with NumPy on", device.name)


main()
