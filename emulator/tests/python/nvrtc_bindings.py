"""cuda-bindings alone, as its documentation begins: saxpy compiled by NVRTC for the device's architecture, loaded, launched, compared.

Argument: first, to call NVRTC before the driver is there, or not."""

import sys

import numpy as np
from cuda.bindings import driver, nvrtc

SAXPY = r"""
extern "C" __global__ void saxpy(float a, float *x, float *y, float *out, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}
"""
THREADS, BLOCKS = 256, 32
N = THREADS * BLOCKS


def must(result):
    error, *values = result
    assert error.value == 0, error
    return values[0] if len(values) == 1 else values or None


def machine_code():
    device = must(driver.cuDeviceGet(0))
    attributes = driver.CUdevice_attribute
    major = must(driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = must(driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    program = must(nvrtc.nvrtcCreateProgram(SAXPY.encode(), b"saxpy.cu", 0, [], []))
    options = [b"--fmad=false", f"--gpu-architecture=sm_{major}{minor}".encode()]
    must(nvrtc.nvrtcCompileProgram(program, len(options), options))
    code = b" " * must(nvrtc.nvrtcGetCUBINSize(program))
    must(nvrtc.nvrtcGetCUBIN(program, code))
    must(nvrtc.nvrtcDestroyProgram(program))
    return device, code


def says_what_is_wrong():
    """A program that does not compile: NVRTC's own words, through our library."""
    program = must(nvrtc.nvrtcCreateProgram(b"__global__ void k() { undeclared = 1; }", b"wrong.cu", 0, [], []))
    (error,) = nvrtc.nvrtcCompileProgram(program, 0, [])
    assert error == nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION, error
    log = b" " * must(nvrtc.nvrtcGetProgramLogSize(program))
    must(nvrtc.nvrtcGetProgramLog(program, log))
    print(log.decode().splitlines()[0])


def main():
    if sys.argv[1] == "first":
        print("NVRTC", *must(nvrtc.nvrtcVersion()))
    must(driver.cuInit(0))
    device, code = machine_code()
    context = must(driver.cuCtxCreate(None, 0, device))
    module = must(driver.cuModuleLoadData(code))
    kernel = must(driver.cuModuleGetFunction(module, b"saxpy"))
    random = np.random.default_rng(3)
    x, y = random.random((2, N)).astype(np.float32)
    out = np.zeros(N, np.float32)
    stream = must(driver.cuStreamCreate(0))
    buffers = [must(driver.cuMemAlloc(out.nbytes)) for _ in range(3)]
    for buffer, array in zip(buffers, (x, y)):
        must(driver.cuMemcpyHtoDAsync(buffer, array.ctypes.data, array.nbytes, stream))
    values = [np.array([2], np.float32), *(np.array([int(b)], np.uint64) for b in buffers), np.array([N], np.uint64)]
    pointers = np.array([value.ctypes.data for value in values], np.uint64)
    must(driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, pointers.ctypes.data, 0))
    must(driver.cuMemcpyDtoHAsync(out.ctypes.data, buffers[2], out.nbytes, stream))
    must(driver.cuStreamSynchronize(stream))
    assert np.array_equal(out, np.float32(2) * x + y)
    for buffer in buffers:
        must(driver.cuMemFree(buffer))
    must(driver.cuStreamDestroy(stream))
    must(driver.cuModuleUnload(module))
    must(driver.cuCtxDestroy(context))
    says_what_is_wrong()
    print("agrees with NumPy")


main()
