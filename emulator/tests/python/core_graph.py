"""cuda-core's graphs: launches recorded by a graph builder and replayed; what the driver says of a kernel, and events."""

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 32
SOURCE = 'extern "C" __global__ void increment(int *x) { x[threadIdx.x] += 1; }'


def must(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = Program(SOURCE, "c++", options=ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin").get_kernel("increment")
    assert kernel.attributes.max_threads_per_block == 1024 and kernel.occupancy.max_active_blocks_per_multiprocessor(128, 0) == 16
    x = np.arange(N, dtype=np.int32)
    buffer = device.allocate(x.nbytes, stream=stream)
    stream.sync()
    must(driver.cuMemcpyHtoD(int(buffer.handle), x.ctypes.data, x.nbytes))
    builder = stream.create_graph_builder()
    builder.begin_building()
    assert builder.is_building
    for _ in range(3):
        launch(builder, LaunchConfig(grid=1, block=N), kernel, buffer)
    graph = builder.end_building().complete()
    graph.upload(stream)
    for _ in range(2):
        graph.launch(stream)
    event = stream.record()
    event.sync()
    assert event.is_done
    result = np.zeros_like(x)
    must(driver.cuMemcpyDtoH(result.ctypes.data, int(buffer.handle), x.nbytes))
    assert np.array_equal(result, x + 6), result
    print("agrees with NumPy")


main()
