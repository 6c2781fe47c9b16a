"""A kernel whose programs overlap: line 13 of one stores elements that line 13 of the next one stores, too."""

import numpy as np
import triton
import triton.language as tl

from cuda_emulator_triton.arrays import empty, to_device


@triton.jit
def smooth(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.program_id(0), mask=i < n)


out = empty(256)
smooth[(3,)](to_device(np.ones(256, np.float32)), out, 256, BLOCK=64)
out.numpy()
