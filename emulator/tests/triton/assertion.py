"""A kernel that prints, and whose assertion in line 13 fails."""

import numpy as np
import triton
import triton.language as tl

from cuda_emulator_triton.arrays import to_device


@triton.jit
def check(x):
    tl.device_print("element", tl.load(x + tl.program_id(0)))
    tl.device_assert(tl.load(x + tl.program_id(0)) > 0, "must be positive")


values = to_device(np.array([1.5, -2.5], np.float32))
check[(2,)](values, debug=True, num_warps=1)
values.numpy()
