"""A kernel that lacks a barrier: between line 11, which writes, and line 12, which reads what another thread wrote."""

import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def reverse(values, out):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = values[i]
    out[i] = tile[63 - i]


out = cuda.device_array(64, np.float32)
reverse[1, 64](cuda.to_device(np.ones(64, np.float32)), out)
cuda.synchronize()
